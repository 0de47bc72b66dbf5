/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/prov_ssl.h>
#include <openssl/rsa.h>

#include "rsa-ways.h"

struct unit unit;

struct rsa_pair rsa_pair(EVP_PKEY *theirs)
{
	struct rsa_pair pair = { .theirs = theirs, .size = (size_t)EVP_PKEY_get_size(theirs) };

	CHECK(pair.size <= RSA_MOST);
	pair.ours = unit_key(&unit, theirs, OURS);
	return pair;
}

void rsa_pair_free(struct rsa_pair *pair)
{
	EVP_PKEY_free(pair->ours);
	EVP_PKEY_free(pair->theirs);
}

static EVP_PKEY_CTX *context_of(EVP_PKEY *key, const char *properties)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, key, properties);

	CHECK(context);
	return context;
}

/* Sets it up as wanted, and says whether that was possible */
static bool set(EVP_PKEY_CTX *context, const struct rsa_way *way)
{
	return EVP_PKEY_CTX_set_rsa_padding(context, way->padding) > 0 &&
	       (!way->digest ||
		EVP_PKEY_CTX_set_signature_md(context, EVP_get_digestbyname(way->digest)) > 0) &&
	       (!way->mask ||
		EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_get_digestbyname(way->mask)) > 0) &&
	       (way->padding != RSA_PKCS1_PSS_PADDING ||
		EVP_PKEY_CTX_set_rsa_pss_saltlen(context, way->salt) > 0);
}

bool rsa_sign(EVP_PKEY *key, const char *properties, const struct rsa_way *way, const uint8_t *in,
	      size_t in_size, uint8_t *out, size_t *size)
{
	EVP_PKEY_CTX *context = context_of(key, properties), *copy;
	bool good;

	CHECK(EVP_PKEY_sign_init(context) > 0);
	good = set(context, way);
	/* A copy is as good */
	copy = EVP_PKEY_CTX_dup(context);
	CHECK(copy);
	EVP_PKEY_CTX_free(context);
	*size = RSA_MOST;
	good = good && EVP_PKEY_sign(copy, out, size, in, in_size) > 0;
	EVP_PKEY_CTX_free(copy);
	return good;
}

bool rsa_verify(EVP_PKEY *key, const char *properties, const struct rsa_way *way, const uint8_t *in,
		size_t in_size, const uint8_t *bytes, size_t size)
{
	EVP_PKEY_CTX *context = context_of(key, properties);
	bool good = EVP_PKEY_verify_init(context) > 0 && set(context, way) &&
		    EVP_PKEY_verify(context, bytes, size, in, in_size) > 0;

	EVP_PKEY_CTX_free(context);
	return good;
}

static bool recover(EVP_PKEY *key, const char *properties, const struct rsa_way *way,
		    const uint8_t *bytes, size_t size, uint8_t *out, size_t *out_size)
{
	EVP_PKEY_CTX *context = context_of(key, properties);
	bool good;

	*out_size = RSA_MOST;
	good = EVP_PKEY_verify_recover_init(context) > 0 && set(context, way) &&
	       EVP_PKEY_verify_recover(context, out, out_size, bytes, size) > 0;
	EVP_PKEY_CTX_free(context);
	return good;
}

/* ---- signatures ---- */

static void same_recovery(const struct rsa_pair *pair, const struct rsa_way *way,
			  const uint8_t *bytes)
{
	uint8_t here[RSA_MOST], there[RSA_MOST];
	size_t size[2];
	bool good;

	if (way->padding == RSA_PKCS1_PSS_PADDING)
		return;
	good = recover(pair->theirs, THEIRS, way, bytes, pair->size, there, &size[0]);
	CHECK(recover(pair->ours, OURS, way, bytes, pair->size, here, &size[1]) == good);
	CHECK(!good || (size[0] == size[1] && memcmp(here, there, size[0]) == 0));
}

