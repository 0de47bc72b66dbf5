/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resets and losses of power aimed at CryptoMaster while a program uses it: no plaintext passes for
 * ciphertext, no forged tag is accepted and no good one refused, no digest differs from software's.
 * Time is virtual, and skips the second for which the library leaves a core alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>

#include "unit.h"
#include "virtual-time.h"

#define FROM_MS  50000u /* from then on faults strike: by then all has been tried */
#define PAUSE_NS (2 * VIRTUAL_SECOND)

#define SIZE 64u
#define TAG  16u

struct result {
	uint8_t bytes[SIZE], tag[TAG]; /* or digest */
	bool good; /* that is what was answered */
};

enum way {
	ENCRYPT,
	DECRYPT, /* the tag is known before the message */
	DECRYPT_LATE, /* it is told at the end */
	DIGEST,
	MAC,
};

/* Of a tag: as it should be, or not */
enum forgery { NONE, FORGED, ONES };

/* What is done again and again, and what software says of it */
struct task {
	const char *name, *algorithm, *work; /* the last of the statistics */
	enum way way;
	enum forgery forgery;
	struct result sealed, right;
	unsigned done, wrong;
	unsigned long long core, failed; /* done by the core, and left to software by it */
};

static struct task tasks[] = {
	{ .name = "CBC", .algorithm = "AES-256-CBC", .work = "cbc" },
	{ .name = "CTR", .algorithm = "AES-256-CTR", .work = "ctr" },
	{ .name = "GCM", .algorithm = "AES-256-GCM", .work = "gcm" },
	{ .name = "GCM, a good tag", .algorithm = "AES-256-GCM", .work = "gcm", .way = DECRYPT },
	{ .name = "GCM, a forged one",
	  .algorithm = "AES-256-GCM",
	  .work = "gcm",
	  .way = DECRYPT,
	  .forgery = FORGED },
	{ .name = "GCM, one of ones",
	  .algorithm = "AES-256-GCM",
	  .work = "gcm",
	  .way = DECRYPT,
	  .forgery = ONES },
	{ .name = "GCM, a forged one at the end",
	  .algorithm = "AES-256-GCM",
	  .work = "gcm",
	  .way = DECRYPT_LATE,
	  .forgery = ONES },
	{ .name = "CCM, a good tag", .algorithm = "AES-256-CCM", .work = "ccm", .way = DECRYPT },
	{ .name = "CCM, a forged one",
	  .algorithm = "AES-256-CCM",
	  .work = "ccm",
	  .way = DECRYPT,
	  .forgery = FORGED },
	{ .name = "SHA-256", .algorithm = "SHA256", .work = "digest", .way = DIGEST },
	{ .name = "HMAC", .algorithm = "HMAC", .work = "hmac", .way = MAC },
	{ .name = "CMAC", .algorithm = "CMAC", .work = "cmac", .way = MAC },
};

static const uint8_t key[32] = { 1, 2, [31] = 3 }, iv[16] = { 4, [15] = 5 };
static const uint8_t plain[SIZE] = { 6, 7, [60] = 8 };

static struct unit unit;

/* ---- operations ---- */

static bool is_ccm(const struct task *task)
{
	return strcmp(task->work, "ccm") == 0;
}

static bool has_tag(const struct task *task)
{
	return is_ccm(task) || strcmp(task->work, "gcm") == 0;
}

static bool set_tag(EVP_CIPHER_CTX *context, const struct result *from)
{
	return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG,
				   from ? (void *)from->tag : NULL) > 0;
}

static void begin(EVP_CIPHER_CTX *context, const struct task *task, bool encrypt,
		  const char *properties)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(unit.library, task->algorithm, properties);
	int size;

	CHECK(cipher && EVP_CipherInit_ex2(context, cipher, NULL, NULL, encrypt, NULL) > 0);
	EVP_CIPHER_free(cipher);
	if (is_ccm(task))
		CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) > 0 &&
		      set_tag(context, encrypt ? NULL : &task->sealed));
	else if (task->way == DECRYPT)
		CHECK(set_tag(context, &task->sealed));
	CHECK(EVP_CipherInit_ex2(context, NULL, key, iv, encrypt, NULL) > 0);
	CHECK(EVP_CIPHER_CTX_set_padding(context, 0) > 0);
	if (is_ccm(task))
		CHECK(EVP_CipherUpdate(context, NULL, &size, NULL, SIZE) > 0);
}

