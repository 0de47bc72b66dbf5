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

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>

#include "answer.h"

#define SEQUENCES 1000u
#define STEPS     18u
#define MOST      512u

static struct unit unit;

/* ---- keys ---- */

enum {
	OF_RSA,
	OF_RSA_THREE,
	OF_PSS,
	OF_PSS_BOUND,
	OF_DH,
	OF_DHX,
	OF_EC,
	OF_EC_SOFT,
	OF_X25519,
	OF_ED25519,
	KINDS
};

/* Of each kind two, as a whole and as a public key alone */
static struct pair keys[KINDS][2][2];

static EVP_PKEY *generate_rsa(const char *type, int bits, int primes, bool bound)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, type, THEIRS);
	EVP_PKEY *key = NULL;

	CHECK(EVP_PKEY_keygen_init(context) > 0);
	CHECK(EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits) > 0);
	CHECK(EVP_PKEY_CTX_set_rsa_keygen_primes(context, primes) > 0);
	if (bound)
		CHECK(EVP_PKEY_CTX_set_rsa_pss_keygen_md_name(context, "SHA256", NULL) > 0 &&
		      EVP_PKEY_CTX_set_rsa_pss_keygen_mgf1_md_name(context, "SHA256") > 0 &&
		      EVP_PKEY_CTX_set_rsa_pss_keygen_saltlen(context, 20) > 0);
	CHECK(EVP_PKEY_generate(context, &key) > 0);
	EVP_PKEY_CTX_free(context);
	return key;
}

static EVP_PKEY *generate(unsigned kind)
{
	switch (kind) {
	case OF_RSA:
		return generate_rsa("RSA", 1024, 2, false);
	case OF_RSA_THREE:
		return generate_rsa("RSA", 1024, 3, false);
	case OF_PSS:
		return generate_rsa("RSA-PSS", 1024, 2, false);
	case OF_PSS_BOUND:
		return generate_rsa("RSA-PSS", 1024, 2, true);
	case OF_DH:
		return unit_generate(&unit, "DH", "modp_1536", THEIRS);
	case OF_DHX:
		return unit_generate(&unit, "DHX", "dh_1024_160", THEIRS);
	case OF_EC:
		return unit_generate(&unit, "EC", "P-256", THEIRS);
	case OF_EC_SOFT:
		return unit_generate(&unit, "EC", "P-224", THEIRS);
	case OF_X25519:
		return unit_generate(&unit, "X25519", NULL, THEIRS);
	default:
		return unit_generate(&unit, "ED25519", NULL, THEIRS);
	}
}

/* The same parameters for a provider; NULL: it refuses them */
static EVP_PKEY *from_data(const char *type, const char *properties, int selection,
			   OSSL_PARAM params[], int *returned)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, type, properties);
	EVP_PKEY *made = NULL;

	CHECK(context && EVP_PKEY_fromdata_init(context) > 0);
	*returned = EVP_PKEY_fromdata(context, &made, selection, params);
	EVP_PKEY_CTX_free(context);
	return *returned > 0 ? made : NULL;
}

static EVP_PKEY *public_of(const EVP_PKEY *key)
{
	OSSL_PARAM *params = NULL;
	EVP_PKEY *made;
	int returned;

	CHECK(EVP_PKEY_todata(key, EVP_PKEY_PUBLIC_KEY, &params));
	made = from_data(EVP_PKEY_get0_type_name(key), THEIRS, EVP_PKEY_PUBLIC_KEY, params,
			 &returned);
	OSSL_PARAM_free(params);
	return made;
}

static void make_keys(void)
{
	for (unsigned kind = 0; kind < KINDS; kind++)
		for (unsigned i = 0; i < 2; i++) {
			EVP_PKEY *key = generate(kind);

			keys[kind][i][1] = pair_of(&unit, public_of(key));
			keys[kind][i][0] = pair_of(&unit, key);
		}
}

static void free_keys(void)
{
	for (unsigned i = 0; i < KINDS * 4; i++)
		pair_free(&keys[i / 4][i / 2 % 2][i % 2]);
}

/* ---- controls ---- */

enum type { NUMBER, TEXT, BYTES };

#define DIGESTS { "SHA256", "SHA1", "SHA512", "MD5", "SHA3-256", "sha2-256", "", "bogus" }