/* Both sign and verify, and each verifies what the other has signed */
static void same_signatures(const struct rsa_pair *pair, const struct rsa_way *way,
			    const uint8_t *in, size_t in_size)
{
	uint8_t here[RSA_MOST], there[RSA_MOST];
	size_t size[2];
	bool good = rsa_sign(pair->theirs, THEIRS, way, in, in_size, there, &size[0]);

	CHECK(rsa_sign(pair->ours, OURS, way, in, in_size, here, &size[1]) == good);
	if (!good)
		return;
	CHECK(size[0] == pair->size && size[1] == pair->size);
	if (way->padding != RSA_PKCS1_PSS_PADDING)
		CHECK(memcmp(here, there, pair->size) == 0);
	good = rsa_verify(pair->theirs, THEIRS, way, in, in_size, there, pair->size);
	CHECK(rsa_verify(pair->theirs, THEIRS, way, in, in_size, here, pair->size) == good);
	CHECK(rsa_verify(pair->ours, OURS, way, in, in_size, here, pair->size) == good);
	CHECK(rsa_verify(pair->ours, OURS, way, in, in_size, there, pair->size) == good);
	CHECK(good);
	same_recovery(pair, way, here);
	/* forged */
	here[unit_random((unsigned)pair->size)] ^= (uint8_t)(1 << unit_random(8));
	CHECK(!rsa_verify(pair->ours, OURS, way, in, in_size, here, pair->size));
	same_recovery(pair, way, here);
	CHECK(!rsa_verify(pair->ours, OURS, way, in, in_size, there, pair->size - 1));
	memset(here, 0xff, sizeof(here)); /* more than the modulus */
	CHECK(!rsa_verify(pair->ours, OURS, way, in, in_size, here, pair->size));
	memset(here, 0, sizeof(here));
	CHECK(!rsa_verify(pair->ours, OURS, way, in, in_size, here, pair->size));
	/* another message */
	memcpy(here, in, in_size);
	here[0] ^= 1;
	CHECK(!rsa_verify(pair->ours, OURS, way, here, in_size, there, pair->size));
}

static void signatures(const struct rsa_pair *pair)
{
	static const struct rsa_way ways[] = {
		{ RSA_PKCS1_PADDING, "SHA1", NULL, 0 },
		{ RSA_PKCS1_PADDING, "SHA224", NULL, 0 },
		{ RSA_PKCS1_PADDING, "SHA256", NULL, 0 },
		{ RSA_PKCS1_PADDING, "SHA384", NULL, 0 },
		{ RSA_PKCS1_PADDING, "SHA512", NULL, 0 },
		{ RSA_PKCS1_PADDING, "SHA512-256", NULL, 0 },
		{ RSA_PKCS1_PADDING, "SHA3-256", NULL, 0 },
		{ RSA_PKCS1_PADDING, "MD5", NULL, 0 },
		{ RSA_PKCS1_PADDING, "MD5-SHA1", NULL, 0 },
		{ RSA_PKCS1_PADDING, "RIPEMD160", NULL, 0 },
		{ RSA_PKCS1_PADDING, NULL, NULL, 0 },
		{ RSA_X931_PADDING, "SHA256", NULL, 0 },
		{ RSA_PKCS1_PSS_PADDING, "SHA1", NULL, RSA_PSS_SALTLEN_DIGEST },
		{ RSA_PKCS1_PSS_PADDING, "SHA256", NULL, RSA_PSS_SALTLEN_DIGEST },
		{ RSA_PKCS1_PSS_PADDING, "SHA256", "SHA1", RSA_PSS_SALTLEN_AUTO },
		{ RSA_PKCS1_PSS_PADDING, "SHA384", NULL, RSA_PSS_SALTLEN_MAX },
		{ RSA_PKCS1_PSS_PADDING, "SHA512", "SHA256", RSA_PSS_SALTLEN_AUTO },
		{ RSA_PKCS1_PSS_PADDING, "SHA512", NULL, RSA_PSS_SALTLEN_DIGEST },
		{ RSA_PKCS1_PSS_PADDING, "SHA256", NULL, 0 },
		{ RSA_PKCS1_PSS_PADDING, "SHA256", NULL, 20 },
		{ RSA_PKCS1_PSS_PADDING, "SHA256", NULL, 1000 },
	};
	uint8_t in[64];

	for (unsigned i = 0; i < COUNT(ways); i++) {
		const EVP_MD *digest = ways[i].digest ? EVP_get_digestbyname(ways[i].digest) : NULL;
		size_t size = digest ? (size_t)EVP_MD_get_size(digest) : 1 + unit_random(64);

		unit_fill(in, sizeof(in));
		same_signatures(pair, &ways[i], in, size);
		same_signatures(pair, &ways[i], in, size - 1 + !digest);
	}
}

