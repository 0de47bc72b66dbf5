/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ciphers: beginnings, pieces, ends, copies and parameters in any order.
 *
 * A sequence ends at the first call that fails, which must fail with both: what contexts do after an
 * error is not said anywhere.
 */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "input.h"

#define STEPS    40u
#define PIECE    700
#define CAPACITY (PIECE + 64)
#define VALUE    40u
#define COUNT    (sizeof(names) / sizeof(*names))

static const char *const names[] = {
	"AES-128-ECB", "AES-256-CBC", "AES-128-CTR", "AES-192-CFB",
	"AES-128-OFB", "AES-256-GCM", "AES-128-GCM", "AES-128-CCM",
	"AES-256-CCM", "AES-128-XTS", "AES-256-XTS", "AES-128-CBC-CTS",
};

struct pair {
	EVP_CIPHER_CTX *contexts[2];
	unsigned mode;
	bool decrypt, has_iv;
	bool told, associated; /* CCM: the length; associated data */
	bool resized; /* CCM: the IV, since there was a key */
	bool tagged; /* there is a tag to compare with */
	bool ended; /* a message, and perhaps another has begun */
};

/* ---- beginning ---- */

/* Half of the keys of XTS must not be the same */
static void take_key(struct input *in, uint8_t key[64])
{
	memset(key, take_byte(in), 64);
	for (unsigned i = 0; i < 64; i++)
		key[i] = (uint8_t)(key[i] + i);
}

static bool begin(struct input *in, struct pair *pair, EVP_CIPHER *const ciphers[2])
{
	uint8_t key[64], iv[EVP_MAX_IV_LENGTH + 112];
	unsigned how = take_byte(in);
	/* The default provider's CCM takes the size of its IV from the time when it got its key */
	bool keyed = ciphers[0] || how & 1 || pair->resized, with_iv = ciphers[0] || how & 2;
	int good[2], decrypt = how & 4 ? -1 : (how >> 3) & 1;

	/* By the default provider a new direction with the old key gives nonsense, and so does a new key
	 * with the old IV in the midst of GCM */
	if (!keyed)
		decrypt = -1;
	if (pair->mode == EVP_CIPH_GCM_MODE)
		with_iv |= keyed;
	if (ciphers[0] && decrypt < 0)
		decrypt = 0;
	take_key(in, key);
	memset(iv, take_byte(in), sizeof(iv));
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_CipherInit_ex2(pair->contexts[i], ciphers[i], keyed ? key : NULL,
					     with_iv ? iv : NULL, decrypt < 0 ? -1 : !decrypt,
					     NULL);
	fuzz_trace("init: key %d, IV %d, decrypt %d: %d, %d", keyed, with_iv, decrypt, good[0],
		   good[1]);
	demand(good[0] == good[1]);
	if (decrypt >= 0)
		pair->decrypt = decrypt;
	pair->resized &= !keyed;
	pair->has_iv |= with_iv;
	return good[0];
}

/* ---- pieces ---- */

/*
 * After the payload, or the end, which may stand for an empty one, CCM has only its tag to give; the default
 * provider lets a nonce be used again
 */
static bool is_over(struct pair *pair)
{
	uint8_t tags[2][16] = { { 0 } };
	int good[2], size = EVP_CIPHER_CTX_get_tag_length(pair->contexts[1]);

	if (pair->mode != EVP_CIPH_CCM_MODE)
		return false;
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_CIPHER_CTX_ctrl(pair->contexts[i], EVP_CTRL_AEAD_GET_TAG, size,
					      tags[i]);
	fuzz_trace("tag: %d bytes: %d, %d", size, good[0], good[1]);
	demand(good[0] == good[1]);
	demand(memcmp(tags[0], tags[1], sizeof(tags[0])) == 0);
	return true;
}

