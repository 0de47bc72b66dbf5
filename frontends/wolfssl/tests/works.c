/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "works.h"

#include <string.h>

#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/error-crypt.h>
#include <wolfssl/wolfcrypt/hmac.h>
#include <wolfssl/wolfcrypt/sha.h>
#include <wolfssl/wolfcrypt/sha256.h>
#include <wolfssl/wolfcrypt/sha512.h>

#define LARGEST 5000u
#define BLOCK   16u

#define WITH    FIRESTEEL_WOLFSSL_DEVICE_ID
#define WITHOUT INVALID_DEVID

static const word32 key_sizes[] = { 16, 24, 32 };

/* ---- ECB, CBC and CTR ---- */

typedef int cipher(Aes *aes, byte *out, const byte *in, word32 size);

static void start(Aes *aes, int device, const byte *key, word32 key_size, int direction)
{
	CHECK(wc_AesInit(aes, NULL, device) == 0);
	CHECK(wc_AesSetKey(aes, key, key_size, key, direction) == 0);
}

/* Several calls, so that what is carried from one to the next counts too */
static void stream(cipher *call, int direction, bool blocks)
{
	static _Thread_local byte in[LARGEST], here[LARGEST], there[LARGEST];
	const word32 key_size = key_sizes[unit_random(3)];
	byte key[32];
	Aes with, without;

	unit_fill(key, sizeof(key));
	start(&with, WITH, key, key_size, direction);
	start(&without, WITHOUT, key, key_size, direction);
	for (unsigned i = 0; i < 4; i++) {
		word32 size = 1 + unit_random(LARGEST - 1);
		bool in_place = unit_random(2);

		if (blocks)
			size = (size + BLOCK - 1) / BLOCK * BLOCK;
		size = size > LARGEST ? LARGEST - LARGEST % BLOCK : size;
		unit_fill(in, size);
		memcpy(here, in, size);
		CHECK(call(&without, there, in, size) == 0);
		CHECK(call(&with, here, in_place ? here : in, size) == 0);
		CHECK(memcmp(here, there, size) == 0);
	}
	wc_AesFree(&with);
	wc_AesFree(&without);
}

/* ---- GCM and CCM ---- */

typedef int seal(Aes *aes, byte *out, const byte *in, word32 size, const byte *iv, word32 iv_size,
		 byte *tag, word32 tag_size, const byte *aad, word32 aad_size);
typedef int unseal(Aes *aes, byte *out, const byte *in, word32 size, const byte *iv, word32 iv_size,
		   const byte *tag, word32 tag_size, const byte *aad, word32 aad_size);

struct aead {
	seal *seal;
	unseal *unseal;
	int (*set_key)(Aes *aes, const byte *key, word32 size);
	int forged; /* wolfCrypt's error */
	word32 least_tag;
};

static const struct aead gcm = { wc_AesGcmEncrypt, wc_AesGcmDecrypt, wc_AesGcmSetKey,
				 AES_GCM_AUTH_E, 12 };
static const struct aead ccm = { wc_AesCcmEncrypt, wc_AesCcmDecrypt, wc_AesCcmSetKey,
				 AES_CCM_AUTH_E, 4 };

/* A message and what it became */
struct sealed {
	byte iv[12], aad[64], in[LARGEST], out[LARGEST], tag[BLOCK];
	word32 size, aad_size, tag_size;
};

static int open_sealed(const struct aead *mode, Aes *aes, struct sealed *sealed, byte *out,
		       bool in_place)
{
	if (in_place)
		memcpy(out, sealed->out, sealed->size);
	return mode->unseal(aes, out, in_place ? out : sealed->out, sealed->size, sealed->iv, 12,
			    sealed->tag, sealed->tag_size, sealed->aad, sealed->aad_size);
}

/* One bit of the text, of the tag or of the associated data is another one */
static void forge(const struct aead *mode, Aes *with, Aes *without, struct sealed *sealed,
		  byte *out)
{
	byte *const parts[] = { sealed->out, sealed->tag, sealed->aad };
	const word32 sizes[] = { sealed->size, sealed->tag_size, sealed->aad_size };

	for (unsigned i = 0; i < COUNT(parts); i++) {
		byte *changed = parts[i] + (sizes[i] ? unit_random(sizes[i]) : 0);
		byte bit = (byte)(1u << unit_random(8));

		if (sizes[i] == 0)
			continue;
		*changed ^= bit;
		CHECK(open_sealed(mode, with, sealed, out, false) == mode->forged);
		CHECK(open_sealed(mode, with, sealed, out, true) == mode->forged);
		CHECK(open_sealed(mode, without, sealed, out, false) == mode->forged);
		*changed ^= bit;
	}
}

static void seal_message(const struct aead *mode, Aes *aes, struct sealed *sealed)
{
	CHECK(mode->seal(aes, sealed->out, sealed->in, sealed->size, sealed->iv, 12, sealed->tag,
			 sealed->tag_size, sealed->aad, sealed->aad_size) == 0);
}

