/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libfiresteel on real devices: known answers from both cores, each way of waiting, operations without
 * a system call, a sandbox, children, an owner that is killed, and a device that goes.
 *
 *     library answers|quiet|sandbox|children|killed|away|times
 *
 * Prints a line for each thing that is looked at: "ok" or "not ok" and what it is.  The last one is
 * "ok NAME has ended".
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <firesteel/firesteel.h>

#define COUNT(array)  (sizeof(array) / sizeof(*(array)))
#define BYTES(array)  ((struct firesteel_bytes){ array, sizeof(array) })
#define OUTPUT(array) ((struct firesteel_output){ array, sizeof(array) })

static struct firesteel *device;

static void look(int good, const char *what)
{
	printf("%s %s\n", good ? "ok" : "not ok", what);
	fflush(stdout);
}

static void open_device(void)
{
	char message[FIRESTEEL_MESSAGE_SIZE];
	int error = firesteel_open("auto", &device, message);

	if (error) {
		printf("not ok opening: %s\n", message);
		exit(1);
	}
}

/* ---- known answers ---- */

/* RFC 8032, 7.1, TEST 1: no message */
static const uint8_t ed25519_secret[32] = {
	0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a,
	0xf4, 0x92, 0xec, 0x2c, 0xc4, 0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32,
	0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60,
};
static const uint8_t ed25519_public[32] = {
	0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe,
	0xd3, 0xc9, 0x64, 0x07, 0x3a, 0x0e, 0xe1, 0x72, 0xf3, 0xda, 0xa6,
	0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a,
};

/* McGrew and Viega's test case 2 of GCM: a block of zeros */
static const uint8_t gcm_text[16] = {
	0x03, 0x88, 0xda, 0xce, 0x60, 0xb6, 0xa3, 0x92,
	0xf3, 0x28, 0xc2, 0xb9, 0x71, 0xb2, 0xfe, 0x78,
};
static const uint8_t gcm_tag[16] = {
	0xab, 0x6e, 0x47, 0xd4, 0x2c, 0xec, 0x13, 0xbd,
	0xf5, 0x3a, 0x67, 0xb2, 0x12, 0x57, 0xbd, 0xdf,
};

/* FIPS 180-4's example: "abc" */
static const uint8_t sha256_abc[8] = { 0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea };

static const uint8_t zeros[16];

static struct firesteel_request gcm(uint8_t *text, uint8_t *tag)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = FIRESTEEL_GCM,
			    .key = BYTES(zeros),
			    .iv = { zeros, 12 },
			    .in = { text, 16 },
			    .out = { text, 16 },
			    .tag = { tag, 16 } },
	};
}

static int ed25519_agrees(void)
{
	uint8_t key[32], signature[64];
	const struct firesteel_request public = {
		.operation = FIRESTEEL_ED25519_PUBLIC,
		.ed25519_public = { BYTES(ed25519_secret), OUTPUT(key) },
	};
	const struct firesteel_request sign = {
		.operation = FIRESTEEL_ED25519_SIGN,
		.flags = FIRESTEEL_CHECK,
		.ed25519_sign = { .secret = BYTES(ed25519_secret), .signature = OUTPUT(signature) },
	};

	return firesteel_run(device, &public) == FIRESTEEL_OK &&
	       memcmp(key, ed25519_public, sizeof(key)) == 0 &&
	       firesteel_run(device, &sign) == FIRESTEEL_OK && signature[0] == 0xe5 &&
	       signature[63] == 0x0b;
}

