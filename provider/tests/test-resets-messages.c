/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resets and losses of power aimed at CryptoMaster while a program uses it: no plaintext passes for
 * ciphertext, no forged tag is accepted and no good one refused, no digest differs from software's.
 */
#include <string.h>

#include <openssl/core_names.h>

#include "aimed-resets.h"

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
	struct aimed_tally tally;
	const char *algorithm;
	enum way way;
	enum forgery forgery;
	struct result sealed, right;
};

static struct task tasks[] = {
	{ .tally = { .name = "CBC", .work = "cbc" }, .algorithm = "AES-256-CBC" },
	{ .tally = { .name = "CTR", .work = "ctr" }, .algorithm = "AES-256-CTR" },
	{ .tally = { .name = "GCM", .work = "gcm" }, .algorithm = "AES-256-GCM" },
	{ .tally = { .name = "GCM, a good tag", .work = "gcm" },
	  .algorithm = "AES-256-GCM",
	  .way = DECRYPT },
	{ .tally = { .name = "GCM, a forged one", .work = "gcm" },
	  .algorithm = "AES-256-GCM",
	  .way = DECRYPT,
	  .forgery = FORGED },
	{ .tally = { .name = "GCM, one of ones", .work = "gcm" },
	  .algorithm = "AES-256-GCM",
	  .way = DECRYPT,
	  .forgery = ONES },
	{ .tally = { .name = "GCM, a forged one at the end", .work = "gcm" },
	  .algorithm = "AES-256-GCM",
	  .way = DECRYPT_LATE,
	  .forgery = ONES },
	{ .tally = { .name = "CCM, a good tag", .work = "ccm" },
	  .algorithm = "AES-256-CCM",
	  .way = DECRYPT },
	{ .tally = { .name = "CCM, a forged one", .work = "ccm" },
	  .algorithm = "AES-256-CCM",
	  .way = DECRYPT,
	  .forgery = FORGED },
	{ .tally = { .name = "SHA-256", .work = "digest" }, .algorithm = "SHA256", .way = DIGEST },
	{ .tally = { .name = "HMAC", .work = "hmac" }, .algorithm = "HMAC", .way = MAC },
	{ .tally = { .name = "CMAC", .work = "cmac" }, .algorithm = "CMAC", .way = MAC },
};

static const uint8_t key[32] = { 1, 2, [31] = 3 }, iv[16] = { 4, [15] = 5 };
static const uint8_t plain[SIZE] = { 6, 7, [60] = 8 };

static struct unit unit;

/* ---- operations ---- */

static bool is_ccm(const struct task *task)
{
	return strcmp(task->tally.work, "ccm") == 0;
}

static bool has_tag(const struct task *task)
{
	return is_ccm(task) || strcmp(task->tally.work, "gcm") == 0;
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

/* ---- aiming ---- */

static struct aimed_tally *tally(unsigned index)
{
	return &tasks[index].tally;
}

static void prepare(unsigned index)
{
	struct task *task = &tasks[index];

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

static bool right(unsigned index)
{
	const struct task *task = &tasks[index];
	struct result found = run(task, OURS);

	return found.good == task->right.good &&
	       memcmp(found.bytes, task->right.bytes, sizeof(found.bytes)) == 0 &&
	       memcmp(found.tag, task->right.tag, sizeof(found.tag)) == 0;
}

int main(void)
{
	static const struct aimed_core cryptomaster = {
		.options = "hash=on,pk_multipliers=256",
		.aims = { "accesses=20", "accesses=80", "rate=1:within=3000",
			  "rate=2:within=20000" },
		.tasks = COUNT(tasks),
		.unit = &unit,
		.tally = tally,
		.prepare = prepare,
		.right = right,
	};

	return aimed_resets(&cryptomaster);
}
