/* SPDX-License-Identifier: Apache-2.0 */
/* Random sequences of calls for public keys: controls, and what is asked for. */
#include <string.h>

#include <openssl/params.h>

#include "sequences-keys.h"

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

/* ---- steps ---- */

/* The context of the key, or of the message */
static EVP_PKEY_CTX *context_of(const struct side *side, const struct choice *choice)
{
	EVP_PKEY_CTX *context = choice->flag & 1 ? EVP_MD_CTX_get_pkey_ctx(side->message) : NULL;

	return context ? context : side->context;
}

/* (the digest of a message) */
static bool is_digest_of_message(const struct side *side, const struct choice *choice,
				 const char *name)
{
	const bool rsa = EVP_PKEY_is_a(side->key, "RSA") || EVP_PKEY_is_a(side->key, "RSA-PSS");

	return rsa && unit_since(3, 6) && strcmp(name, "digest") == 0 &&
	       context_of(side, choice) != side->context;
}

int sequence_control(struct side *side, const struct choice *choice, struct answer *answer)
{
	const struct control *control = &controls[choice->which % COUNT(controls)];
	int number = control->numbers[choice->what % 8];
	OSSL_PARAM params[] = { OSSL_PARAM_construct_int(control->name, &number), OSSL_PARAM_END };

	(void)answer;
	if (is_digest_of_message(side, choice, control->name))
		return 0;
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
			     number ? sizeof(int) : SEQUENCE_BYTES, OSSL_PARAM_UNMODIFIED };
}

static void take_answer(const OSSL_PARAM *param, struct answer *answer)
{
	answer->size = OSSL_PARAM_modified(param) && param->return_size <= SEQUENCE_BYTES
			       ? param->return_size
			       : 0;
}

/* A digest that the key alone allows may be called by the key's own name for it */
static void use_one_name(struct answer *answer)
{
	if (answer->size == 8 && memcmp(answer->out, "SHA2-256", 8) == 0) {
		memcpy(answer->out, "SHA256", 7);
		answer->size = 6;
	}
}

int sequence_ask(struct side *side, const struct choice *choice, struct answer *answer)
{
	OSSL_PARAM params[] = { question_of(choice, answer), OSSL_PARAM_END };
	int returned = 0;

	if (!side->copied || strcmp(params[0].key, "algorithm-id") != 0)
		returned = EVP_PKEY_CTX_get_params(context_of(side, choice), params);
	take_answer(params, answer);
	use_one_name(answer);
	return returned;
}

int sequence_ask_key(struct side *side, const struct choice *choice, struct answer *answer)
{
	OSSL_PARAM params[] = { question_of(choice, answer), OSSL_PARAM_END };
	int returned = EVP_PKEY_get_params(side->key, params);

	take_answer(params, answer);
	return returned;
}
