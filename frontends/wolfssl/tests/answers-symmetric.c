/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Known answers of ciphers, hashes and HMACs, by wolfCrypt with the device on the model: runs the
 * vectors of a file (model/tests/vectors_symmetric.py tells its lines).
 *
 *	answers-symmetric FILE
 *
 * A wrong answer ends it with an error, and so does a kind of which there is no vector, or of which
 * the core did none.
 */
#include <stdio.h>
#include <string.h>

#include "unit.h"
#include "vector.h"

#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/error-crypt.h>
#include <wolfssl/wolfcrypt/hmac.h>

#define ID FIRESTEEL_WOLFSSL_DEVICE_ID

enum { NAME, DIRECTION, KEY, IV, AAD, DATA, EXPECTED, TAG };

static byte out[VECTOR_LARGEST], tag[64];

/* ---- AES ---- */

static bool is_decryption(const struct vector *vector)
{
	return strcmp(vector->word[DIRECTION], "decrypt") == 0;
}

static bool is_forged(const struct vector *vector)
{
	return strcmp(vector->word[EXPECTED], "!") == 0;
}

static void init(Aes *aes, const struct vector *vector, bool gcm, int direction)
{
	const word32 size = (word32)vector->size[KEY];

	CHECK(wc_AesInit(aes, NULL, ID) == 0);
	CHECK((gcm ? wc_AesGcmSetKey(aes, vector->bytes[KEY], size)
		   : wc_AesSetKey(aes, vector->bytes[KEY], size,
				  vector->size[IV] == 16 ? vector->bytes[IV] : NULL, direction)) ==
	      0);
}

typedef int cipher(Aes *aes, byte *to, const byte *from, word32 size);

static void run_cipher(const struct vector *vector, cipher *encrypt, cipher *decrypt)
{
	const bool decryption = is_decryption(vector);
	Aes aes;

	init(&aes, vector, false,
	     decryption && decrypt != wc_AesCtrEncrypt ? AES_DECRYPTION : AES_ENCRYPTION);
	VECTOR_CHECK((decryption ? decrypt : encrypt)(&aes, out, vector->bytes[DATA],
						      (word32)vector->size[DATA]) == 0);
	VECTOR_CHECK(memcmp(out, vector->bytes[EXPECTED], vector->size[DATA]) == 0);
	wc_AesFree(&aes);
}

typedef int seal(Aes *aes, byte *to, const byte *from, word32 size, const byte *iv, word32 iv_size,
		 byte *tag, word32 tag_size, const byte *aad, word32 aad_size);
typedef int unseal(Aes *aes, byte *to, const byte *from, word32 size, const byte *iv,
		   word32 iv_size, const byte *tag, word32 tag_size, const byte *aad,
		   word32 aad_size);

static void run_aead(const struct vector *vector, seal *seal, unseal *unseal, int forged)
{
	const bool gcm = forged == AES_GCM_AUTH_E;
	const word32 size = (word32)vector->size[DATA], iv = (word32)vector->size[IV],
		     aad = (word32)vector->size[AAD], tag_size = (word32)vector->size[TAG];
	int error;
	Aes aes;

	init(&aes, vector, gcm, AES_ENCRYPTION);
	if (is_decryption(vector)) {
		error = unseal(&aes, out, vector->bytes[DATA], size, vector->bytes[IV], iv,
			       vector->bytes[TAG], tag_size, vector->bytes[AAD], aad);
		VECTOR_CHECK(error == (is_forged(vector) ? forged : 0));
	} else {
		VECTOR_CHECK(seal(&aes, out, vector->bytes[DATA], size, vector->bytes[IV], iv, tag,
				  tag_size, vector->bytes[AAD], aad) == 0);
		VECTOR_CHECK(memcmp(tag, vector->bytes[TAG], tag_size) == 0);
	}
	if (!is_forged(vector))
		VECTOR_CHECK(memcmp(out, vector->bytes[EXPECTED], size) == 0);
	wc_AesFree(&aes);
}

/* ---- hashes ---- */

