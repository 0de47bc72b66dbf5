/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * wolfSSL with the device speaks with OpenSSL, as server and as client:
 *
 *	OpenSSL  <-- bytes in memory -->  wolfSSL -- firesteel-wolfssl -- libfiresteel -- model
 *
 * Versions, suites, groups and keys; records of many sizes, of which no byte may be another one;
 * what the core did of it, by the counters; cores that fail or go in the middle, which ends no
 * connection; and records that somebody has changed on their way, which wolfSSL refuses as without
 * the device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "wire.h"

#include <wolfssl/wolfcrypt/types.h>

#define LARGEST 40000u

static struct identity identities[KINDS];

struct line {
	struct wire wire;
	struct openssl_end *openssl;
	struct wolfssl_end *wolfssl;
};

static void call(struct line *line, const struct scene *scene, int device)
{
	*line = (struct line){ .openssl = NULL };
	line->openssl = openssl_open(scene, &line->wire);
	line->wolfssl = wolfssl_open(scene, &line->wire, &identities[scene->kind], device);
}

static void hang_up(struct line *line)
{
	openssl_close(line->openssl);
	wolfssl_close(line->wolfssl);
	for (unsigned i = 0; i < 2; i++)
		queue_free(&line->wire.to[i]);
}

static void shake_hands(struct line *line, const struct scene *scene)
{
	enum step openssl = STEP_AGAIN, wolfssl = STEP_AGAIN;

	for (unsigned i = 0; i < 20 && (openssl == STEP_AGAIN || wolfssl == STEP_AGAIN); i++) {
		openssl = openssl == STEP_AGAIN ? openssl_handshake(line->openssl) : openssl;
		wolfssl = wolfssl == STEP_AGAIN ? wolfssl_handshake(line->wolfssl) : wolfssl;
	}
	if (openssl != STEP_DONE || wolfssl != STEP_DONE)
		fprintf(stderr, "%s, %s, %s: error %d of wolfSSL's\n", scene->suite, scene->group,
			scene->signature, wolfssl_error(line->wolfssl));
	CHECK(openssl == STEP_DONE && wolfssl == STEP_DONE);
	CHECK(strcmp(openssl_suite(line->openssl), scene->suite) == 0);
}

/* One message from an end to the other */
static void say(struct line *line, bool from_wolfssl, size_t size)
{
	static uint8_t sent[LARGEST], got[LARGEST];
	size_t done = 0, part;

	unit_fill(sent, size);
	CHECK((from_wolfssl ? wolfssl_write(line->wolfssl, sent, size)
			    : openssl_write(line->openssl, sent, size)) == STEP_DONE);
	while (done < size) {
		enum step step = from_wolfssl ? openssl_read(line->openssl, got + done, size - done,
							     &part)
					      : wolfssl_read(line->wolfssl, got + done, size - done,
							     &part);

		CHECK(step == STEP_DONE && part > 0);
		done += part;
	}
	CHECK(memcmp(sent, got, size) == 0);
}

static void talk(struct line *line, unsigned messages)
{
	for (unsigned i = 0; i < messages; i++)
		say(line, i % 2, 1 + unit_random(i % 4 < 2 ? 300 : LARGEST));
}

/* ---- what the core does ---- */

#define GCM_13 "TLS_AES_128_GCM_SHA256"
#define PSS    "rsa_pss_rsae_sha256"
#define P256   "ecdsa_secp256r1_sha256"

#define WORK(name) FIRESTEEL_WOLFSSL_##name
#define NONE       WORK(WORKS)

/* With X25519 in TLS 1.3, wolfSSL 5.7 gives its key no device */
static const struct {
	struct scene scene; /* with wolfSSL as server */
	enum firesteel_wolfssl_work cipher, exchange, sign, verify;
} scenes[] = {
	{ { true, true, GCM_13, "X25519", PSS, KIND_RSA },
	  WORK(GCM),
	  NONE,
	  WORK(RSA_PRIVATE),
	  WORK(RSA_PUBLIC) },
	{ { true, true, "TLS_AES_256_GCM_SHA384", "P-256", P256, KIND_EC },
	  WORK(GCM),
	  WORK(ECDH),
	  WORK(ECDSA_SIGN),
	  WORK(ECDSA_VERIFY) },
	{ { true, true, "TLS_AES_128_CCM_SHA256", "P-384", "ed25519", KIND_ED },
	  WORK(CCM),
	  WORK(ECDH),
	  WORK(ED25519_SIGN),
	  WORK(ED25519_VERIFY) },
	{ { true, false, "ECDHE-RSA-AES128-GCM-SHA256", "P-256", PSS, KIND_RSA },
	  WORK(GCM),
	  WORK(ECDH),
	  WORK(RSA_PRIVATE),
	  WORK(RSA_PUBLIC) },
	{ { true, false, "ECDHE-ECDSA-AES256-GCM-SHA384", "X25519:P-256", P256, KIND_EC },
	  WORK(GCM),
	  WORK(X25519),
	  WORK(ECDSA_SIGN),
	  WORK(ECDSA_VERIFY) },
	{ { true, false, "ECDHE-RSA-AES128-SHA256", "P-384", PSS, KIND_RSA },
	  WORK(CBC),
	  WORK(ECDH),
	  WORK(RSA_PRIVATE),
	  WORK(RSA_PUBLIC) },
	{ { true, false, "ECDHE-ECDSA-AES256-SHA", "P-256", P256, KIND_EC },
	  WORK(CBC),
	  WORK(ECDH),
	  WORK(ECDSA_SIGN),
	  WORK(ECDSA_VERIFY) },
};

