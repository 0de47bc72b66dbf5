/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters outside their bounds, one by one: sizes of IVs, tags, keys, MACs and heads of records, places in
 * streams, and bytes that are not there.  Each is refused, and the context can be used afterwards.
 *
 * Ours alone: with some of these the default provider writes beside its own memory.  With sanitizers this test
 * sees that ours does not; without, a message that follows must have the right bytes.
 */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

#include "unit.h"

#define SIZE 64u

static uint8_t key[64], iv[256], text[SIZE];

static OSSL_PARAM bytes(const char *name, void *data, size_t size)
{
	return OSSL_PARAM_construct_octet_string(name, data, size);
}

static EVP_CIPHER_CTX *begin(struct unit *unit, const char *name, const char *whose, bool encrypt)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(unit->library, name, whose);
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();

	CHECK(cipher && context);
	CHECK(EVP_CipherInit_ex2(context, cipher, key, NULL, encrypt, NULL));
	EVP_CIPHER_free(cipher);
	return context;
}

static bool set(EVP_CIPHER_CTX *context, OSSL_PARAM param)
{
	const OSSL_PARAM params[] = { param, OSSL_PARAM_END };

	return EVP_CIPHER_CTX_set_params(context, params) > 0;
}

/* A message with the key that the context has, as the default provider has it; ends the context */
static void same_message(struct unit *unit, EVP_CIPHER_CTX *ours, const char *name)
{
	EVP_CIPHER_CTX *theirs = begin(unit, name, THEIRS, true);
	int size = EVP_CIPHER_CTX_get_iv_length(ours), got;
	EVP_CIPHER_CTX *of[2] = { ours, theirs };
	uint8_t out[2][SIZE];

	if (EVP_CIPHER_CTX_get_iv_length(theirs) != size)
		CHECK(EVP_CIPHER_CTX_ctrl(theirs, EVP_CTRL_AEAD_SET_IVLEN, size, NULL) > 0);
	for (unsigned i = 0; i < 2; i++) {
		/* CCM takes the size of its IV with the key */
		CHECK(EVP_CipherInit_ex2(of[i], NULL, i ? key : NULL, iv, 1, NULL));
		CHECK(EVP_CipherUpdate(of[i], out[i], &got, text, SIZE) && got == SIZE);
		EVP_CIPHER_CTX_free(of[i]);
	}
	CHECK(memcmp(out[0], out[1], SIZE) == 0);
	ERR_clear_error();
}

/* A count has eight bytes, and an IV that is shorter has no room for it */
static void counted_ivs_have_room(struct unit *unit)
{
	for (int size = 1; size <= 128; size++) {
		EVP_CIPHER_CTX *context = begin(unit, "AES-256-GCM", OURS, true);
		uint8_t last[128];
		int made;

		CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, size, NULL) > 0);
		CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_IV_FIXED, -1, iv) > 0);
		made = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_IV_GEN, size, last);
		CHECK((made > 0) == (size >= 8));
		same_message(unit, context, "AES-256-GCM");
	}
}

/* Nor has one that is made shorter after it was given */
static void shorter_ivs_have_none(struct unit *unit)
{
	EVP_CIPHER_CTX *context = begin(unit, "AES-128-GCM", OURS, true);
	uint8_t last[12], record[64] = { 0 }, head[13] = { [12] = 16 };
	int got;

	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_IV_FIXED, 4, iv) > 0);
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 3, NULL) > 0);
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_IV_GEN, 8, last) <= 0);
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_TLS1_AAD, 13, head) > 0);
	CHECK(!EVP_CipherUpdate(context, record, &got, record, 32));
	same_message(unit, context, "AES-128-GCM");
}

static void sizes_of_ivs(struct unit *unit)
{
	static const int gcm[] = { 0, 129, 1024, 0x7fffffff }, ccm[] = { 0, 6, 14, 15, 16, 17 };
	EVP_CIPHER_CTX *context = begin(unit, "AES-128-GCM", OURS, true);

	for (unsigned i = 0; i < COUNT(gcm); i++)
		CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, gcm[i], NULL) <= 0);
	same_message(unit, context, "AES-128-GCM");
	context = begin(unit, "AES-128-CCM", OURS, true);
	for (unsigned i = 0; i < COUNT(ccm); i++)
		CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, ccm[i], NULL) <= 0);
	same_message(unit, context, "AES-128-CCM");
}