static void run_hash(const struct vector *vector, enum wc_HashType type)
{
	wc_HashAlg hash;

	CHECK(wc_HashInit_ex(&hash, type, NULL, ID) == 0);
	CHECK(wc_HashUpdate(&hash, type, vector->bytes[DATA], (word32)vector->size[DATA]) == 0);
	CHECK(wc_HashFinal(&hash, type, tag) == 0);
	VECTOR_CHECK(memcmp(tag, vector->bytes[TAG], vector->size[TAG]) == 0);
	wc_HashFree(&hash, type);
}

static void run_hmac(const struct vector *vector, enum wc_HashType type)
{
	Hmac hmac;

	CHECK(wc_HmacInit(&hmac, NULL, ID) == 0);
	CHECK(wc_HmacSetKey(&hmac, type, vector->bytes[KEY], (word32)vector->size[KEY]) == 0);
	CHECK(wc_HmacUpdate(&hmac, vector->bytes[DATA], (word32)vector->size[DATA]) == 0);
	CHECK(wc_HmacFinal(&hmac, tag) == 0);
	VECTOR_CHECK(memcmp(tag, vector->bytes[TAG], vector->size[TAG]) == 0);
	wc_HmacFree(&hmac);
}

/* ---- all ---- */

static struct {
	const char *name;
	enum wc_HashType type;
	unsigned tried;
} hashes[] = {
	{ "SHA1", WC_HASH_TYPE_SHA, 0 },      { "SHA224", WC_HASH_TYPE_SHA224, 0 },
	{ "SHA256", WC_HASH_TYPE_SHA256, 0 }, { "SHA384", WC_HASH_TYPE_SHA384, 0 },
	{ "SHA512", WC_HASH_TYPE_SHA512, 0 },
};

static bool is(const struct vector *vector, const char *name)
{
	return strcmp(vector->word[NAME], name) == 0;
}

static bool run_any_hash(const struct vector *vector)
{
	const bool hmac = strncmp(vector->word[NAME], "HMAC-", 5) == 0;

	for (unsigned i = 0; i < COUNT(hashes); i++) {
		if (strcmp(vector->word[NAME] + (hmac ? 5 : 0), hashes[i].name) != 0)
			continue;
		(hmac ? run_hmac : run_hash)(vector, hashes[i].type);
		hashes[i].tried++;
		return true;
	}
	return false;
}

/* wolfCrypt makes no shorter tags, and takes no message of GCM or CCM without */
static bool has_tag(const struct vector *vector, size_t least)
{
	return vector->size[TAG] >= least;
}

static bool run(const struct vector *vector)
{
	if (is(vector, "ECB"))
		run_cipher(vector, wc_AesEcbEncrypt, wc_AesEcbDecrypt);
	else if (is(vector, "CBC"))
		run_cipher(vector, wc_AesCbcEncrypt, wc_AesCbcDecrypt);
	else if (is(vector, "CTR"))
		run_cipher(vector, wc_AesCtrEncrypt, wc_AesCtrEncrypt);
	else if (is(vector, "GCM") && has_tag(vector, 12))
		run_aead(vector, wc_AesGcmEncrypt, wc_AesGcmDecrypt, AES_GCM_AUTH_E);
	else if (is(vector, "CCM") && has_tag(vector, 4))
		run_aead(vector, wc_AesCcmEncrypt, wc_AesCcmDecrypt, AES_CCM_AUTH_E);
	else
		return run_any_hash(vector);
	return true;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: answers-symmetric FILE\n");
		return 2;
	}
	unit_open("model:hash=on", true);
	printf("%u vectors\n", vectors_run(argv[1], run));
	unit_print();
	for (unsigned i = 0; i < COUNT(hashes); i++)
		CHECK(hashes[i].tried > 0);
	for (unsigned i = FIRESTEEL_WOLFSSL_ECB; i <= FIRESTEEL_WOLFSSL_SHA512; i++)
		CHECK(unit_count(i).hardware > 0);
	unit_close();
	return 0;
}