static bool update(struct input *in, struct pair *pair)
{
	static uint8_t text[2][CAPACITY], out[2][CAPACITY];
	int size = take_byte(in) * 3 % PIECE, got[2] = { 0 }, good[2];
	unsigned how = take_byte(in);
	bool in_place = how & 1,
	     associated = pair->mode == EVP_CIPH_GCM_MODE || pair->mode == EVP_CIPH_CCM_MODE;

	/* CCM has all of it at once, and does not check that */
	associated &= how % 5 == 1 && !pair->associated;
	pair->associated |= associated && pair->mode == EVP_CIPH_CCM_MODE;
	pair->told |= pair->mode == EVP_CIPH_CCM_MODE;

	size = how & 8 ? size / 16 * 16 : size;
	/* What was kept of a block before comes out first, over what is not yet read */
	if (pair->mode == EVP_CIPH_CBC_MODE || pair->mode == EVP_CIPH_ECB_MODE)
		in_place = false;
	for (unsigned i = 0; i < 2; i++) {
		memset(text[i], how, sizeof(text[i]));
		memset(out[i], 0, sizeof(out[i]));
	}
	for (unsigned i = 0; i < 2; i++) {
		uint8_t *to = in_place ? text[i] : out[i];

		good[i] = EVP_CipherUpdate(pair->contexts[i], associated ? NULL : to, &got[i],
					   text[i], size);
	}
	fuzz_trace("update: %d bytes, in place %d, associated %d: %d, %d", size, in_place,
		   associated, good[0], good[1]);
	demand(good[0] == good[1]);
	if (!good[0])
		return false;
	demand(got[0] == got[1]);
	demand(memcmp(in_place ? text[0] : out[0], in_place ? text[1] : out[1], (size_t)got[0]) ==
	       0);
	return associated || !is_over(pair);
}

static bool total(struct input *in, struct pair *pair)
{
	int size = take_byte(in) * 3 % PIECE, got[2] = { 0 }, good[2];

	/* After associated data a length makes the default provider forget that there were any */
	if (pair->mode != EVP_CIPH_CCM_MODE || pair->associated)
		return true;
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_CipherUpdate(pair->contexts[i], NULL, &got[i], NULL, size);
	pair->told = true;
	fuzz_trace("total: %d bytes: %d, %d", size, good[0], good[1]);
	demand(good[0] == good[1] && got[0] == got[1]);
	return good[0];
}

static bool whole_call(struct input *in, struct pair *pair)
{
	static uint8_t text[PIECE], out[2][CAPACITY];
	unsigned size = take_byte(in) * 3u % PIECE;
	int got[2];

	if (pair->mode == EVP_CIPH_CBC_MODE || pair->mode == EVP_CIPH_ECB_MODE)
		size = size / 16 * 16;
	/* By the default provider this is CBC without stealing */
	if (EVP_CIPHER_get_flags(EVP_CIPHER_CTX_get0_cipher(pair->contexts[0])) & EVP_CIPH_FLAG_CTS)
		return true;
	memset(text, take_byte(in), sizeof(text));
	memset(out, 0, sizeof(out));
	for (unsigned i = 0; i < 2; i++)
		got[i] = EVP_Cipher(pair->contexts[i], out[i], text, size);
	fuzz_trace("EVP_Cipher: %u bytes: %d, %d", size, got[0], got[1]);
	demand(got[0] == got[1]);
	demand(got[0] <= 0 || memcmp(out[0], out[1], (size_t)got[0]) == 0);
	return got[0] > 0 && !is_over(pair);
}

/* The tag that an encryption has just made */
static void compare_tags(struct pair *pair)
{
	uint8_t tags[2][16] = { { 0 } };

	if (pair->mode != EVP_CIPH_GCM_MODE || pair->decrypt)
		return;
	for (unsigned i = 0; i < 2; i++)
		demand(EVP_CIPHER_CTX_ctrl(pair->contexts[i], EVP_CTRL_AEAD_GET_TAG, 16, tags[i]) >
		       0);
	demand(memcmp(tags[0], tags[1], sizeof(tags[0])) == 0);
}

/* Whether an end is not compared: the default provider takes another message's tag for this one's */
static bool wrong_tag(const struct pair *pair)
{
	/* It compares with the tag of a message that it has encrypted before */
	if (pair->mode == EVP_CIPH_GCM_MODE)
		return pair->decrypt && !pair->tagged;
	/* With a tag from when it decrypted, that of 3.5.9 takes an encryption for done: its tag is zeros */
	return pair->mode == EVP_CIPH_CCM_MODE && !pair->decrypt && pair->tagged;
}