/* Fixed and explicit parts of IVs */
static void parts_of_ivs(struct unit *unit)
{
	static const size_t fixed[] = { 0, 3, 5, 11, 12, 13, 200, SIZE_MAX / 2 };
	static const size_t explicit[] = { 13, 16, 128, 200, SIZE_MAX / 2, SIZE_MAX };
	EVP_CIPHER_CTX *context = begin(unit, "AES-128-GCM", OURS, false);

	for (unsigned i = 0; i < COUNT(fixed); i++)
		CHECK(!set(context, bytes(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, iv, fixed[i])));
	CHECK(!set(context, bytes(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, NULL, 4)));
	CHECK(!set(context, bytes(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, NULL, SIZE_MAX)));
	CHECK(set(context, bytes(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, iv, 4)));
	for (unsigned i = 0; i < COUNT(explicit); i++)
		CHECK(!set(context,
			   bytes(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, iv, explicit[i])));
	CHECK(!set(context, bytes(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, NULL, 8)));
	CHECK(set(context, bytes(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, iv, 12)));
	same_message(unit, context, "AES-128-GCM");
	context = begin(unit, "AES-128-CCM", OURS, true);
	for (unsigned i = 0; i < COUNT(fixed); i++)
		CHECK(!set(context, bytes(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, iv, fixed[i])));
	CHECK(!set(context, bytes(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, NULL, 4)));
	same_message(unit, context, "AES-128-CCM");
}

static void tags(struct unit *unit, const char *name)
{
	EVP_CIPHER_CTX *context = begin(unit, name, OURS, false);
	uint8_t tag[64] = { 0 };
	const bool is_ccm = EVP_CIPHER_get_mode(EVP_CIPHER_CTX_get0_cipher(context)) ==
			    EVP_CIPH_CCM_MODE;

	for (size_t size = 0; size <= sizeof(tag); size++) {
		const bool right = is_ccm ? size % 2 == 0 && size >= 4 && size <= 16
					  : size >= 1 && size <= 16;

		CHECK(set(context, bytes(OSSL_CIPHER_PARAM_AEAD_TAG, tag, size)) == right);
	}
	CHECK(!set(context, bytes(OSSL_CIPHER_PARAM_AEAD_TAG, tag, SIZE_MAX)));
	EVP_CIPHER_CTX_free(context);
	ERR_clear_error();
}

static void heads_of_records(struct unit *unit, const char *name)
{
	EVP_CIPHER_CTX *context = begin(unit, name, OURS, false);
	uint8_t head[64] = { 0 };

	for (size_t size = 0; size < sizeof(head); size++) {
		memset(head, 0, sizeof(head));
		/* A length that is right, and one that is less than explicit IV and tag */
		head[11] = 1;
		CHECK(set(context, bytes(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, head, size)) ==
		      (size == 13));
		head[11] = 0;
		CHECK(!set(context, bytes(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, head, size)));
	}
	CHECK(!set(context, bytes(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, NULL, 13)));
	EVP_CIPHER_CTX_free(context);
	ERR_clear_error();
}

/* Records that are shorter than what is around their payload, and elsewhere than in place */
static void records(struct unit *unit, const char *name)
{
	const bool is_gcm = strstr(name, "GCM");
	uint8_t head[13] = { [11] = 1 }, record[64], other[64];
	int around = is_gcm ? 24 : 20, got;

	for (unsigned i = 0; i < 2; i++)
		for (int size = 1; size < 64; size++) {
			EVP_CIPHER_CTX *context = begin(unit, name, OURS, i);
			uint8_t *out = size % 7 == 6 ? other : record;
			bool good;

			memset(record, 0, sizeof(record));
			if (is_gcm)
				CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_IV_FIXED, 4,
							  iv) > 0);
			CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_TLS1_AAD, 13, head) > 0);
			good = EVP_CipherUpdate(context, out, &got, record, size);
			/* What decrypts has a wrong tag */
			CHECK(good == (i && size >= around && out == record));
			EVP_CIPHER_CTX_free(context);
		}
	ERR_clear_error();
}

