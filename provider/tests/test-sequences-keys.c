/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random sequences of calls for public keys, in any order and with any controls, beside the default provider's: what
 * is returned, raised and given out is the same.
 *
 *	FIRESTEEL_SEQUENCES_SEED	the first sequence, as a failure names it
 *	FIRESTEEL_SEQUENCES		how many
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/rsa.h>

#include "sequences-keys.h"

#define SEQUENCES 1000u
#define STEPS     18u

static struct unit unit;

/* ---- a sequence ---- */

/* What software has given out last: a signature, a ciphertext or a secret */
static struct {
	uint8_t bytes[ANSWER_MAX];
	size_t size;
} last;

static const size_t sizes[] = { 0, 1, 20, 32, 32, 48, 64, 128, 200 };
static const size_t capacities[] = { 0, 10, 32, 64, 128, ANSWER_MAX, ANSWER_MAX, ANSWER_MAX };

static size_t size_of(const struct choice *choice)
{
	return sizes[choice->size % COUNT(sizes)];
}

/* Where a result goes; no capacity asks for its size */
static uint8_t *out_of(const struct choice *choice, struct answer *answer)
{
	answer->size = capacities[choice->capacity % COUNT(capacities)];
	return answer->size ? answer->out : NULL;
}

/* What is to be verified, decrypted or recovered: the last result, changed perhaps, or anything */
static size_t input_of(const struct choice *choice, uint8_t bytes[ANSWER_MAX])
{
	size_t size = last.size;

	memcpy(bytes, last.bytes, sizeof(last.bytes));
	if (size == 0 || choice->what % 8 == 0) {
		memcpy(bytes, choice->bytes, SEQUENCE_BYTES);
		size = 128;
	}
	if (choice->what % 8 == 1)
		bytes[choice->which % size] ^= 1;
	if (choice->what % 8 == 2)
		size -= choice->which % size;
	return size;
}

static int mode_of(const EVP_PKEY_CTX *context)
{
	int mode = 0;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_int("pad-mode", &mode),
		OSSL_PARAM_construct_end(),
	};

	ERR_set_mark();
	(void)EVP_PKEY_CTX_get_params((EVP_PKEY_CTX *)context, params);
	ERR_pop_to_mark();
	return mode;
}

/* Results that are random: what is the same is that there is one, or also its size */
static void hide(struct answer *answer, bool size)
{
	memset(answer->out, 0, sizeof(answer->out));
	if (size)
		answer->size = 0;
}

static void hide_signature(const struct side *side, const EVP_PKEY_CTX *context,
			   const struct choice *choice, struct answer *answer)
{
	(void)choice;
	if (EVP_PKEY_is_a(side->key, "EC"))
		hide(answer, answer->size != 0);
	else if (EVP_PKEY_is_a(side->key, "RSA-PSS") || mode_of(context) == RSA_PKCS1_PSS_PADDING)
		hide(answer, false);
}

/* Keeps what software has given out */
static void keep(const struct side *side, int returned, const struct answer *answer)
{
	if (side->here || returned <= 0 || answer->size == 0 || answer->size > sizeof(last.bytes))
		return;
	memcpy(last.bytes, answer->out, answer->size);
	last.size = answer->size;
}

/* ---- steps ---- */

static int init(struct side *side, const struct choice *choice, struct answer *answer)
{
	const unsigned what = choice->what % 6;

	(void)answer;
	/* Software of OpenSSL 3.5 begins it, for messages that are hashed already */
	if (what < 2 && EVP_PKEY_is_a(side->key, "ED25519"))
		return 0;
	switch (what) {
	case 0:
		return EVP_PKEY_sign_init(side->context);
	case 1:
		return EVP_PKEY_verify_init(side->context);
	case 2:
		return EVP_PKEY_verify_recover_init(side->context);
	case 3:
		return EVP_PKEY_encrypt_init(side->context);
	case 4:
		return EVP_PKEY_decrypt_init(side->context);
	default:
		return EVP_PKEY_derive_init(side->context);
	}
}