/* A signature that is verified, and one that is not */
static int ecdsa_agrees(void)
{
	static const uint8_t secret[32] = { [31] = 7 };
	uint8_t x[32], y[32], r[32], s[32];
	const struct firesteel_curve p256 = { FIRESTEEL_P256, NULL };
	const struct firesteel_request public = {
		.operation = FIRESTEEL_EC_PUBLIC,
		.ec_public = { p256, BYTES(secret), OUTPUT(x), OUTPUT(y) },
	};
	const struct firesteel_request sign = {
		.operation = FIRESTEEL_ECDSA_SIGN,
		.ecdsa_sign = { .curve = p256,
				.secret = BYTES(secret),
				.digest = BYTES(x),
				.r = OUTPUT(r),
				.s = OUTPUT(s) },
	};
	const struct firesteel_request verify = {
		.operation = FIRESTEEL_ECDSA_VERIFY,
		.ecdsa_verify = { p256, BYTES(x), BYTES(y), BYTES(x), BYTES(r), BYTES(s) },
	};

	if (firesteel_run(device, &public) || firesteel_run(device, &sign) ||
	    firesteel_run(device, &verify))
		return 0;
	r[5] ^= 1;
	return firesteel_run(device, &verify) == FIRESTEEL_ERROR_SIGNATURE;
}

static int gcm_agrees(void)
{
	uint8_t text[16] = { 0 }, tag[16];
	struct firesteel_request request = gcm(text, tag);

	return firesteel_run(device, &request) == FIRESTEEL_OK &&
	       memcmp(text, gcm_text, sizeof(text)) == 0 && memcmp(tag, gcm_tag, sizeof(tag)) == 0;
}

static int sha256_agrees(void)
{
	uint8_t digest[32];
	const struct firesteel_request request = {
		.operation = FIRESTEEL_HASH,
		.hash = { .algorithm = FIRESTEEL_SHA256,
			  .in = { (const uint8_t *)"abc", 3 },
			  .digest = OUTPUT(digest) },
	};

	return firesteel_run(device, &request) == FIRESTEEL_OK &&
	       memcmp(digest, sha256_abc, sizeof(sha256_abc)) == 0;
}

static int all_agree(void)
{
	return ed25519_agrees() && ecdsa_agrees() && gcm_agrees() && sha256_agrees();
}

static void play_answers(void)
{
	static const char *const completions[] = { "adaptive", "poll", "irq" };
	struct firesteel_statistics statistics;
	struct firesteel_capabilities has;

	firesteel_capabilities(device, &has);
	printf("# %s\n", has.name);
	look(has.public_key && has.cryptomaster, "both cores are there");
	look(has.multipliers == 16 && has.operand_bytes == 512, "the public-key core's size");
	for (unsigned i = 0; i < COUNT(completions); i++) {
		firesteel_set(device, "completion", completions[i], NULL);
		look(ed25519_agrees(), "Ed25519");
		look(ecdsa_agrees(), "ECDSA");
		look(gcm_agrees(), "GCM");
		look(sha256_agrees(), "SHA-256");
	}
	firesteel_statistics(device, &statistics);
	printf("# spun %llu, slept %llu\n", (unsigned long long)statistics.spun,
	       (unsigned long long)statistics.slept);
	look(statistics.spun > 0 && statistics.slept > 0 && statistics.faults == 0, "both waits");
}

/* ---- no system call ---- */

static void forbid_calls(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { COUNT(filter), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(3);
}

static void play_quiet(void)
{
	int status;
	pid_t pid;

	firesteel_set(device, "spin_ns", "100000000", NULL);
	pid = fork();
	if (pid == 0) {
		if (!all_agree())
			_exit(2);
		forbid_calls();
		for (unsigned i = 0; i < 20; i++)
			if (!all_agree())
				_exit(4);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	printf("# status %x\n", status);
	look(status == 0, "no system call");
}

/* ---- a sandbox ---- */

#define ALLOW(call)                                             \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* What sandboxes allow that forbid to open files */
static void enter_sandbox(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(exit_group),
		ALLOW(mmap2),
		ALLOW(munmap),
		ALLOW(getpid),
		ALLOW(getrandom),
		ALLOW(read),
		ALLOW(write),
		ALLOW(ppoll),
		ALLOW(ppoll_time64),
		ALLOW(futex),
		ALLOW(futex_time64),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { COUNT(filter), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(3);
}

/* A child that may not open files any more has its first use of the cores there */
static void play_sandbox(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		enter_sandbox();
		_exit(!all_agree());
	}
	waitpid(pid, &status, 0);
	printf("# status %x\n", status);
	look(status == 0, "the first use in a sandbox");
}

/* ---- processes ---- */

static void play_children(void)
{
	pid_t pids[4];

	look(all_agree(), "the parent");
	for (unsigned i = 0; i < COUNT(pids); i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			int good = 1;

			for (unsigned round = 0; round < 10; round++)
				good &= all_agree();
			firesteel_close(device);
			_exit(!good);
		}
	}
	for (unsigned round = 0; round < 10; round++)
		look(all_agree(), "the parent beside its children");
	for (unsigned i = 0; i < COUNT(pids); i++) {
		int status;

		waitpid(pids[i], &status, 0);
		look(status == 0, "a child");
	}
}

/* Children that are killed at any moment leave the cores to the others */
static void play_killed(void)
{
	for (unsigned i = 0; i < 20; i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0)
			for (;;)
				all_agree();
		usleep(20000 + 3701 * i);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		look(all_agree(), "after a child was killed");
	}
}