static void records_of_cbc(struct unit *unit)
{
	static const size_t macs[] = { 65, 1024, SIZE_MAX };
	EVP_CIPHER_CTX *context = begin(unit, "AES-128-CBC", OURS, false);
	unsigned version = 0x0303;
	uint8_t record[1024];
	int got;

	for (unsigned i = 0; i < COUNT(macs); i++) {
		size_t size = macs[i];

		CHECK(!set(context,
			   OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &size)));
	}
	CHECK(set(context, OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version)));
	/* Any length, with MACs of any size: records of random bytes */
	for (size_t mac = 0; mac <= 64; mac++)
		for (int size = 1; size <= 1024; size += size < 80 ? 1 : 59) {
			CHECK(set(context, OSSL_PARAM_construct_size_t(
						   OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &mac)));
			unit_fill(record, sizeof(record));
			if (EVP_CipherUpdate(context, record, &got, record, size))
				CHECK(size % 16 == 0 && got >= 0 && got < size);
		}
	EVP_CIPHER_CTX_free(context);
	ERR_clear_error();
}

static void places_in_streams(struct unit *unit)
{
	static const char *const names[] = { "AES-128-CTR", "AES-128-CFB", "AES-128-OFB" };

	for (unsigned i = 0; i < COUNT(names); i++) {
		EVP_CIPHER_CTX *context = begin(unit, names[i], OURS, true);

		for (unsigned place = 1; place; place <<= 1)
			CHECK(!set(context,
				   OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &place)));
		same_message(unit, context, names[i]);
	}
}

static void names_of_stealing(struct unit *unit)
{
	char names[][5] = { "", "C", "CS", "CS0", "CS4", "CS9", "CS1x", "XS1", "CS/", "CS:" };
	EVP_CIPHER_CTX *context = begin(unit, "AES-128-CBC-CTS", OURS, true);

	for (unsigned i = 0; i < COUNT(names); i++) {
		/* As long as it is, so that it is seen when more is read */
		char *name = OPENSSL_strdup(names[i]);

		CHECK(name && !set(context, OSSL_PARAM_construct_utf8_string(
						    OSSL_CIPHER_PARAM_CTS_MODE, name, 0)));
		OPENSSL_free(name);
	}
	CHECK(!set(context, OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE, NULL, 0)));
	same_message(unit, context, "AES-128-CBC-CTS");
}

/* Room for what is read is too small, or there is none */
static void room(struct unit *unit, const char *name)
{
	static const char *const keys[] = {
		OSSL_CIPHER_PARAM_IV,       OSSL_CIPHER_PARAM_UPDATED_IV,
		OSSL_CIPHER_PARAM_AEAD_TAG, OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN,
		OSSL_CIPHER_PARAM_TLS_MAC,  OSSL_CIPHER_PARAM_CTS_MODE,
		OSSL_CIPHER_PARAM_KEYLEN,   OSSL_CIPHER_PARAM_NUM,
	};
	static const unsigned types[] = { OSSL_PARAM_INTEGER, OSSL_PARAM_UNSIGNED_INTEGER,
					  OSSL_PARAM_UTF8_STRING, OSSL_PARAM_OCTET_STRING };
	EVP_CIPHER_CTX *context = begin(unit, name, OURS, true);

	CHECK(EVP_CipherInit_ex2(context, NULL, NULL, iv, 1, NULL));
	for (unsigned i = 0; i < COUNT(keys) * COUNT(types) * 20; i++) {
		size_t size = i % 20;
		uint8_t *data = OPENSSL_malloc(size + 1);
		OSSL_PARAM params[] = { { keys[i / 20 % COUNT(keys)], types[i / 20 / COUNT(keys)],
					  i % 7 ? data : NULL, size, 0 },
					OSSL_PARAM_END };

		CHECK(data);
		EVP_CIPHER_CTX_get_params(context, params);
		OPENSSL_free(data);
	}
	EVP_CIPHER_CTX_free(context);
	ERR_clear_error();
}

static void keys_of_macs(struct unit *unit, const char *name, const char *below, const char *what,
			 const size_t *right)
{
	EVP_MAC *mac = EVP_MAC_fetch(unit->library, name, OURS);
	EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
	uint8_t many[300] = { 0 }, out[64];
	const OSSL_PARAM none[] = {
		OSSL_PARAM_construct_utf8_string(below, (char *)(uintptr_t)what, 0),
		bytes(OSSL_MAC_PARAM_KEY, NULL, 16),
		OSSL_PARAM_construct_end(),
	};
	size_t got;

	CHECK(mac && context);
	/* A key that is not there is none, and no key of zeros */
	CHECK(!EVP_MAC_init(context, NULL, 0, none));
	CHECK(!EVP_MAC_update(context, many, 1) || !EVP_MAC_final(context, out, &got, 64));
	for (size_t size = 0; size <= sizeof(many); size++) {
		const OSSL_PARAM params[] = { none[0], bytes(OSSL_MAC_PARAM_KEY, many, size),
					      OSSL_PARAM_construct_end() };

		CHECK(EVP_MAC_init(context, NULL, 0, params) == (!right || size == *right));
	}
	EVP_MAC_CTX_free(context);
	EVP_MAC_free(mac);
	ERR_clear_error();
}