static bool end(struct pair *pair)
{
	uint8_t out[2][EVP_MAX_BLOCK_LENGTH] = { { 0 } };
	int got[2] = { 0 }, good[2];

	if (wrong_tag(pair))
		return true;
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_CipherFinal_ex(pair->contexts[i], out[i], &got[i]);
	fuzz_trace("final: %d, %d", good[0], good[1]);
	demand(good[0] == good[1]);
	if (!good[0])
		return false;
	demand(got[0] == got[1] && memcmp(out[0], out[1], (size_t)got[0]) == 0);
	compare_tags(pair);
	pair->ended = true;
	return !is_over(pair);
}

/* Before 3.5.9 the default provider takes EVP_Cipher() without input for done, whatever was told before */
static bool takes_any_end_of_ccm(void)
{
	unsigned major = OPENSSL_version_major(), minor = OPENSSL_version_minor();

	return major < 3 ||
	       (major == 3 && (minor < 5 || (minor == 5 && OPENSSL_version_patch() < 9)));
}

/* EVP_Cipher() without input is another end of a message, or tells CCM its length */
static bool whole_end(struct input *in, struct pair *pair)
{
	uint8_t out[2][PIECE];
	unsigned how = take_byte(in), size = how & 1 ? take_byte(in) : 0;
	int got[2];

	if (pair->mode != EVP_CIPH_GCM_MODE && pair->mode != EVP_CIPH_CCM_MODE)
		return true;
	/* The default provider's GCM says that it gave as many bytes as it was told of */
	if (pair->mode == EVP_CIPH_GCM_MODE)
		size = 0;
	if (wrong_tag(pair))
		return true;
	if (pair->mode == EVP_CIPH_CCM_MODE && takes_any_end_of_ccm())
		return true;
	for (unsigned i = 0; i < 2; i++)
		got[i] = EVP_Cipher(pair->contexts[i], how & 2 ? out[i] : NULL, NULL, size);
	fuzz_trace("EVP_Cipher: no input, %u bytes, output %u: %d, %d", size, how & 2, got[0],
		   got[1]);
	demand(got[0] == got[1]);
	if (got[0] < 0)
		return false;
	compare_tags(pair);
	pair->ended = true;
	return !is_over(pair);
}

static bool copy(struct pair *pair)
{
	for (unsigned i = 0; i < 2; i++) {
		EVP_CIPHER_CTX *other = EVP_CIPHER_CTX_new();

		demand(other && EVP_CIPHER_CTX_copy(other, pair->contexts[i]));
		EVP_CIPHER_CTX_free(pair->contexts[i]);
		pair->contexts[i] = other;
	}
	return true;
}

/* ---- counted IVs ---- */

static bool control_iv(struct pair *pair, int which, int size, uint8_t *const ivs[2])
{
	int good[2];

	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_CIPHER_CTX_ctrl(pair->contexts[i], which, size, ivs[i]);
	fuzz_trace("IV control %d, %d bytes: %d, %d", which, size, good[0], good[1]);
	demand(good[0] == good[1]);
	pair->has_iv |= good[0] > 0;
	return good[0] > 0;
}

/*
 * Of GCM.  Beside the bounds of an IV the default provider writes into what lies there, so that these are not
 * tried; and a fixed part of an encryption makes the rest at random.
 */
static bool count_ivs(struct input *in, struct pair *pair)
{
	int has = EVP_CIPHER_CTX_get_iv_length(pair->contexts[1]), size = take_below(in, 16);
	uint8_t ivs[2][128];
	uint8_t *const of[2] = { ivs[0], ivs[1] };
	bool good;

	if (pair->mode != EVP_CIPH_GCM_MODE || size > has)
		return true;
	memset(ivs, take_byte(in), sizeof(ivs));
	switch (take_below(in, 3)) {
	case 0:
		return control_iv(pair, EVP_CTRL_GCM_SET_IV_FIXED, pair->decrypt ? size : -1, of);
	case 1:
		return control_iv(pair, EVP_CTRL_GCM_SET_IV_INV, size, of);
	default:
		if (has < 8)
			return true;
		good = control_iv(pair, EVP_CTRL_GCM_IV_GEN, size, of);
		demand(memcmp(ivs[0], ivs[1], sizeof(ivs[0])) == 0);
		return good;
	}
}

