/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resets and losses of power aimed at the public-key core while a program uses it: no forged signature is
 * accepted and no good one refused, no secret and no plaintext differs from software's, no wrong signature
 * gets out.
 *
 * Time is virtual: it goes on when somebody looks at it, and skips the second for which the library leaves a
 * core alone that has failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/rsa.h>

#include "unit.h"
#include "virtual-time.h"

#define MOST 512u

#define FROM_MS  50000u /* from then on faults strike: by then all has been tried */
#define PAUSE_NS (2 * VIRTUAL_SECOND)

/* ---- operations ---- */

struct bytes {
	uint8_t data[MOST];
	size_t size;
};

/* What is done again and again, and what software says of it */
struct task {
	const char *name, *work; /* the latter of the statistics */
	bool (*right)(const struct task *task, EVP_PKEY *ours);
	EVP_PKEY *theirs, *peer;
	struct bytes input, good, forged; /* ciphertext; signature, secret or plaintext */
	unsigned done, wrong;
	unsigned long long core, failed; /* done by the core, and left to software by it */
};

static struct unit unit;

static const uint8_t message[32] = { 0xd1, 0x9e, 0x57 };

static int verify(const struct task *task, EVP_PKEY *key, const struct bytes *signature)
{
	const char *digest = strcmp(task->work, "ed25519") == 0 ? NULL : "SHA256";
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	int verdict;

	CHECK(EVP_DigestVerifyInit_ex(context, NULL, digest, unit.library, OURS, key, NULL) > 0);
	verdict = EVP_DigestVerify(context, signature->data, signature->size, message,
				   sizeof(message));
	EVP_MD_CTX_free(context);
	return verdict;
}

static bool verifies(const struct task *task, EVP_PKEY *ours)
{
	return verify(task, ours, &task->good) == 1;
}

static bool refuses(const struct task *task, EVP_PKEY *ours)
{
	return verify(task, ours, &task->forged) == 0;
}

static struct bytes sign(const struct task *task, EVP_PKEY *key, const char *properties)
{
	const char *digest = strcmp(task->work, "ed25519") == 0 ? NULL : "SHA256";
	struct bytes signature = { .size = MOST };
	EVP_MD_CTX *context = EVP_MD_CTX_new();

	CHECK(EVP_DigestSignInit_ex(context, NULL, digest, unit.library, properties, key, NULL) >
	      0);
	if (EVP_DigestSign(context, signature.data, &signature.size, message, sizeof(message)) <= 0)
		signature.size = 0;
	EVP_MD_CTX_free(context);
	return signature;
}

/* Of RSA and Ed25519, whose signatures are always the same */
static bool signs(const struct task *task, EVP_PKEY *ours)
{
	struct bytes found = sign(task, ours, OURS);

	return found.size == task->good.size &&
	       memcmp(found.data, task->good.data, found.size) == 0;
}

static bool signs_anew(const struct task *task, EVP_PKEY *ours)
{
	struct bytes found = sign(task, ours, OURS);
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool good;

	CHECK(EVP_DigestVerifyInit_ex(context, NULL, "SHA256", unit.library, THEIRS, task->theirs,
				      NULL) > 0);
	good = EVP_DigestVerify(context, found.data, found.size, message, sizeof(message)) == 1;
	EVP_MD_CTX_free(context);
	return good;
}

static bool derive(EVP_PKEY *key, const char *properties, EVP_PKEY *peer, struct bytes *secret)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, key, properties);
	bool good;

	secret->size = MOST;
	CHECK(context && EVP_PKEY_derive_init(context) > 0);
	good = EVP_PKEY_derive_set_peer(context, peer) > 0 &&
	       EVP_PKEY_derive(context, secret->data, &secret->size) > 0;
	EVP_PKEY_CTX_free(context);
	return good;
}

static bool agrees(const struct task *task, EVP_PKEY *ours)
{
	EVP_PKEY *peer = unit_key(&unit, task->peer, OURS);
	struct bytes found;
	bool good = derive(ours, OURS, peer, &found) && found.size == task->good.size &&
		    memcmp(found.data, task->good.data, found.size) == 0;

	EVP_PKEY_free(peer);
	return good;
}