/* A conversation: each record and each step of the handshake is the core's */
static void the_core_does_it(unsigned which, bool serves)
{
	struct scene scene = scenes[which].scene;
	struct line line;
	unsigned long long records;

	scene.wolfssl_serves = serves;
	unit_open("model:hash=on", true);
	call(&line, &scene, FIRESTEEL_WOLFSSL_DEVICE_ID);
	shake_hands(&line, &scene);
	CHECK(scenes[which].exchange == NONE || unit_count(scenes[which].exchange).hardware > 0);
	CHECK(unit_count(serves ? scenes[which].sign : scenes[which].verify).hardware > 0);
	records = unit_count(scenes[which].cipher).hardware;
	talk(&line, 24);
	records = unit_count(scenes[which].cipher).hardware - records;
	printf("%s, wolfSSL as %s: %llu records by the core\n", scene.suite,
	       serves ? "server" : "client", records);
	CHECK(records >= 24);
	if (scenes[which].cipher == WORK(CBC))
		CHECK(unit_count(WORK(SHA1)).hardware + unit_count(WORK(SHA256)).hardware > 24);
	hang_up(&line);
	unit_close();
}

/* ---- what it fails at ---- */

/* A core that fails during a conversation, whose other end is not to see it */
static void fails(const char *faults, const struct scene *scene, bool gone)
{
	struct firesteel_wolfssl_counters of;
	uint64_t failed = 0, done;
	struct line line;
	char device[128];

	snprintf(device, sizeof(device), "model:hash=on,faults=%s", faults);
	unit_open(device, true);
	call(&line, scene, FIRESTEEL_WOLFSSL_DEVICE_ID);
	shake_hands(&line, scene);
	talk(&line, 40);
	done = unit_hardware();
	talk(&line, 8);
	CHECK(!gone || unit_hardware() == done);
	for (unsigned i = 0; i < FIRESTEEL_WOLFSSL_WORKS; i++) {
		of = unit_count(i);
		failed += of.failed;
	}
	printf("%s, %s: %llu by the core, %llu it failed at\n", scene->suite, faults,
	       (unsigned long long)done, (unsigned long long)failed);
	CHECK(done > 0 && failed > 0);
	hang_up(&line);
	unit_close();
}

static void the_core_fails(const struct scene *scene)
{
	fails("dma-error:rate=4", scene, false);
	fails("stuck-busy:nth=60", scene, false);
	fails("gone:nth=45", scene, true); /* with the handshake or soon after */
	fails("gone:nth=70", scene, true);
	fails("gone:nth=100", scene, true);
}

/* ---- what is forged ---- */

/* A record on its way to wolfSSL is changed: its error, with the device or without */
static int forge(const struct scene *scene, int device)
{
	uint8_t message[1000] = { 0 };
	struct queue *queue;
	struct line line;
	size_t got;
	int error;

	call(&line, scene, device);
	shake_hands(&line, scene);
	talk(&line, 4);
	queue = &line.wire.to[TO_WOLFSSL];
	CHECK(openssl_write(line.openssl, message, sizeof(message)) == STEP_DONE);
	CHECK(queue->last - queue->first > sizeof(message));
	/* the length in front stays */
	queue->bytes[queue->first + 5 + unit_random((unsigned)sizeof(message))] ^= 1u
										   << unit_random(
											      8);
	CHECK(wolfssl_read(line.wolfssl, message, sizeof(message), &got) == STEP_FAILED);
	error = wolfssl_error(line.wolfssl);
	CHECK(got == 0 && openssl_was_told_of_forgery(line.openssl));
	hang_up(&line);
	return error;
}

static void forgeries_are_refused(unsigned which)
{
	struct scene scene = scenes[which].scene;

	for (unsigned i = 0; i < 8; i++) {
		int with, without;
		uint64_t rejected;

		scene.wolfssl_serves = i % 2;
		unit_open("model:hash=on", true);
		with = forge(&scene, FIRESTEEL_WOLFSSL_DEVICE_ID);
		rejected = unit_count(scenes[which].cipher).rejected;
		without = forge(&scene, INVALID_DEVID);
		unit_close();
		CHECK(with == without);
		/* with CBC it is the MAC that is wrong, and wolfSSL sees that */
		CHECK(rejected == (scenes[which].cipher == WORK(CBC) ? 0 : 1));
	}
}

int main(void)
{
	/* A hanging core is given up sooner than in earnest */
	setenv("FIRESTEEL_TIMEOUT_MS", "20", 1);
	setvbuf(stdout, NULL, _IOLBF, 0);
	openssl_begin(identities);
	for (unsigned i = 0; i < COUNT(scenes); i++) {
		the_core_does_it(i, true);
		the_core_does_it(i, false);
		forgeries_are_refused(i);
		the_core_fails(&scenes[i].scene);
	}
	openssl_finish(identities);
	return 0;
}