static int sign(struct side *side, const struct choice *choice, struct answer *answer)
{
	uint8_t *out = out_of(choice, answer);
	int returned = EVP_PKEY_sign(side->context, out, &answer->size, choice->bytes,
				     size_of(choice));

	if (out)
		keep(side, returned, answer);
	if (out && returned > 0)
		hide_signature(side, side->context, choice, answer);
	return returned;
}

static int verify(struct side *side, const struct choice *choice, struct answer *answer)
{
	uint8_t bytes[ANSWER_MAX];
	size_t size = input_of(choice, bytes);

	(void)answer;
	return EVP_PKEY_verify(side->context, bytes, size, choice->bytes, size_of(choice));
}

static int recover(struct side *side, const struct choice *choice, struct answer *answer)
{
	uint8_t bytes[ANSWER_MAX], *out = out_of(choice, answer);
	size_t size = input_of(choice, bytes);

	return EVP_PKEY_verify_recover(side->context, out, &answer->size, bytes, size);
}

static int encrypt(struct side *side, const struct choice *choice, struct answer *answer)
{
	uint8_t *out = out_of(choice, answer);
	int returned = EVP_PKEY_encrypt(side->context, out, &answer->size, choice->bytes,
					size_of(choice));

	if (out)
		keep(side, returned, answer);
	if (mode_of(side->context) != RSA_NO_PADDING)
		hide(answer, false);
	return returned;
}

static int decrypt(struct side *side, const struct choice *choice, struct answer *answer)
{
	uint8_t bytes[ANSWER_MAX], *out = out_of(choice, answer);
	size_t size = input_of(choice, bytes);
	int returned = EVP_PKEY_decrypt(side->context, out, &answer->size, bytes, size);

	if (mode_of(side->context) == RSA_PKCS1_WITH_TLS_PADDING)
		hide(answer, false);
	return returned;
}

static int derive(struct side *side, const struct choice *choice, struct answer *answer)
{
	uint8_t *out = out_of(choice, answer);

	return EVP_PKEY_derive(side->context, out, &answer->size);
}

/* A peer of the kind of the key, mostly */
static int set_peer(struct side *side, const struct choice *choice, struct answer *answer)
{
	unsigned kind = choice->what % 8 ? choice->kind : choice->other % KINDS;

	(void)answer;
	return EVP_PKEY_derive_set_peer_ex(
		side->context, pair_key(&sequence_keys[kind][1][choice->which % 2], side->here),
		choice->flag >> 1 & 1);
}

static int copy_context(struct side *side, const struct choice *choice, struct answer *answer)
{
	EVP_PKEY_CTX *copy = EVP_PKEY_CTX_dup(side->context);

	(void)choice;
	(void)answer;
	if (!copy)
		return 0;
	EVP_PKEY_CTX_free(side->context);
	side->context = copy;
	side->copied = true;
	return 1;
}

/* ---- steps with messages ---- */

/* All at once, as it must be with Ed25519: EVP of OpenSSL 3.0 crashes on pieces */
static bool is_whole(const struct side *side, const struct choice *choice)
{
	return choice->flag >> 1 & 1 || EVP_PKEY_is_a(side->key, "ED25519");
}

static int begin_message(struct side *side, const struct choice *choice, struct answer *answer)
{
	static const char *const digests[] = { "SHA256", "SHA256", NULL, "SHA512",
					       "SHA1",   NULL,     "",   "bogus" };
	const char *digest = digests[choice->what % COUNT(digests)];
	EVP_PKEY *key = choice->which % 8 == 0 && side->begun ? NULL : side->key;
	const bool verifies = choice->flag >> 1 & 1;
	int returned;

	(void)answer;
	if (verifies)
		returned = EVP_DigestVerifyInit_ex(side->message, NULL, digest, unit.library,
						   WISHED(side->here), key, NULL);
	else
		returned = EVP_DigestSignInit_ex(side->message, NULL, digest, unit.library,
						 WISHED(side->here), key, NULL);
	side->begun = returned <= 0 ? NOTHING : verifies ? VERIFYING : SIGNING;
	return returned;
}