static void message(const struct aead *mode, bool both)
{
	static _Thread_local struct sealed here, there;
	static _Thread_local byte out[LARGEST];
	const word32 key_size = key_sizes[unit_random(3)];
	byte key[32];
	Aes with, without;

	unit_fill(key, sizeof(key));
	unit_fill(&here, sizeof(here));
	here.size = unit_random(LARGEST);
	here.aad_size = unit_random(sizeof(here.aad));
	here.tag_size = unit_random(4) ? 16 : mode->least_tag + 2 * unit_random(2);
	there = here;
	CHECK(wc_AesInit(&with, NULL, WITH) == 0 && mode->set_key(&with, key, key_size) == 0);
	CHECK(wc_AesInit(&without, NULL, WITHOUT) == 0);
	CHECK(mode->set_key(&without, key, key_size) == 0);
	seal_message(mode, both ? &with : &without, &here);
	seal_message(mode, &without, &there);
	CHECK(memcmp(&here, &there, sizeof(here)) == 0);
	for (unsigned i = 0; i < 2; i++) {
		CHECK(open_sealed(mode, &with, &here, out, i) == 0);
		CHECK(memcmp(out, here.in, here.size) == 0);
	}
	forge(mode, &with, &without, &here, out);
	CHECK(memcmp(&here, &there, sizeof(here)) == 0);
	wc_AesFree(&with);
	wc_AesFree(&without);
}

void works_ciphers(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		stream(wc_AesEcbEncrypt, AES_ENCRYPTION, true);
		stream(wc_AesEcbDecrypt, AES_DECRYPTION, true);
		stream(wc_AesCbcEncrypt, AES_ENCRYPTION, true);
		stream(wc_AesCbcDecrypt, AES_DECRYPTION, true);
		stream(wc_AesCtrEncrypt, AES_ENCRYPTION, false);
		stream(wc_AesCtrEncrypt, AES_ENCRYPTION, true);
		message(&gcm, true);
		message(&ccm, true);
	}
}

void works_tags(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		message(&gcm, false);
		message(&ccm, false);
	}
}

/* ---- hashes ---- */

static void hash(enum wc_HashType type)
{
	static _Thread_local byte in[LARGEST];
	byte here[WC_MAX_DIGEST_SIZE], there[WC_MAX_DIGEST_SIZE];
	wc_HashAlg with, without;

	CHECK(wc_HashInit_ex(&with, type, NULL, WITH) == 0);
	CHECK(wc_HashInit_ex(&without, type, NULL, WITHOUT) == 0);
	for (unsigned i = unit_random(6); i > 0; i--) {
		word32 size = unit_random(unit_random(2) ? 200 : LARGEST);

		unit_fill(in, size);
		CHECK(wc_HashUpdate(&with, type, in, size) == 0);
		CHECK(wc_HashUpdate(&without, type, in, size) == 0);
	}
	CHECK(wc_HashFinal(&with, type, here) == 0 && wc_HashFinal(&without, type, there) == 0);
	CHECK(memcmp(here, there, (size_t)wc_HashGetDigestSize(type)) == 0);
	wc_HashFree(&with, type);
	wc_HashFree(&without, type);
}

static void hmac(enum wc_HashType type)
{
	static _Thread_local byte in[LARGEST];
	byte here[WC_MAX_DIGEST_SIZE], there[WC_MAX_DIGEST_SIZE];
	word32 size = unit_random(LARGEST);
	Hmac with, without;

	unit_fill(in, sizeof(in));
	CHECK(wc_HmacInit(&with, NULL, WITH) == 0 && wc_HmacInit(&without, NULL, WITHOUT) == 0);
	CHECK(wc_HmacSetKey(&with, type, in, 40) == 0);
	CHECK(wc_HmacSetKey(&without, type, in, 40) == 0);
	CHECK(wc_HmacUpdate(&with, in, size) == 0 && wc_HmacUpdate(&without, in, size) == 0);
	CHECK(wc_HmacFinal(&with, here) == 0 && wc_HmacFinal(&without, there) == 0);
	CHECK(memcmp(here, there, (size_t)wc_HmacSizeByType(type)) == 0);
	wc_HmacFree(&with);
	wc_HmacFree(&without);
}

void works_hashes(unsigned rounds)
{
	static const enum wc_HashType types[] = { WC_HASH_TYPE_SHA, WC_HASH_TYPE_SHA224,
						  WC_HASH_TYPE_SHA256, WC_HASH_TYPE_SHA384,
						  WC_HASH_TYPE_SHA512 };

	for (unsigned i = 0; i < rounds * COUNT(types); i++) {
		hash(types[i % COUNT(types)]);
		hmac(types[i % COUNT(types)]);
	}
}

void works_all(unsigned rounds)
{
	works_ciphers(rounds);
	works_hashes(rounds);
	works_signatures(rounds);
	works_exchanges(rounds);
}