/* A message that is refused has no plaintext that counts */
static struct result cipher(const struct task *task, bool encrypt, const char *properties)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	struct result result = { .good = true };
	uint8_t rest[SIZE];
	int size;

	begin(context, task, encrypt, properties);
	result.good = EVP_CipherUpdate(context, result.bytes, &size,
				       encrypt ? plain : task->sealed.bytes, SIZE) > 0;
	if (task->way == DECRYPT_LATE && !encrypt)
		CHECK(set_tag(context, &task->sealed));
	result.good = result.good && EVP_CipherFinal_ex(context, rest, &size) > 0;
	if (encrypt && has_tag(task))
		CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG, result.tag) > 0);
	if (!result.good)
		memset(&result, 0, sizeof(result));
	EVP_CIPHER_CTX_free(context);
	return result;
}

static struct result digest(const struct task *task, const char *properties)
{
	struct result result = { 0 };

	result.good = EVP_Q_digest(unit.library, task->algorithm, properties, plain, SIZE,
				   result.bytes, NULL) > 0;
	return result;
}

static struct result mac(const struct task *task, const char *properties)
{
	EVP_MAC *algorithm = EVP_MAC_fetch(unit.library, task->algorithm, properties);
	EVP_MAC_CTX *context = EVP_MAC_CTX_new(algorithm);
	bool hmac = strcmp(task->algorithm, "HMAC") == 0;
	char *name = hmac ? "SHA256" : "AES-256-CBC";
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(
			hmac ? OSSL_MAC_PARAM_DIGEST : OSSL_MAC_PARAM_CIPHER, name, 0),
		OSSL_PARAM_construct_end(),
	};
	struct result result = { 0 };
	size_t size;

	result.good = EVP_MAC_init(context, key, sizeof(key), params) > 0 &&
		      EVP_MAC_update(context, plain, SIZE) > 0 &&
		      EVP_MAC_final(context, result.bytes, &size, sizeof(result.bytes)) > 0;
	EVP_MAC_CTX_free(context);
	EVP_MAC_free(algorithm);
	return result;
}

static struct result run(const struct task *task, const char *properties)
{
	switch (task->way) {
	case DIGEST:
		return digest(task, properties);
	case MAC:
		return mac(task, properties);
	default:
		return cipher(task, task->way == ENCRYPT, properties);
	}
}

static void prepare(struct task *task)
{
	if (task->way == DECRYPT || task->way == DECRYPT_LATE) {
		struct task seal = *task;

		seal.way = ENCRYPT;
		task->sealed = cipher(&seal, true, THEIRS);
	}
	if (task->forgery == FORGED)
		task->sealed.tag[TAG - 1] ^= 1;
	else if (task->forgery == ONES)
		memset(task->sealed.tag, 0xff, TAG);
	task->right = run(task, THEIRS);
	CHECK(task->right.good == (task->forgery == NONE));
}

/* ---- aiming ---- */

#define ROUNDS 16u

static bool is_right(const struct task *task)
{
	struct result found = run(task, OURS);

	ERR_clear_error();
	return found.good == task->right.good &&
	       memcmp(found.bytes, task->right.bytes, sizeof(found.bytes)) == 0 &&
	       memcmp(found.tag, task->right.tag, sizeof(found.tag)) == 0;
}

static void shoot(struct task *task)
{
	unsigned long long core = unit_count(task->work, UNIT_HARDWARE);
	unsigned long long failed = unit_count(task->work, UNIT_FAILED);

	if (!is_right(task) && task->wrong++ == 0)
		fprintf(stderr, "%s: wrong, by %s\n", task->name, getenv("FIRESTEEL_DEVICE"));
	task->done++;
	task->core += unit_count(task->work, UNIT_HARDWARE) - core;
	task->failed += unit_count(task->work, UNIT_FAILED) - failed;
	virtual_ns += PAUSE_NS;
}

static void aim(const char *where, unsigned length, const char *completion)
{
	char device[256];
	static unsigned seed;

	snprintf(device, sizeof(device),
		 "model:hash=on,pk_multipliers=256,seed=%u,faults=gone:%s:for=%u:from=%u", ++seed,
		 where, length, FROM_MS);
	setenv("FIRESTEEL_COMPLETION", completion, 1);
	virtual_ns = VIRTUAL_SECOND;
	unit = unit_open(device, "all=1");
	for (unsigned i = 0; i < COUNT(tasks); i++) {
		prepare(&tasks[i]);
		CHECK(is_right(&tasks[i]));
	}
	CHECK(virtual_ns < FROM_MS * INT64_C(1000000));
	virtual_ns = FROM_MS * INT64_C(1000000);
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < COUNT(tasks); i++)
			shoot(&tasks[i]);
	unit_close(&unit);
}

int main(void)
{
	static const char *const aims[] = { "accesses=20", "accesses=80", "rate=1:within=3000",
					    "rate=2:within=20000" };
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