/* What is signed without padding is a number, which may be too great.  With a key that is not `right`
 * software's answer is another one each time, by its blinding. */
void rsa_raw(const struct rsa_pair *pair, bool right)
{
	static const struct rsa_way way = { RSA_NO_PADDING, NULL, NULL, 0 };
	uint8_t in[RSA_MOST], here[RSA_MOST], there[RSA_MOST];
	size_t size[2];

	for (unsigned i = 0; i < 4; i++) {
		bool good;

		unit_fill(in, sizeof(in));
		in[0] = i == 0 ? 0xff : i == 1 ? 1 : 0;
		if (i == 3)
			memset(in, 0, sizeof(in));
		good = rsa_sign(pair->theirs, THEIRS, &way, in, pair->size, there, &size[0]);
		CHECK(rsa_sign(pair->ours, OURS, &way, in, pair->size, here, &size[1]) == good);
		CHECK(!good || !right || (size[0] == size[1] && memcmp(here, there, size[0]) == 0));
		good = rsa_sign(pair->theirs, THEIRS, &way, in, pair->size - 1, there, &size[0]);
		CHECK(rsa_sign(pair->ours, OURS, &way, in, pair->size - 1, here, &size[1]) == good);
	}
}

/* ---- messages ---- */

static void sign_message(EVP_PKEY *key, const char *properties, bool pss, const uint8_t *in,
			 size_t in_size, uint8_t *out)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new(), *copy = EVP_MD_CTX_new();
	EVP_PKEY_CTX *parameters;
	size_t size, part = in_size / 3;
	bool refused;

	CHECK(EVP_DigestSignInit_ex(context, &parameters, "SHA256", unit.library, properties, key,
				    NULL) > 0);
	if (pss)
		CHECK(EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) > 0 &&
		      EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_DIGEST) > 0);
	/* its digest stays: another one is refused, or ignored (the digest of a message) */
	refused = EVP_PKEY_CTX_set_signature_md(parameters, EVP_sha1()) <= 0;
	CHECK(refused == (strcmp(properties, OURS) == 0 || !unit_since(3, 6)));
	ERR_clear_error();
	CHECK(EVP_DigestSignUpdate(context, in, part) > 0);
	CHECK(EVP_MD_CTX_copy_ex(copy, context));
	CHECK(EVP_DigestSignUpdate(copy, in + part, in_size - part) > 0);
	CHECK(EVP_DigestSignFinal(copy, NULL, &size) > 0);
	CHECK(size == (size_t)EVP_PKEY_get_size(key));
	CHECK(EVP_DigestSignFinal(copy, out, &size) > 0);
	EVP_MD_CTX_free(copy);
	EVP_MD_CTX_free(context);
}

static bool verify_message(EVP_PKEY *key, const char *properties, bool pss, const uint8_t *in,
			   size_t in_size, const uint8_t *bytes)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	EVP_PKEY_CTX *parameters;
	bool good;

	CHECK(EVP_DigestVerifyInit_ex(context, &parameters, "SHA256", unit.library, properties, key,
				      NULL) > 0);
	if (pss)
		CHECK(EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) > 0);
	good = EVP_DigestVerify(context, bytes, (size_t)EVP_PKEY_get_size(key), in, in_size) > 0;
	EVP_MD_CTX_free(context);
	return good;
}

void rsa_messages(const struct rsa_pair *pair)
{
	uint8_t in[5000], here[RSA_MOST], there[RSA_MOST];

	unit_fill(in, sizeof(in));
	for (unsigned pss = 0; pss < 2; pss++) {
		sign_message(pair->ours, OURS, pss, in, sizeof(in), here);
		sign_message(pair->theirs, THEIRS, pss, in, sizeof(in), there);
		CHECK(pss || memcmp(here, there, pair->size) == 0);
		CHECK(verify_message(pair->theirs, THEIRS, pss, in, sizeof(in), here));
		CHECK(verify_message(pair->ours, OURS, pss, in, sizeof(in), there));
		CHECK(verify_message(pair->ours, OURS, pss, in, sizeof(in), here));
		CHECK(!verify_message(pair->ours, OURS, pss, in, sizeof(in) - 1, here));
		CHECK(!verify_message(pair->ours, OURS, !pss, in, sizeof(in), here));
	}
}

/* ---- decryption ---- */

