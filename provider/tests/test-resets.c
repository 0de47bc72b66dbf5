/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resets and losses of power aimed at the public-key core while a program uses it: no forged signature is
 * accepted and no good one refused, no secret and no plaintext differs from software's, no wrong signature
 * gets out.
 */
#include <string.h>

#include <openssl/rsa.h>

#include "aimed-resets.h"

#define MOST 512u

/* ---- operations ---- */

struct bytes {
	uint8_t data[MOST];
	size_t size;
};

/* What is done again and again, and what software says of it */
struct task {
	struct aimed_tally tally;
	bool (*right)(const struct task *task);
	EVP_PKEY *ours, *theirs, *peer;
	struct bytes input, good, forged; /* ciphertext; signature, secret or plaintext */
};

static struct unit unit;

static const uint8_t message[32] = { 0xd1, 0x9e, 0x57 };

static bool is_for(const struct task *task, const char *work)
{
	return strcmp(task->tally.work, work) == 0;
}

static const char *digest_of(const struct task *task)
{
	return is_for(task, "ed25519") ? NULL : "SHA256";
}

static int verify(const struct task *task, const struct bytes *signature)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	int verdict;

	CHECK(EVP_DigestVerifyInit_ex(context, NULL, digest_of(task), unit.library, OURS,
				      task->ours, NULL) > 0);
	verdict = EVP_DigestVerify(context, signature->data, signature->size, message,
				   sizeof(message));
	EVP_MD_CTX_free(context);
	return verdict;
}

static bool verifies(const struct task *task)
{
	return verify(task, &task->good) == 1;
}

static bool refuses(const struct task *task)
{
	return verify(task, &task->forged) == 0;
}

static struct bytes sign(const struct task *task, EVP_PKEY *key, const char *properties)
{
	struct bytes signature = { .size = MOST };
	EVP_MD_CTX *context = EVP_MD_CTX_new();

	CHECK(EVP_DigestSignInit_ex(context, NULL, digest_of(task), unit.library, properties, key,
				    NULL) > 0);
	if (EVP_DigestSign(context, signature.data, &signature.size, message, sizeof(message)) <= 0)
		signature.size = 0;
	EVP_MD_CTX_free(context);
	return signature;
}

/* Of RSA and Ed25519, whose signatures are always the same */
static bool signs(const struct task *task)
{
	struct bytes found = sign(task, task->ours, OURS);

	return found.size == task->good.size &&
	       memcmp(found.data, task->good.data, found.size) == 0;
}

static bool signs_anew(const struct task *task)
{
	struct bytes found = sign(task, task->ours, OURS);
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

static bool agrees(const struct task *task)
{
	EVP_PKEY *peer = unit_key(&unit, task->peer, OURS);
	struct bytes found;
	bool good = derive(task->ours, OURS, peer, &found) && found.size == task->good.size &&
		    memcmp(found.data, task->good.data, found.size) == 0;

	EVP_PKEY_free(peer);
	return good;
}

static bool decrypts(const struct task *task)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, task->ours, OURS);
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
static bool generates(const struct task *task)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, task->ours, OURS), *check;
	EVP_PKEY *made = NULL, *copy;
	bool good;

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
	{ .tally = { .name = "ECDSA, a good signature", .work = "ecdsa" }, .right = verifies },
	{ .tally = { .name = "ECDSA, a forged one", .work = "ecdsa" }, .right = refuses },
	{ .tally = { .name = "ECDSA, signing", .work = "ecdsa" }, .right = signs_anew },
	{ .tally = { .name = "Ed25519, a good signature", .work = "ed25519" }, .right = verifies },
	{ .tally = { .name = "Ed25519, a forged one", .work = "ed25519" }, .right = refuses },
	{ .tally = { .name = "Ed25519, signing", .work = "ed25519" }, .right = signs },
	{ .tally = { .name = "RSA, a forged signature", .work = "rsa" }, .right = refuses },
	{ .tally = { .name = "RSA, signing", .work = "rsa" }, .right = signs },
	{ .tally = { .name = "RSA, decryption", .work = "rsa" }, .right = decrypts },
	{ .tally = { .name = "DH", .work = "dh" }, .right = agrees },
	{ .tally = { .name = "DH, a key", .work = "dh" }, .right = generates },
	{ .tally = { .name = "ECDH", .work = "ecdh" }, .right = agrees },
	{ .tally = { .name = "ECDH, a key", .work = "ecdh" }, .right = generates },
	{ .tally = { .name = "X25519", .work = "x25519" }, .right = agrees },
};

/* ---- keys, and what software says ---- */

static EVP_PKEY *make_key(const struct task *task)
{
	if (is_for(task, "rsa"))
		return unit_rsa(&unit, 1024);
	if (is_for(task, "dh"))
		return unit_generate(&unit, "DH", "modp_1536", THEIRS);
	if (is_for(task, "ecdsa") || is_for(task, "ecdh"))
		return EVP_PKEY_Q_keygen(unit.library, THEIRS, "EC", "P-256");
	return EVP_PKEY_Q_keygen(unit.library, THEIRS,
				 is_for(task, "x25519") ? "X25519" : "ED25519");
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

/* ---- aiming ---- */

static struct aimed_tally *tally(unsigned index)
{
	return &tasks[index].tally;
}

static void prepare(unsigned index)
{
	struct task *task = &tasks[index];

	task->theirs = make_key(task);
	CHECK(task->theirs);
	task->ours = unit_key(&unit, task->theirs, OURS);
	if (task->right == agrees) {
		task->peer = make_key(task);
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

static bool right(unsigned index)
{
	return tasks[index].right(&tasks[index]);
}

static void release(unsigned index)
{
	EVP_PKEY_free(tasks[index].ours);
	EVP_PKEY_free(tasks[index].theirs);
	EVP_PKEY_free(tasks[index].peer);
}

int main(void)
{
	static const struct aimed_core public_key = {
		.options =
			"pk_multipliers=256,clock_hz=1000000000,cryptomaster=off,aes=off,hash=off",
		.aims = { "accesses=60", "accesses=400", "rate=1:within=10000",
			  "rate=2:within=200000" },
		.tasks = COUNT(tasks),
		.unit = &unit,
		.tally = tally,
		.prepare = prepare,
		.right = right,
		.release = release,
	};

	return aimed_resets(&public_key);
}