/* ---- parameters ---- */

/*
 * Not the key's length, with which the default provider refuses keys then; and not where a stream stands
 * in its block (provider/README.md).
 */
static const char *const set_keys[] = {
	OSSL_CIPHER_PARAM_PADDING,
	OSSL_CIPHER_PARAM_CTS_MODE,
	OSSL_CIPHER_PARAM_AEAD_TAG,
	OSSL_CIPHER_PARAM_AEAD_IVLEN,
	OSSL_CIPHER_PARAM_AEAD_TAG,
	OSSL_CIPHER_PARAM_AEAD_TAG,
	OSSL_CIPHER_PARAM_AEAD_IVLEN,
	OSSL_CIPHER_PARAM_AEAD_TLS1_AAD,
	OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV,
	"nonsense",
};

static const char *const get_keys[] = {
	OSSL_CIPHER_PARAM_KEYLEN,      OSSL_CIPHER_PARAM_IVLEN,
	OSSL_CIPHER_PARAM_PADDING,     OSSL_CIPHER_PARAM_IV,
	OSSL_CIPHER_PARAM_UPDATED_IV,  OSSL_CIPHER_PARAM_AEAD_TAG,
	OSSL_CIPHER_PARAM_AEAD_TAGLEN, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD,
	OSSL_CIPHER_PARAM_CTS_MODE,    "nonsense",
};

/* One of any type and size, with data or without */
static OSSL_PARAM take_param(struct input *in, const char *key, uint8_t data[VALUE])
{
	static const unsigned types[] = { OSSL_PARAM_INTEGER, OSSL_PARAM_UNSIGNED_INTEGER,
					  OSSL_PARAM_UTF8_STRING, OSSL_PARAM_OCTET_STRING };
	static const size_t sizes[] = { 4, 8, 12, 13, 16 };
	unsigned how = take_byte(in);
	OSSL_PARAM param = { key, types[how % 4], data, 0, OSSL_PARAM_UNMODIFIED };
	size_t number = take_byte(in);

	memset(data, 0, VALUE);
	param.data_size = how & 128 ? take_below(in, VALUE) : sizes[how / 4 % 5];
	if (param.data_type == OSSL_PARAM_UTF8_STRING && how & 64) {
		/* CTS modes have names */
		memcpy(data, "CS1", 3);
		data[2] = (uint8_t)('0' + number % 5);
		param.data_size = 3;
	} else if (how % 4 < 2) {
		param.data_size = how & 16 ? 4 : 8;
		memcpy(data, &number, sizeof(number));
	} else {
		memset(data, (int)number, param.data_size);
	}
	return param;
}

static bool set(struct input *in, struct pair *pair)
{
	static const char *const *keys = set_keys;
	uint8_t data[2][VALUE], again[2][VALUE];
	OSSL_PARAM params[3] = { OSSL_PARAM_END, OSSL_PARAM_END, OSSL_PARAM_END };
	unsigned count = take_below(in, 4) ? 1 : 2;
	int good[2];

	for (unsigned i = 0; i < count; i++) {
		params[i] = take_param(in, keys[take_below(in, 10)], data[i]);
		memcpy(again[i], data[i], VALUE);
		fuzz_param = params[i];
	}
	if (count == 2 && strcmp(params[0].key, params[1].key) == 0)
		return true; /* one key twice: versions of libcrypto differ */
	for (unsigned i = 0; i < count; i++)
		if (strcmp(params[i].key, OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV) == 0 &&
		    (count == 2 ||
		     params[i].data_size > (size_t)EVP_CIPHER_CTX_get_iv_length(pair->contexts[1])))
			return true; /* see count_ivs() */
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_CIPHER_CTX_set_params(pair->contexts[i], params);
	fuzz_trace("set %s, %u: %d, %d", params[0].key, count, good[0], good[1]);
	demand(good[0] == good[1]);
	for (unsigned i = 0; i < count; i++)
		demand(memcmp(data[i], again[i], VALUE) == 0);
	/* What follows this can be a record alone; libssl's are in the tests */
	for (unsigned i = 0; i < count; i++) {
		pair->tagged |= strcmp(params[i].key, OSSL_CIPHER_PARAM_AEAD_TAG) == 0;
		pair->resized |= pair->mode == EVP_CIPH_CCM_MODE &&
				 strcmp(params[i].key, OSSL_CIPHER_PARAM_AEAD_IVLEN) == 0;
		if (strcmp(params[i].key, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD) == 0)
			return false;
	}
	return good[0] > 0;
}