static EVP_PKEY_CTX *decryption(EVP_PKEY *key, const char *properties, int padding,
				const char *digest, const char *label)
{
	EVP_PKEY_CTX *context = context_of(key, properties), *copy;

	CHECK(EVP_PKEY_decrypt_init(context) > 0);
	CHECK(EVP_PKEY_CTX_set_rsa_padding(context, padding) > 0);
	if (digest)
		CHECK(EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_get_digestbyname(digest)) > 0);
	if (label)
		CHECK(EVP_PKEY_CTX_set0_rsa_oaep_label(context, OPENSSL_strdup(label),
						       (int)strlen(label)) > 0);
	copy = EVP_PKEY_CTX_dup(context);
	CHECK(copy);
	EVP_PKEY_CTX_free(context);
	return copy;
}

/* The same comes out, or the same refusal */
static bool same_plaintext(const struct rsa_pair *pair, int padding, const char *digest,
			   const char *label, const uint8_t *in, size_t in_size)
{
	EVP_PKEY_CTX *ours = decryption(pair->ours, OURS, padding, digest, label);
	EVP_PKEY_CTX *theirs = decryption(pair->theirs, THEIRS, padding, digest, label);
	uint8_t here[RSA_MOST], there[RSA_MOST];
	size_t size[2] = { RSA_MOST, RSA_MOST };
	bool good;

	ERR_clear_error();
	good = EVP_PKEY_decrypt(theirs, there, &size[0], in, in_size) > 0;
	CHECK((EVP_PKEY_decrypt(ours, here, &size[1], in, in_size) > 0) == good);
	CHECK(!good || (size[0] == size[1] && memcmp(here, there, size[0]) == 0));
	CHECK(good || ERR_peek_error());
	size[1] = pair->size - 1;
	CHECK(EVP_PKEY_decrypt(ours, here, &size[1], in, in_size) <= 0);
	EVP_PKEY_CTX_free(ours);
	EVP_PKEY_CTX_free(theirs);
	return good;
}

static bool encrypt(EVP_PKEY *key, const char *properties, int padding, const char *digest,
		    const char *label, const uint8_t *in, size_t in_size, uint8_t *out)
{
	EVP_PKEY_CTX *context = context_of(key, properties);
	size_t size = RSA_MOST;
	bool good;

	CHECK(EVP_PKEY_encrypt_init(context) > 0);
	CHECK(EVP_PKEY_CTX_set_rsa_padding(context, padding) > 0);
	if (digest)
		CHECK(EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_get_digestbyname(digest)) > 0);
	if (label)
		CHECK(EVP_PKEY_CTX_set0_rsa_oaep_label(context, OPENSSL_strdup(label),
						       (int)strlen(label)) > 0);
	good = EVP_PKEY_encrypt(context, out, &size, in, in_size) > 0;
	EVP_PKEY_CTX_free(context);
	return good;
}

void rsa_decryptions(const struct rsa_pair *pair)
{
	static const struct {
		int padding;
		const char *digest, *label;
		size_t size;
	} ways[] = {
		{ RSA_PKCS1_PADDING, NULL, NULL, 48 },
		{ RSA_PKCS1_PADDING, NULL, NULL, 0 },
		{ RSA_PKCS1_OAEP_PADDING, NULL, NULL, 32 },
		{ RSA_PKCS1_OAEP_PADDING, "SHA256", NULL, 32 },
		{ RSA_PKCS1_OAEP_PADDING, "SHA256", "a label", 0 },
	};
	uint8_t in[64], crypt[RSA_MOST];

	for (unsigned i = 0; i < COUNT(ways); i++) {
		unit_fill(in, sizeof(in));
		CHECK(encrypt(pair->ours, OURS, ways[i].padding, ways[i].digest, ways[i].label, in,
			      ways[i].size, crypt));
		CHECK(same_plaintext(pair, ways[i].padding, ways[i].digest, ways[i].label, crypt,
				     pair->size));
		/* another padding than that which it has, or none at all */
		for (unsigned j = 0; j < COUNT(ways); j++)
			same_plaintext(pair, ways[j].padding, ways[j].digest, ways[j].label, crypt,
				       pair->size);
		same_plaintext(pair, RSA_NO_PADDING, NULL, NULL, crypt, pair->size);
		crypt[pair->size - 1] ^= 1;
		same_plaintext(pair, ways[i].padding, ways[i].digest, ways[i].label, crypt,
			       pair->size);
		same_plaintext(pair, ways[i].padding, ways[i].digest, ways[i].label, crypt,
			       pair->size - 1);
	}
	memset(crypt, 0xff, sizeof(crypt));
	CHECK(!same_plaintext(pair, RSA_PKCS1_PADDING, NULL, NULL, crypt, pair->size));
}