static int update(struct side *side, const struct choice *choice, struct answer *answer)
{
	(void)answer;
	if (is_whole(side, &(struct choice){ 0 }))
		return 0;
	switch (side->begun) {
	case SIGNING:
		return EVP_DigestSignUpdate(side->message, choice->bytes, size_of(choice));
	case VERIFYING:
		return EVP_DigestVerifyUpdate(side->message, choice->bytes, size_of(choice));
	default:
		return 0;
	}
}

static int sign_message(struct side *side, const struct choice *choice, struct answer *answer)
{
	uint8_t *out = out_of(choice, answer);
	int returned;

	if (side->begun != SIGNING)
		return 0;
	if (is_whole(side, choice))
		returned = EVP_DigestSign(side->message, out, &answer->size, choice->bytes,
					  size_of(choice));
	else
		returned = EVP_DigestSignFinal(side->message, out, &answer->size);
	if (out)
		keep(side, returned, answer);
	if (out && returned > 0)
		hide_signature(side, EVP_MD_CTX_get_pkey_ctx(side->message), choice, answer);
	return returned;
}

static int verify_message(struct side *side, const struct choice *choice, struct answer *answer)
{
	uint8_t bytes[ANSWER_MAX];
	size_t size = input_of(choice, bytes);

	(void)answer;
	if (side->begun != VERIFYING)
		return 0;
	return is_whole(side, choice) ? EVP_DigestVerify(side->message, bytes, size, choice->bytes,
							 size_of(choice))
				      : EVP_DigestVerifyFinal(side->message, bytes, size);
}

static int copy_message(struct side *side, const struct choice *choice, struct answer *answer)
{
	EVP_MD_CTX *copy = EVP_MD_CTX_new();

	(void)choice;
	(void)answer;
	if (!EVP_MD_CTX_copy_ex(copy, side->message)) {
		EVP_MD_CTX_free(copy);
		return 0;
	}
	EVP_MD_CTX_free(side->message);
	side->message = copy;
	side->copied = true;
	return 1;
}

/* ---- all ---- */

static const struct {
	const char *name;
	sequence_step *step;
	unsigned weight;
} steps[] = {
	{ "init", init, 6 },
	{ "control", sequence_control, 8 },
	{ "ask", sequence_ask, 4 },
	{ "ask the key", sequence_ask_key, 2 },
	{ "sign", sign, 3 },
	{ "verify", verify, 3 },
	{ "recover", recover, 3 },
	{ "encrypt", encrypt, 3 },
	{ "decrypt", decrypt, 3 },
	{ "set the peer", set_peer, 4 },
	{ "derive", derive, 4 },
	{ "copy the context", copy_context, 1 },
	{ "begin a message", begin_message, 4 },
	{ "update", update, 3 },
	{ "sign a message", sign_message, 3 },
	{ "verify a message", verify_message, 3 },
	{ "copy the message", copy_message, 1 },
	{ "check", sequence_check, 1 },
	{ "compare", sequence_compare, 1 },
	{ "export", sequence_export, 1 },
	{ "copy the key", sequence_copy_key, 1 },
	{ "import", sequence_import, 1 },
	{ "set the public key", sequence_set_public, 1 },
};

/* What makes sense, between all that does not: so that much succeeds, and the core gets work */
#define PLAN_MAX 6u

static const struct {
	const char *name; /* of the step */
	unsigned what, flag;
} plans[][PLAN_MAX] = {
	{ { "init", 0, 0 }, { "sign", 3, 0 }, { "init", 1, 0 }, { "verify", 3, 0 } },
	{ { "init", 0, 0 }, { "sign", 3, 0 }, { "init", 2, 0 }, { "recover", 3, 0 } },
	{ { "init", 3, 0 }, { "encrypt", 3, 0 }, { "init", 4, 0 }, { "decrypt", 3, 0 } },
	{ { "init", 5, 0 }, { "set the peer", 3, 0 }, { "derive", 3, 0 } },
	{ { "begin a message", 0, 0 },
	  { "update", 0, 0 },
	  { "sign a message", 3, 0 },
	  { "begin a message", 0, 2 },
	  { "update", 0, 0 },
	  { "verify a message", 3, 0 } },
	{ { "begin a message", 2, 0 },
	  { "sign a message", 3, 2 },
	  { "begin a message", 2, 2 },
	  { "verify a message", 3, 2 } },
};