static const struct control {
	const char *name;
	enum type type;
	int numbers[8];
	const char *texts[8];
} controls[] = {
	{ "pad-mode", NUMBER, { 1, 3, 4, 5, 6, 7, 0, 99 }, { NULL } },
	{ "pad-mode", NUMBER, { 1, 3, 4, 6, 1, 3, 4, 6 }, { NULL } },
	{ "pad-mode", TEXT, { 0 }, { "pkcs1", "pss", "oaep", "none", "x931", "bogus", "", "pss" } },
	{ "digest", TEXT, { 0 }, DIGESTS },
	{ "digest", TEXT, { 0 }, DIGESTS },
	{ "mgf1-digest", TEXT, { 0 }, DIGESTS },
	{ "saltlen", NUMBER, { -1, -2, -3, -4, 0, 20, 32, 1000 }, { NULL } },
	{ "saltlen", TEXT, { 0 }, { "digest", "max", "auto", "10", "bogus", "", "0", "-3" } },
	{ "oaep-label", BYTES, { 0 }, { NULL } },
	{ "tls-client-version", NUMBER, { 0x301, 0x302, 0x303, 0, 1, -1, 0x303, 0x301 }, { NULL } },
	{ "tls-negotiated-version", NUMBER, { 0x301, 0x303, 0, 0, 0, 0, 0, 0 }, { NULL } },
	{ "implicit-rejection", NUMBER, { 0, 1, 2, 0, 1, 0, 1, 0 }, { NULL } },
	{ "pad", NUMBER, { 0, 1, 2, 1, 0, 1, 0, 1 }, { NULL } },
	{ "kdf-type", TEXT, { 0 }, { "", "X963KDF", "X942KDF-ASN1", "bogus", "", "", "", "" } },
	{ "kdf-digest", TEXT, { 0 }, DIGESTS },
	{ "kdf-outlen", NUMBER, { 0, 16, 32, 100, 16, 16, 16, 16 }, { NULL } },
	{ "kdf-ukm", BYTES, { 0 }, { NULL } },
	{ "cekalg", TEXT, { 0 }, { "AES-128-WRAP", "bogus", "", "AES-256-WRAP", "", "", "", "" } },
	{ "ecdh-cofactor-mode", NUMBER, { -1, 0, 1, 2, 0, 1, -1, 3 }, { NULL } },
	{ "nonce-type", NUMBER, { 0, 1, 2, 0, 0, 0, 0, 0 }, { NULL } },
	{ "instance",
	  TEXT,
	  { 0 },
	  { "Ed25519", "Ed25519ctx", "Ed25519ph", "bogus", "", "", "", "" } },
	{ "context-string", BYTES, { 0 }, { NULL } },
	{ "no-such-thing", NUMBER, { 0, 1, 2, 3, 4, 5, 6, 7 }, { NULL } },
};

/* What is asked for, and how */
static const struct {
	const char *name;
	unsigned type;
} questions[] = {
	{ "pad-mode", OSSL_PARAM_INTEGER },
	{ "pad-mode", OSSL_PARAM_UTF8_STRING },
	{ "digest", OSSL_PARAM_UTF8_STRING },
	{ "mgf1-digest", OSSL_PARAM_UTF8_STRING },
	{ "saltlen", OSSL_PARAM_INTEGER },
	{ "saltlen", OSSL_PARAM_UTF8_STRING },
	{ "digest-size", OSSL_PARAM_UNSIGNED_INTEGER },
	{ "algorithm-id", OSSL_PARAM_OCTET_STRING },
	{ "kdf-type", OSSL_PARAM_UTF8_STRING },
	{ "kdf-outlen", OSSL_PARAM_UNSIGNED_INTEGER },
	{ "pad", OSSL_PARAM_UNSIGNED_INTEGER },
	{ "ecdh-cofactor-mode", OSSL_PARAM_INTEGER },
	{ "bits", OSSL_PARAM_INTEGER },
	{ "security-bits", OSSL_PARAM_INTEGER },
	{ "max-size", OSSL_PARAM_INTEGER },
	{ "group", OSSL_PARAM_UTF8_STRING },
	{ "priv", OSSL_PARAM_UNSIGNED_INTEGER },
	{ "pub", OSSL_PARAM_OCTET_STRING },
	{ "n", OSSL_PARAM_UNSIGNED_INTEGER },
	{ "d", OSSL_PARAM_UNSIGNED_INTEGER },
	{ "encoded-pub-key", OSSL_PARAM_OCTET_STRING },
	{ "default-digest", OSSL_PARAM_UTF8_STRING },
	{ "mandatory-digest", OSSL_PARAM_UTF8_STRING },
	{ "no-such-thing", OSSL_PARAM_INTEGER },
};

/* ---- a sequence ---- */

/* What a step chooses; both sides get the same */
struct choice {
	unsigned kind, other, what, which, size, capacity, flag;
	uint8_t bytes[MOST];
};