/* ---- a device that goes ---- */

static void play_away(void)
{
	int first = FIRESTEEL_OK, error = FIRESTEEL_OK;
	uint8_t text[16] = { 0 }, tag[16];
	struct firesteel_request message = gcm(text, tag);
	uint8_t key[32];
	const struct firesteel_request public = {
		.operation = FIRESTEEL_ED25519_PUBLIC,
		.ed25519_public = { BYTES(ed25519_secret), OUTPUT(key) },
	};

	look(all_agree(), "before");
	close(open("/run/ready", O_WRONLY | O_CREAT,
		   0600)); /* whoever takes the devices away waits for it */
	for (unsigned i = 0; i < 100000 && !error; i++)
		error = firesteel_run(device, &public);
	look(error == FIRESTEEL_ERROR_GONE || error == FIRESTEEL_ERROR_FAULT, "public key is gone");
	/* one that is on its way may fail before it is known why */
	for (unsigned i = 0; i < 100000 && (!first || first == FIRESTEEL_ERROR_FAULT); i++)
		first = firesteel_run(device, &message);
	printf("# %s\n", firesteel_error_text(first));
	look(first == FIRESTEEL_ERROR_GONE, "CryptoMaster is gone");
	look(firesteel_run(device, &public) < 0 && firesteel_run(device, &message) < 0, "for good");
}

/* ---- times ---- */

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void play_times(void)
{
	static uint8_t bytes[16384];
	static const uint8_t key[32] = { 1 };
	int good = 1;

	for (size_t size = 16; size <= sizeof(bytes); size *= 2) {
		struct firesteel_request request = {
			.operation = FIRESTEEL_CIPHER,
			.cipher = { .mode = FIRESTEEL_CBC,
				    .key = BYTES(key),
				    .iv = BYTES(zeros),
				    .in = { bytes, size },
				    .out = { bytes, size } },
		};
		int64_t expected = firesteel_expect_ns(device, &request);
		uint64_t best = UINT64_MAX;

		for (unsigned i = 0; i < 10; i++) {
			uint64_t begin = now(), took;

			good &= firesteel_run(device, &request) == FIRESTEEL_OK;
			took = now() - begin;
			best = took < best ? took : best;
		}
		printf("# AES-256-CBC %zu bytes: %llu ns, expected %lld\n", size,
		       (unsigned long long)best, (long long)expected);
		good &= expected > 0 && 2 * (uint64_t)expected > best &&
			(uint64_t)expected < 2 * best;
	}
	look(good, "what is expected is near what it takes");
}

static const struct {
	const char *name;
	void (*play)(void);
} scenarios[] = {
	{ "sandbox", play_sandbox },   { "answers", play_answers }, { "quiet", play_quiet },
	{ "children", play_children }, { "killed", play_killed },   { "away", play_away },
	{ "times", play_times },
};

int main(int argc, char **argv)
{
	for (unsigned i = 0; argc == 2 && i < COUNT(scenarios); i++) {
		if (strcmp(scenarios[i].name, argv[1]) != 0)
			continue;
		open_device();
		scenarios[i].play();
		firesteel_close(device);
		printf("ok %s has ended\n", argv[1]);
		return 0;
	}
	fprintf(stderr, "usage: library answers|quiet|sandbox|children|killed|away|times\n");
	return 2;
}