static unsigned find_step(const char *name)
{
	unsigned i = 0;

	while (strcmp(steps[i].name, name) != 0)
		i++;
	return i;
}

static unsigned choose_step(void)
{
	unsigned all = 0, chosen, i;

	for (i = 0; i < COUNT(steps); i++)
		all += steps[i].weight;
	chosen = unit_random(all);
	for (i = 0; chosen >= steps[i].weight; i++)
		chosen -= steps[i].weight;
	return i;
}

/* The next of the plan, or anything */
static unsigned choose(unsigned kind, unsigned plan, unsigned *next, struct choice *choice)
{
	*choice = (struct choice){ kind,
				   unit_random(KINDS),
				   unit_random(1u << 16),
				   unit_random(1u << 16),
				   unit_random(1u << 16),
				   unit_random(1u << 16),
				   unit_random(4),
				   { 0 } };
	/* Few messages, as whoever verifies wants what was signed */
	memset(choice->bytes, (int)unit_random(2), sizeof(choice->bytes));
	if (unit_random(2) || *next == PLAN_MAX || !plans[plan][*next].name)
		return choose_step();
	memset(choice->bytes, 1, sizeof(choice->bytes));
	choice->what = plans[plan][*next].what;
	choice->which = 1;
	choice->size = 3;
	choice->capacity = COUNT(capacities) - 1;
	choice->flag = plans[plan][*next].flag;
	return find_step(plans[plan][(*next)++].name);
}

static struct side begin(const struct pair *pair, bool here)
{
	struct side side = { .here = here, .message = EVP_MD_CTX_new() };
	EVP_PKEY *key = pair_key(pair, here);

	CHECK(side.message && EVP_PKEY_up_ref(key));
	sequence_renew(&side, key);
	return side;
}

static void end(struct side *side)
{
	EVP_MD_CTX_free(side->message);
	EVP_PKEY_CTX_free(side->context);
	EVP_PKEY_free(side->key);
}

static void sequence(unsigned seed)
{
	const unsigned kind = (unit_seed(seed + 1), unit_random(KINDS));
	const struct pair *pair = &sequence_keys[kind][0][unit_random(6) == 0];
	const unsigned plan = unit_random(COUNT(plans));
	unsigned next = 0;
	struct side here = begin(pair, true), there = begin(pair, false);

	last.size = 0;
	for (unsigned i = 0; i < STEPS; i++) {
		struct choice choice;
		const unsigned chosen = choose(kind, plan, &next, &choice);
		struct answer ours, theirs;

		answer_begin(&ours);
		answer_end(&ours, steps[chosen].step(&here, &choice, &ours));
		answer_begin(&theirs);
		answer_end(&theirs, steps[chosen].step(&there, &choice, &theirs));
		answers_compare(&ours, &theirs, "seed %u, %s, step %u: %s, %u, %u", seed,
				EVP_PKEY_get0_type_name(pair->theirs), i, steps[chosen].name,
				choice.which, choice.what);
	}
	end(&here);
	end(&there);
}

static unsigned setting_of(const char *name, unsigned otherwise)
{
	const char *value = getenv(name);

	return value ? (unsigned)strtoul(value, NULL, 0) : otherwise;
}

static void all(const struct setting *setting)
{
	const unsigned first = setting_of("FIRESTEEL_SEQUENCES_SEED", 0);
	const unsigned count = setting_of("FIRESTEEL_SEQUENCES", SEQUENCES);

	sequence_keys_make(&unit);
	for (unsigned i = 0; i < count; i++)
		sequence(first + i);
	if (setting->first && count >= SEQUENCES)
		CHECK(unit_count("rsa", UNIT_HARDWARE) > 0 && unit_count("dh", UNIT_HARDWARE) > 0 &&
		      unit_count("ecdsa", UNIT_HARDWARE) > 0 &&
		      unit_count("x25519", UNIT_HARDWARE) > 0 &&
		      unit_count("ed25519", UNIT_HARDWARE) > 0);
	sequence_keys_free();
}

int main(void)
{
	answers_of_settings(&unit, all, STEPS);
	return 0;
}