static bool get(struct input *in, struct pair *pair)
{
	const char *key = get_keys[take_below(in, 10)];
	uint8_t data[2][VALUE];
	OSSL_PARAM params[2][2];
	int good[2];

	params[0][0] = take_param(in, key, data[0]);
	fuzz_param = params[1][0] = params[0][0];
	params[1][0].data = data[1];
	memcpy(data[1], data[0], VALUE);
	/* Without an IV GCM makes one at random */
	if (!pair->has_iv)
		return true;
	/* The default provider goes on to give the tag of the message before, or one to compare with */
	if (strcmp(key, OSSL_CIPHER_PARAM_AEAD_TAG) == 0 && (pair->ended || pair->tagged))
		return true;
	/* ... and a length that was for decryption before */
	if (strcmp(key, OSSL_CIPHER_PARAM_AEAD_TAGLEN) == 0 && pair->tagged)
		return true;
	/* CCM gives more bytes than an IV has */
	if (pair->mode == EVP_CIPH_CCM_MODE && strstr(key, "iv"))
		return true;
	for (unsigned i = 0; i < 2; i++) {
		params[i][1] = (OSSL_PARAM)OSSL_PARAM_END;
		good[i] = EVP_CIPHER_CTX_get_params(pair->contexts[i], params[i]);
	}
	fuzz_trace("get %s, %zu bytes: %d, %d", key, params[0][0].data_size, good[0], good[1]);
	demand((good[0] > 0) == (good[1] > 0));
	if (good[0] <= 0)
		return false;
	demand(params[0][0].return_size == params[1][0].return_size);
	demand(memcmp(data[0], data[1], VALUE) == 0);
	return true;
}

/* ---- sequences ---- */

/* false: it is over */
static bool step(struct input *in, struct pair *pair)
{
	static EVP_CIPHER *const none[2];

	switch (take_below(in, 13)) {
	case 0:
	case 1:
		/* A length that CCM was told stays with the default provider, for any message */
		return pair->told || begin(in, pair, none);
	case 2:
		return end(pair);
	case 3:
		return copy(pair);
	case 4:
		return total(in, pair);
	case 5:
		return whole_call(in, pair);
	case 6:
	case 7:
		return set(in, pair);
	case 8:
		return get(in, pair);
	case 9:
		return whole_end(in, pair);
	case 10:
		return count_ivs(in, pair);
	default:
		return update(in, pair);
	}
}

void fuzz_cipher(struct input *in, OSSL_LIB_CTX *library)
{
	const char *name = names[take_below(in, COUNT)];
	EVP_CIPHER *ciphers[2];
	struct pair pair = { 0 };

	fuzz_algorithm = name;

	for (unsigned i = 0; i < 2; i++) {
		ciphers[i] = EVP_CIPHER_fetch(library, name, i ? THEIRS : OURS);
		pair.contexts[i] = EVP_CIPHER_CTX_new();
		demand(ciphers[i] && pair.contexts[i]);
	}
	pair.mode = (unsigned)EVP_CIPHER_get_mode(ciphers[0]);
	if (begin(in, &pair, ciphers))
		for (unsigned i = 0; i < STEPS && in->next < in->end && step(in, &pair); i++)
			;
	for (unsigned i = 0; i < 2; i++) {
		EVP_CIPHER_CTX_free(pair.contexts[i]);
		EVP_CIPHER_free(ciphers[i]);
	}
}