static bool decrypts(const struct task *task, EVP_PKEY *ours)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, ours, OURS);
	struct bytes found = { .size = MOST };
	bool good;

	CHECK(context && EVP_PKEY_decrypt_init(context) > 0 &&
	      EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) > 0);
	good = EVP_PKEY_decrypt(context, found.data, &found.size, task->input.data,
				task->input.size) > 0 &&
	       found.size == task->good.size &&
	       memcmp(found.data, task->good.data, found.size) == 0;
	EVP_PKEY_CTX_free(context);
	return good;
}

/* A key is made by the core: its halves must fit */
static bool generates(const struct task *task, EVP_PKEY *ours)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, ours, OURS), *check;
	EVP_PKEY *made = NULL, *copy;
	bool good;

	(void)task;
	CHECK(context && EVP_PKEY_keygen_init(context) > 0);
	if (EVP_PKEY_generate(context, &made) <= 0)
		made = NULL;
	EVP_PKEY_CTX_free(context);
	if (!made)
		return false;
	copy = unit_key(&unit, made, THEIRS);
	check = EVP_PKEY_CTX_new_from_pkey(unit.library, copy, THEIRS);
	good = EVP_PKEY_pairwise_check(check) > 0;
	EVP_PKEY_CTX_free(check);
	EVP_PKEY_free(copy);
	EVP_PKEY_free(made);
	return good;
}

static struct task tasks[] = {
	{ .name = "ECDSA, a good signature", .work = "ecdsa", .right = verifies },
	{ .name = "ECDSA, a forged one", .work = "ecdsa", .right = refuses },
	{ .name = "ECDSA, signing", .work = "ecdsa", .right = signs_anew },
	{ .name = "Ed25519, a good signature", .work = "ed25519", .right = verifies },
	{ .name = "Ed25519, a forged one", .work = "ed25519", .right = refuses },
	{ .name = "Ed25519, signing", .work = "ed25519", .right = signs },
	{ .name = "RSA, a forged signature", .work = "rsa", .right = refuses },
	{ .name = "RSA, signing", .work = "rsa", .right = signs },
	{ .name = "RSA, decryption", .work = "rsa", .right = decrypts },
	{ .name = "DH", .work = "dh", .right = agrees },
	{ .name = "DH, a key", .work = "dh", .right = generates },
	{ .name = "ECDH", .work = "ecdh", .right = agrees },
	{ .name = "ECDH, a key", .work = "ecdh", .right = generates },
	{ .name = "X25519", .work = "x25519", .right = agrees },
};

/* ---- keys, and what software says ---- */

static EVP_PKEY *make_key(const char *work)
{
	EVP_PKEY_CTX *context;
	EVP_PKEY *key = NULL;

	if (strcmp(work, "rsa") == 0)
		return unit_rsa(&unit, 1024);
	if (strcmp(work, "ecdsa") == 0 || strcmp(work, "ecdh") == 0)
		return EVP_PKEY_Q_keygen(unit.library, THEIRS, "EC", "P-256");
	if (strcmp(work, "dh") != 0)
		return EVP_PKEY_Q_keygen(unit.library, THEIRS,
					 strcmp(work, "x25519") == 0 ? "X25519" : "ED25519");
	context = EVP_PKEY_CTX_new_from_name(unit.library, "DH", THEIRS);
	CHECK(context && EVP_PKEY_keygen_init(context) > 0 &&
	      EVP_PKEY_CTX_set_group_name(context, "modp_1536") > 0 &&
	      EVP_PKEY_generate(context, &key) > 0);
	EVP_PKEY_CTX_free(context);
	return key;
}

static void encrypt(struct task *task)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, task->theirs, THEIRS);

	task->input.size = MOST;
	memcpy(task->good.data, message, sizeof(message));
	task->good.size = sizeof(message);
	CHECK(context && EVP_PKEY_encrypt_init(context) > 0 &&
	      EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) > 0 &&
	      EVP_PKEY_encrypt(context, task->input.data, &task->input.size, message,
			       sizeof(message)) > 0);
	EVP_PKEY_CTX_free(context);
}