/* As EVP_MAC_init() has them all at once, and one by one: the same MAC of a record of TLS */
static void records_of_hmac(struct unit *unit)
{
	uint8_t out[4][64], record[300];
	size_t size = 256, got;

	unit_fill(record, sizeof(record));
	for (unsigned i = 0; i < 4; i++) {
		EVP_MAC *mac = EVP_MAC_fetch(unit->library, "HMAC", i % 2 ? THEIRS : OURS);
		EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
		const OSSL_PARAM digest = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST,
									   (char[]){ "SHA256" }, 0),
				 tls = OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_TLS_DATA_SIZE,
								   &size),
				 end = OSSL_PARAM_construct_end();

		CHECK(mac && context);
		CHECK(EVP_MAC_init(context, key, 32,
				   (const OSSL_PARAM[]){ digest, i < 2 ? tls : end, end }));
		if (i >= 2)
			CHECK(EVP_MAC_CTX_set_params(context, (const OSSL_PARAM[]){ tls, end }));
		CHECK(EVP_MAC_update(context, record, 13));
		CHECK(EVP_MAC_update(context, record + 13, 200));
		CHECK(EVP_MAC_final(context, out[i], &got, sizeof(out[i])) && got == 32);
		CHECK(memcmp(out[i], out[0], 32) == 0);
		EVP_MAC_CTX_free(context);
		EVP_MAC_free(mac);
	}
}

/* SHA-1 is SSL3-SHA1, too: with a master secret, of 48 bytes */
static void secrets_of_ssl3(struct unit *unit)
{
	uint8_t out[2][20];

	for (unsigned i = 0; i < 2; i++) {
		EVP_MD *digest = EVP_MD_fetch(unit->library, "SSL3-SHA1", WHOSE(!i));
		EVP_MD_CTX *context = EVP_MD_CTX_new();

		CHECK(digest && EVP_DigestInit_ex2(context, digest, NULL));
		CHECK(EVP_DigestUpdate(context, text, SIZE));
		for (int size = 0; size < 64; size++)
			CHECK(size == 48 || EVP_MD_CTX_ctrl(context, EVP_CTRL_SSL3_MASTER_SECRET,
							    size, key) <= 0);
		CHECK(EVP_MD_CTX_ctrl(context, EVP_CTRL_SSL3_MASTER_SECRET, 48, key) > 0);
		CHECK(EVP_DigestFinal_ex(context, out[i], NULL));
		EVP_MD_CTX_free(context);
		EVP_MD_free(digest);
	}
	CHECK(memcmp(out[0], out[1], 20) == 0);
	ERR_clear_error();
}

static void all(const char *thresholds)
{
	static const char *const names[] = { "AES-128-ECB",    "AES-128-CBC", "AES-128-CTR",
					     "AES-128-XTS",    "AES-128-GCM", "AES-128-CCM",
					     "AES-128-CBC-CTS" };
	struct unit unit = unit_open("model", thresholds);
	const size_t aes128 = 16;

	counted_ivs_have_room(&unit);
	shorter_ivs_have_none(&unit);
	sizes_of_ivs(&unit);
	parts_of_ivs(&unit);
	for (unsigned i = 4; i < 6; i++) {
		tags(&unit, names[i]);
		heads_of_records(&unit, names[i]);
		records(&unit, names[i]);
	}
	records_of_cbc(&unit);
	places_in_streams(&unit);
	names_of_stealing(&unit);
	for (unsigned i = 0; i < COUNT(names); i++)
		room(&unit, names[i]);
	keys_of_macs(&unit, "CMAC", OSSL_MAC_PARAM_CIPHER, "AES-128-CBC", &aes128);
	keys_of_macs(&unit, "HMAC", OSSL_MAC_PARAM_DIGEST, "SHA256", NULL);
	records_of_hmac(&unit);
	secrets_of_ssl3(&unit);
	unit_close(&unit);
}

int main(void)
{
	unit_fill(key, sizeof(key));
	/* Bytes with which counts run over */
	memset(iv, 0xff, sizeof(iv));
	all("all=1");
	all("all=1000000");
	return 0;
}
