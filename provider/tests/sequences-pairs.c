/* SPDX-License-Identifier: Apache-2.0 */
/* Random sequences of calls for public keys: the keys, and steps with them. */
#include <string.h>

#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/rsa.h>

#include "sequences-keys.h"

static const struct unit *unit;

/* ---- keys ---- */

struct pair sequence_keys[KINDS][2][2];

static EVP_PKEY *generate_rsa(const char *type, int bits, int primes, bool bound)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit->library, type, THEIRS);
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
		return unit_generate(unit, "DH", "modp_1536", THEIRS);
	case OF_DHX:
		return unit_generate(unit, "DHX", "dh_1024_160", THEIRS);
	case OF_EC:
		return unit_generate(unit, "EC", "P-256", THEIRS);
	case OF_EC_SOFT:
		return unit_generate(unit, "EC", "P-224", THEIRS);
	case OF_X25519:
		return unit_generate(unit, "X25519", NULL, THEIRS);
	default:
		return unit_generate(unit, "ED25519", NULL, THEIRS);
	}
}

/* The same parameters for a provider; NULL: it refuses them */
static EVP_PKEY *from_data(const char *type, const char *properties, int selection,
			   OSSL_PARAM params[], int *returned)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit->library, type, properties);
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

void sequence_keys_make(const struct unit *from)
{
	unit = from;
	for (unsigned kind = 0; kind < KINDS; kind++)
		for (unsigned i = 0; i < 2; i++) {
			EVP_PKEY *key = generate(kind);

			sequence_keys[kind][i][1] = pair_of(unit, public_of(key));
			sequence_keys[kind][i][0] = pair_of(unit, key);
		}
}

void sequence_keys_free(void)
{
	for (unsigned i = 0; i < KINDS * 4; i++)
		pair_free(&sequence_keys[i / 4][i / 2 % 2][i % 2]);
}

/* ---- steps with keys ---- */

int sequence_check(struct side *side, const struct choice *choice, struct answer *answer)
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

int sequence_compare(struct side *side, const struct choice *choice, struct answer *answer)
{
	const struct pair
		*pair = &sequence_keys[choice->what % 2 ? choice->kind : choice->other % KINDS]
				      [choice->which % 2][choice->flag % 2];

	(void)answer;
	return choice->size % 2 ? EVP_PKEY_eq(side->key, pair_key(pair, side->here))
				: EVP_PKEY_parameters_eq(side->key, pair_key(pair, side->here));
}

/* Names, types and values of all that is exported */
int sequence_export(struct side *side, const struct choice *choice, struct answer *answer)
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

void sequence_renew(struct side *side, EVP_PKEY *key)
{
	EVP_PKEY_CTX_free(side->context);
	EVP_PKEY_free(side->key);
	side->key = key;
	side->context = EVP_PKEY_CTX_new_from_pkey(unit->library, key, WHOSE(side->here));
	CHECK(side->context);
}

int sequence_copy_key(struct side *side, const struct choice *choice, struct answer *answer)
{
	EVP_PKEY *copy = EVP_PKEY_dup(side->key);

	(void)choice;
	(void)answer;
	if (!copy)
		return 0;
	sequence_renew(side, copy);
	return 1;
}

/* The key by its numbers, of which one may be wrong */
int sequence_import(struct side *side, const struct choice *choice, struct answer *answer)
{
	static const int selections[] = { EVP_PKEY_KEYPAIR, EVP_PKEY_PUBLIC_KEY, EVP_PKEY_KEYPAIR,
					  EVP_PKEY_KEY_PARAMETERS };
	const EVP_PKEY *from = sequence_keys[choice->kind][0][0].theirs;
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
int sequence_set_public(struct side *side, const struct choice *choice, struct answer *answer)
{
	uint8_t *encoded = NULL;
	size_t size = EVP_PKEY_get1_encoded_public_key(sequence_keys[choice->kind][1][0].theirs,
						       &encoded);
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