static void prepare(struct task *task)
{
	task->theirs = make_key(task->work);
	CHECK(task->theirs);
	if (task->right == agrees) {
		task->peer = make_key(task->work);
		CHECK(derive(task->theirs, THEIRS, task->peer, &task->good));
	} else if (task->right == decrypts) {
		encrypt(task);
	} else if (task->right != generates) {
		task->good = sign(task, task->theirs, THEIRS);
		task->forged = task->good;
		/* of s, or S */
		task->forged.data[task->forged.size - 9] ^= 4;
	}
}

/* ---- aiming ---- */

#define ROUNDS 16u

static void shoot(struct task *task, EVP_PKEY *ours)
{
	unsigned long long core = unit_count(task->work, UNIT_HARDWARE);
	unsigned long long failed = unit_count(task->work, UNIT_FAILED);

	if (!task->right(task, ours) && task->wrong++ == 0)
		fprintf(stderr, "%s: wrong, by %s\n", task->name, getenv("FIRESTEEL_DEVICE"));
	task->done++;
	task->core += unit_count(task->work, UNIT_HARDWARE) - core;
	task->failed += unit_count(task->work, UNIT_FAILED) - failed;
	virtual_ns += PAUSE_NS;
	ERR_clear_error();
}

static void aim(const char *where, unsigned length, const char *completion)
{
	EVP_PKEY *ours[COUNT(tasks)];
	char device[256];
	static unsigned seed;

	snprintf(device, sizeof(device),
		 "model:pk_multipliers=256,clock_hz=1000000000,cryptomaster=off,aes=off,hash=off,"
		 "seed=%u,faults=gone:%s:for=%u:from=%u",
		 ++seed, where, length, FROM_MS);
	setenv("FIRESTEEL_COMPLETION", completion, 1);
	virtual_ns = VIRTUAL_SECOND;
	unit = unit_open(device, "all=1");
	for (unsigned i = 0; i < COUNT(tasks); i++) {
		prepare(&tasks[i]);
		ours[i] = unit_key(&unit, tasks[i].theirs, OURS);
		CHECK(tasks[i].right(&tasks[i], ours[i]));
	}
	CHECK(virtual_ns < FROM_MS * INT64_C(1000000));
	virtual_ns = FROM_MS * INT64_C(1000000);
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < COUNT(tasks); i++)
			shoot(&tasks[i], ours[i]);
	for (unsigned i = 0; i < COUNT(tasks); i++) {
		EVP_PKEY_free(ours[i]);
		EVP_PKEY_free(tasks[i].theirs);
		EVP_PKEY_free(tasks[i].peer);
	}
	unit_close(&unit);
}

int main(void)
{
	static const char *const aims[] = { "accesses=60", "accesses=400", "rate=1:within=10000",
					    "rate=2:within=200000" };
	static const char *const completions[] = { "adaptive", "poll", "irq" };
	/* resets, which no access sees, and a loss of power that some see, for good; ns */
	static const unsigned lengths[] = { 1, 20, 59, 30000 };
	unsigned done = 0, wrong = 0, poor = 0;

	for (unsigned i = 0; i < COUNT(aims); i++)
		for (unsigned length = 0; length < COUNT(lengths); length++)
			for (unsigned way = 0; way < COUNT(completions); way++)
				aim(aims[i], lengths[length], completions[way]);
	for (unsigned i = 0; i < COUNT(tasks); i++) {
		const struct task *task = &tasks[i];

		printf("%s: %u times, %llu requests done by the core, %llu failed there, %u wrong\n",
		       task->name, task->done, task->core, task->failed, task->wrong);
		/* both must be frequent, or nothing was tried */
		poor += task->core * 10 < task->done || task->failed * 10 < task->done;
		done += task->done;
		wrong += task->wrong;
	}
	printf("%u operations, %u wrong\n", done, wrong);
	return wrong > 0 || poor > 0 || done < 5000;
}