struct side {
	bool here;
	EVP_PKEY *key; /* its own copy */
	EVP_PKEY_CTX *context; /* of the key */
	EVP_MD_CTX *message;
	bool copied; /* OpenSSL 3.0 then keeps the algorithm's identifier where the first context was */
	enum { NOTHING, SIGNING, VERIFYING } begun; /* EVP crashes on messages that have not */
};

/* What software has given out last: a signature, a ciphertext or a secret */
static struct {
	uint8_t bytes[ANSWER_MAX];
	size_t size;
} last;

/* The context of the key, or of the message */
static EVP_PKEY_CTX *context_of(const struct side *side, const struct choice *choice)
{
	EVP_PKEY_CTX *context = choice->flag & 1 ? EVP_MD_CTX_get_pkey_ctx(side->message) : NULL;

	return context ? context : side->context;
}

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
		memcpy(bytes, choice->bytes, MOST);
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

typedef int step(struct side *side, const struct choice *choice, struct answer *answer);

static int init(struct side *side, const struct choice *choice, struct answer *answer)
{
	(void)answer;
	switch (choice->what % 6) {
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

static int control(struct side *side, const struct choice *choice, struct answer *answer)
{
	const struct control *control = &controls[choice->which % COUNT(controls)];
	int number = control->numbers[choice->what % 8];
	OSSL_PARAM params[] = { OSSL_PARAM_construct_int(control->name, &number), OSSL_PARAM_END };

	(void)answer;
	if (control->type == TEXT)
		params[0] = OSSL_PARAM_construct_utf8_string(
			control->name, (char *)control->texts[choice->what % 8], 0);
	if (control->type == BYTES)
		params[0] = OSSL_PARAM_construct_octet_string(control->name, (void *)choice->bytes,
							      choice->size % 20);
	return EVP_PKEY_CTX_set_params(context_of(side, choice), params);
}

static OSSL_PARAM question_of(const struct choice *choice, struct answer *answer)
{
	unsigned which = choice->which % COUNT(questions);
	bool number = questions[which].type == OSSL_PARAM_INTEGER;

	return (OSSL_PARAM){ questions[which].name, questions[which].type, answer->out,
			     number ? sizeof(int) : MOST, OSSL_PARAM_UNMODIFIED };
}

static void take_answer(const OSSL_PARAM *param, struct answer *answer)
{
	answer->size = OSSL_PARAM_modified(param) && param->return_size <= MOST ? param->return_size
										: 0;
}

static int ask(struct side *side, const struct choice *choice, struct answer *answer)
{
	OSSL_PARAM params[] = { question_of(choice, answer), OSSL_PARAM_END };
	int returned = 0;

	if (!side->copied || strcmp(params[0].key, "algorithm-id") != 0)
		returned = EVP_PKEY_CTX_get_params(context_of(side, choice), params);
	take_answer(params, answer);
	return returned;
}

static int ask_key(struct side *side, const struct choice *choice, struct answer *answer)
{
	OSSL_PARAM params[] = { question_of(choice, answer), OSSL_PARAM_END };
	int returned = EVP_PKEY_get_params(side->key, params);

	take_answer(params, answer);
	return returned;
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
	return EVP_PKEY_derive_set_peer_ex(side->context,
					   pair_key(&keys[kind][1][choice->which % 2], side->here),
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
						   WHOSE(side->here), key, NULL);
	else
		returned = EVP_DigestSignInit_ex(side->message, NULL, digest, unit.library,
						 WHOSE(side->here), key, NULL);
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

/* ---- steps with keys ---- */

static int check(struct side *side, const struct choice *choice, struct answer *answer)
{
	static int (*const checks[])(EVP_PKEY_CTX *) = {
		EVP_PKEY_check,
		EVP_PKEY_param_check,
		EVP_PKEY_param_check_quick,
		EVP_PKEY_public_check,
		EVP_PKEY_private_check,
		EVP_PKEY_pairwise_check,
		EVP_PKEY_public_check_quick,
	};

	(void)answer;
	return checks[choice->what % COUNT(checks)](side->context);
}

static int compare(struct side *side, const struct choice *choice, struct answer *answer)
{
	const struct pair *pair = &keys[choice->what % 2 ? choice->kind : choice->other % KINDS]
				       [choice->which % 2][choice->flag % 2];

	(void)answer;
	return choice->size % 2 ? EVP_PKEY_eq(side->key, pair_key(pair, side->here))
				: EVP_PKEY_parameters_eq(side->key, pair_key(pair, side->here));
}

/* Names, types and values of all that is exported */
static int export_key(struct side *side, const struct choice *choice, struct answer *answer)
{
	static const int selections[] = { EVP_PKEY_KEYPAIR,
					  EVP_PKEY_PUBLIC_KEY,
					  EVP_PKEY_KEY_PARAMETERS,
					  OSSL_KEYMGMT_SELECT_PRIVATE_KEY,
					  OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS,
					  0 };
	OSSL_PARAM *params = NULL;
	int returned = EVP_PKEY_todata(side->key, selections[choice->what % COUNT(selections)],
				       &params);
	EVP_MD_CTX *hash = EVP_MD_CTX_new();

	CHECK(EVP_DigestInit_ex(hash, EVP_sha256(), NULL));
	for (OSSL_PARAM *param = params; param && param->key; param++)
		CHECK(EVP_DigestUpdate(hash, param->key, strlen(param->key)) &&
		      EVP_DigestUpdate(hash, param->data, param->data_size));
	CHECK(EVP_DigestFinal_ex(hash, answer->out, NULL));
	answer->size = 32;
	EVP_MD_CTX_free(hash);
	OSSL_PARAM_free(params);
	return returned;
}

static void renew(struct side *side, EVP_PKEY *key)
{
	EVP_PKEY_CTX_free(side->context);
	EVP_PKEY_free(side->key);
	side->key = key;
	side->context = EVP_PKEY_CTX_new_from_pkey(unit.library, key, WHOSE(side->here));
	CHECK(side->context);
}

static int copy_key(struct side *side, const struct choice *choice, struct answer *answer)
{
	EVP_PKEY *copy = EVP_PKEY_dup(side->key);

	(void)choice;
	(void)answer;
	if (!copy)
		return 0;
	renew(side, copy);
	return 1;
}

/* The key by its numbers, of which one may be wrong */
static int import_key(struct side *side, const struct choice *choice, struct answer *answer)
{
	static const int selections[] = { EVP_PKEY_KEYPAIR, EVP_PKEY_PUBLIC_KEY, EVP_PKEY_KEYPAIR,
					  EVP_PKEY_KEY_PARAMETERS };
	const EVP_PKEY *from = keys[choice->kind][0][0].theirs;
	OSSL_PARAM *params = NULL, *param;
	EVP_PKEY *made;
	int returned;

	(void)answer;
	CHECK(EVP_PKEY_todata(from, EVP_PKEY_KEYPAIR, &params));
	param = OSSL_PARAM_locate(params, choice->what % 2 ? "priv" : "pub");
	if (choice->which % 4 == 0 && param)
		((uint8_t *)param->data)[0] ^= 1;
	made = from_data(EVP_PKEY_get0_type_name(from), WHOSE(side->here),
			 selections[choice->size % COUNT(selections)], params, &returned);
	EVP_PKEY_free(made);
	OSSL_PARAM_free(params);
	return returned;
}

/* A public key as a peer sends it, to a copy of the key */
static int set_public(struct side *side, const struct choice *choice, struct answer *answer)
{
	uint8_t *encoded = NULL;
	size_t size = EVP_PKEY_get1_encoded_public_key(keys[choice->kind][1][0].theirs, &encoded);
	EVP_PKEY *copy = EVP_PKEY_dup(side->key);
	int returned = 0;

	(void)answer;
	ERR_clear_error();
	if (size > 0 && choice->what % 3 == 0)
		encoded[choice->which % size] ^= 1;
	if (copy && size > 0)
		returned = EVP_PKEY_set1_encoded_public_key(copy, encoded, size - choice->flag % 2);
	OPENSSL_free(encoded);
	EVP_PKEY_free(copy);
	return returned;
}

/* ---- all ---- */

static const struct {
	const char *name;
	step *step;
	unsigned weight;
} steps[] = {
	{ "init", init, 6 },
	{ "control", control, 8 },
	{ "ask", ask, 4 },
	{ "ask the key", ask_key, 2 },
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
	{ "check", check, 1 },
	{ "compare", compare, 1 },
	{ "export", export_key, 1 },
	{ "copy the key", copy_key, 1 },
	{ "import", import_key, 1 },
	{ "set the public key", set_public, 1 },
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
	renew(&side, key);
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
	const struct pair *pair = &keys[kind][0][unit_random(6) == 0];
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

	make_keys();
	for (unsigned i = 0; i < count; i++)
		sequence(first + i);
	if (setting->first && count >= SEQUENCES)
		CHECK(unit_count("rsa", UNIT_HARDWARE) > 0 && unit_count("dh", UNIT_HARDWARE) > 0 &&
		      unit_count("ecdsa", UNIT_HARDWARE) > 0 &&
		      unit_count("x25519", UNIT_HARDWARE) > 0 &&
		      unit_count("ed25519", UNIT_HARDWARE) > 0);
	free_keys();
}

int main(void)
{
	answers_of_settings(&unit, all, STEPS);
	return 0;
}