/* A block as PKCS #1 v1.5 pads it, which is then spoilt in each way that there is */
static void spoilt_padding(const struct rsa_pair *pair)
{
	uint8_t block[RSA_MOST], crypt[RSA_MOST];

	for (unsigned i = 0; i < 16; i++) {
		memset(block, 0x5a, sizeof(block));
		block[0] = 0;
		block[1] = i == 1 ? 1 : 2;
		/* where the padding ends: too early, just long enough, late, at the end, never */
		block[i == 2 ? 9 : i == 3 ? 10 : i == 4 ? pair->size - 1 : 20] = i == 5 ? 1 : 0;
		if (i == 6)
			block[0] = 1;
		if (i == 7)
			block[2] = 0;
		if (i > 7)
			unit_fill(block + 1, pair->size - 1);
		if (!encrypt(pair->theirs, THEIRS, RSA_NO_PADDING, NULL, NULL, block, pair->size,
			     crypt)) {
			ERR_clear_error();
			continue;
		}
		same_plaintext(pair, RSA_PKCS1_PADDING, NULL, NULL, crypt, pair->size);
	}
}

/* ---- TLS ---- */

static bool tls_secret(const struct rsa_pair *pair, const uint8_t *block, unsigned version,
		       unsigned other, uint8_t out[SSL_MAX_MASTER_KEY_LENGTH])
{
	EVP_PKEY_CTX *context = decryption(pair->ours, OURS, RSA_PKCS1_WITH_TLS_PADDING, NULL,
					   NULL);
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_uint(OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION, &version),
		OSSL_PARAM_construct_uint(OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION, &other),
		OSSL_PARAM_construct_end(),
	};
	uint8_t crypt[RSA_MOST];
	size_t size = SSL_MAX_MASTER_KEY_LENGTH;

	CHECK(EVP_PKEY_CTX_set_params(context, params) > 0);
	CHECK(encrypt(pair->theirs, THEIRS, RSA_NO_PADDING, NULL, NULL, block, pair->size, crypt));
	memset(out, 0, size);
	CHECK(EVP_PKEY_decrypt(context, out, &size, crypt, pair->size) > 0);
	CHECK(size == SSL_MAX_MASTER_KEY_LENGTH);
	EVP_PKEY_CTX_free(context);
	return memcmp(out, block + pair->size - size, size) == 0;
}

/* What is wrong gives something random, and no error */
static void tls(const struct rsa_pair *pair)
{
	uint8_t block[RSA_MOST], *secret = block + pair->size - SSL_MAX_MASTER_KEY_LENGTH;
	uint8_t one[SSL_MAX_MASTER_KEY_LENGTH], other[SSL_MAX_MASTER_KEY_LENGTH];

	for (unsigned i = 0; i < 7; i++) {
		bool good;

		memset(block, 0xa5, sizeof(block));
		block[0] = 0;
		block[1] = i == 1 ? 1 : 2;
		secret[-1] = i == 2 ? 1 : 0;
		if (i == 3)
			block[2 + unit_random((unsigned)pair->size - 51)] = 0;
		secret[0] = 3;
		secret[1] = i == 4 ? 2 : i == 5 ? 1 : 3;
		if (i == 6)
			secret[0] = 2;
		good = tls_secret(pair, block, 0x0303, i == 5 ? 0x0301 : 0, one);
		CHECK(good == (i == 0 || i == 5));
		CHECK(tls_secret(pair, block, 0x0303, i == 5 ? 0x0301 : 0, other) == good);
		CHECK((memcmp(one, other, sizeof(one)) == 0) == good);
	}
}

/* ---- all of it ---- */

void rsa_all_ways(const struct rsa_pair *pair)
{
	signatures(pair);
	rsa_raw(pair, true);
	rsa_messages(pair);
	rsa_decryptions(pair);
	spoilt_padding(pair);
	tls(pair);
}
