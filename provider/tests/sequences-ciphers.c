/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of the modes of AES without a tag, and of records of TLS with CBC. */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/prov_ssl.h>

#include "sequences.h"

struct ciphers {
	EVP_CIPHER *algorithms[2];
	EVP_CIPHER_CTX *contexts[2];
	int mode;
	bool cts;
	bool keyed, decrypt;
	bool records; /* of TLS */
};

static uint8_t in[2][SEQUENCE_BYTES], out[2][SEQUENCE_BYTES];

static bool is_blocks(const struct ciphers *of)
{
	return !of->cts && (of->mode == EVP_CIPH_ECB_MODE || of->mode == EVP_CIPH_CBC_MODE);
}

static void data_alike(size_t size)
{
	sequence_fill(in[0], size);
	memcpy(in[1], in[0], SEQUENCE_BYTES);
	memset(out, 0xa5, sizeof(out));
}

/* ---- beginnings ---- */

/* The key's parts are different, for XTS, or all of it is the same now and then */
static void take_key(uint8_t key[64])
{
	sequence_fill(key, 64);
	if (sequence_once_in(20))
		memset(key, key[0], 64);
}

/* A new direction comes with a new key (a direction alone) */
static void begin(struct ciphers *of, bool first)
{
	bool keyed = first || sequence_once_in(3), with_iv = !sequence_once_in(3);
	bool named = first || sequence_once_in(6);
	int encrypt = keyed ? (int)sequence_random(2) : of->decrypt ? 0 : 1, good[2];
	uint8_t key[64], iv[16];

	/* Without an IV XTS and what was at its end go on by chance (no IV) */
	with_iv |= first || named || of->mode == EVP_CIPH_XTS_MODE;
	take_key(key);
	sequence_fill(iv, sizeof(iv));
	if (!keyed && !first && sequence_once_in(2))
		encrypt = -1;
	sequence_note("init: algorithm %d, key %d, IV %d, encrypt %d", named, keyed, with_iv,
		      encrypt);
	/* Another algorithm is another context, which has no key */
	keyed |= named && !sequence_once_in(8);
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_CipherInit_ex2(of->contexts[i], named ? of->algorithms[i] : NULL,
					     keyed ? key : NULL, with_iv ? iv : NULL, encrypt,
					     NULL);
	sequence_same(good[0], good[1], "init");
	if (encrypt >= 0)
		of->decrypt = !encrypt;
	if (named)
		of->records = false;
	of->keyed = keyed || (of->keyed && !named);
	/* Half of what was given may be in force (what failed) */
	if (!good[0])
		begin(of, true);
}

/* ---- pieces ---- */

static void compare(const int good[2], const int got[2], const uint8_t *ours, const uint8_t *theirs,
		    const char *what)
{
	sequence_same(good[0], good[1], what);
	if (good[0] <= 0)
		return;
	sequence_same(got[0], got[1], what);
	sequence_same_bytes(ours, theirs, SEQUENCE_BYTES, what);
}

static void update(struct ciphers *of)
{
	int size = sequence_size(), got[2] = { 0 }, good[2];
	/* What was kept of a block comes out over what is not read yet */
	bool in_place = sequence_once_in(2) && !is_blocks(of),
	     nothing = size == 0 && sequence_once_in(2);

	/* The default provider crashes (CTS and XTS without a key) */
	if (!of->keyed && (of->cts || of->mode == EVP_CIPH_XTS_MODE))
		return;
	sequence_note("update: %d bytes, in place %d", size, in_place);
	data_alike((size_t)size);
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_CipherUpdate(of->contexts[i], in_place ? in[i] : out[i], &got[i],
					   nothing ? NULL : in[i], size);
	compare(good, got, in_place ? in[0] : out[0], in_place ? in[1] : out[1], "an update");
}

static void end(struct ciphers *of)
{
	int got[2] = { 0 }, good[2];

	sequence_note("final");
	data_alike(0);
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_CipherFinal_ex(of->contexts[i], out[i], &got[i]);
	compare(good, got, out[0], out[1], "final");
	/* A block with wrong padding stays for another end (what failed) */
	if (!good[0] && of->keyed)
		begin(of, true);
}

/* All at once, without padding */
static void whole(struct ciphers *of)
{
	unsigned size = (unsigned)sequence_size();
	int got[2];

	/* By the default provider it is CBC without stealing, and does not look at sizes (EVP_Cipher()) */
	if (of->cts || !of->keyed)
		return;
	if (is_blocks(of))
		size = size / 16 * 16;
	sequence_note("EVP_Cipher: %u bytes", size);
	data_alike(size);
	for (unsigned i = 0; i < 2; i++)
		got[i] = EVP_Cipher(of->contexts[i], out[i], in[i], size);
	sequence_same(got[0], got[1], "EVP_Cipher");
	if (got[0] > 0)
		sequence_same_bytes(out[0], out[1], SEQUENCE_BYTES, "EVP_Cipher");
}

static void copy(struct ciphers *of)
{
	bool dup = sequence_once_in(2);

	/* Both of the default provider's contexts would free a record's MAC (copies of records) */
	if (of->records)
		return;
	sequence_note("copy");
	for (unsigned i = 0; i < 2; i++) {
		EVP_CIPHER_CTX *other = EVP_CIPHER_CTX_new();

		CHECK(other && EVP_CIPHER_CTX_copy(other, of->contexts[i]));
		if (dup) {
			EVP_CIPHER_CTX_free(of->contexts[i]);
			of->contexts[i] = other;
		} else {
			EVP_CIPHER_CTX_free(other);
		}
	}
}

/* ---- parameters ---- */

static void get(struct ciphers *of)
{
	static const char *const keys[] = { OSSL_CIPHER_PARAM_KEYLEN,     OSSL_CIPHER_PARAM_IVLEN,
					    OSSL_CIPHER_PARAM_PADDING,    OSSL_CIPHER_PARAM_IV,
					    OSSL_CIPHER_PARAM_UPDATED_IV, OSSL_CIPHER_PARAM_NUM,
					    OSSL_CIPHER_PARAM_CTS_MODE };
	const char *key = keys[sequence_random(COUNT(keys))];
	bool is_bytes = strstr(key, "iv") && strcmp(key, OSSL_CIPHER_PARAM_IVLEN) != 0;
	size_t room = sequence_once_in(4) ? sequence_random(20) : is_bytes ? 16 : 8;
	uint8_t data[2][24];
	OSSL_PARAM params[2][2];
	int good[2];

	/* What follows a refused piece; and how far it is is kept by ours for CTS (what failed, places) */
	if (of->cts && strcmp(key, OSSL_CIPHER_PARAM_NUM) == 0)
		return;
	sequence_note("get %s, room for %zu", key, room);
	memset(data, 0xa5, sizeof(data));
	for (unsigned i = 0; i < 2; i++) {
		params[i][0] = (OSSL_PARAM){ key,
					     is_bytes ? OSSL_PARAM_OCTET_STRING
					     : strcmp(key, keys[6]) == 0
						     ? OSSL_PARAM_UTF8_STRING
						     : OSSL_PARAM_UNSIGNED_INTEGER,
					     data[i], room, OSSL_PARAM_UNMODIFIED };
		params[i][1] = (OSSL_PARAM)OSSL_PARAM_END;
		good[i] = EVP_CIPHER_CTX_get_params(of->contexts[i], params[i]);
	}
	sequence_same(good[0] > 0, good[1] > 0, key);
	if (good[0] <= 0)
		return;
	sequence_same((long)params[0][0].return_size, (long)params[1][0].return_size, key);
	sequence_same_bytes(data[0], data[1], sizeof(data[0]), key);
}

static bool set_number(struct ciphers *of, const char *key, unsigned number, size_t size)
{
	OSSL_PARAM params[2] = { { key, OSSL_PARAM_UNSIGNED_INTEGER, &number, size, 0 },
				 OSSL_PARAM_END };
	int good[2];

	sequence_note("set %s to %u", key, number);
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_CIPHER_CTX_set_params(of->contexts[i], params);
	sequence_same(good[0], good[1], key);
	return good[0] > 0;
}

static void set_stealing(struct ciphers *of)
{
	static const char *const names[] = { "CS1", "cs2", "CS3", "CS4", "" };
	const char *name = names[sequence_random(COUNT(names))];
	OSSL_PARAM params[2] = { OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE,
								  (char *)(uintptr_t)name, 0),
				 OSSL_PARAM_END };
	int good[2];

	sequence_note("set CTS mode '%s'", name);
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_CIPHER_CTX_set_params(of->contexts[i], params);
	sequence_same(good[0], good[1], "a CTS mode");
}

static void set(struct ciphers *of)
{
	switch (sequence_random(4)) {
	case 0:
		set_number(of, OSSL_CIPHER_PARAM_PADDING, sequence_random(3), 4);
		break;
	case 1:
		/* XTS alone is told another length; for others it is one that is wrong later (key length) */
		set_number(of, OSSL_CIPHER_PARAM_KEYLEN,
			   of->mode == EVP_CIPH_XTS_MODE
				   ? 16 * sequence_random(5)
				   : (unsigned)EVP_CIPHER_CTX_get_key_length(of->contexts[1]),
			   4);
		break;
	case 2:
		/* Beside the block's size (places) */
		if (of->mode != EVP_CIPH_XTS_MODE)
			set_number(of, OSSL_CIPHER_PARAM_PADDING, 1, 1 + 7 * sequence_random(2));
		break;
	default:
		if (of->cts)
			set_stealing(of);
	}
}

/* ---- records of TLS ---- */

/* The context is of records from now on */
static void begin_records(struct ciphers *of)
{
	static const unsigned versions[] = { TLS1_VERSION, TLS1_1_VERSION, TLS1_2_VERSION,
					     DTLS1_2_VERSION };
	unsigned version = versions[sequence_random(4)], mac = 0;

	if (of->mode != EVP_CIPH_CBC_MODE || of->cts || of->records)
		return;
	if (of->decrypt && sequence_once_in(2))
		mac = 20;
	/* The MAC of a record with wrong padding is random: none is asked for then */
	of->records = set_number(of, OSSL_CIPHER_PARAM_TLS_VERSION, version, sizeof(version)) &&
		      set_number(of, OSSL_CIPHER_PARAM_TLS_MAC_SIZE, mac, sizeof(mac)) &&
		      set_number(of, OSSL_CIPHER_PARAM_PADDING, 1, 4);
}

static void record(struct ciphers *of)
{
	int size = sequence_size(), got[2] = { 0 }, good[2];

	sequence_note("record: %d bytes", size);
	data_alike((size_t)size);
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_CipherUpdate(of->contexts[i], in[i], &got[i], in[i], size);
	compare(good, got, in[0], in[1], "a record");
	/* What is refused is over: libssl closes the connection (what failed) */
	if (good[0] <= 0)
		begin(of, true);
}

/* ---- sequences ---- */

static void step(struct ciphers *of)
{
	switch (sequence_random(12)) {
	case 0:
	case 1:
		begin(of, false);
		break;
	case 2:
		end(of);
		break;
	case 3:
		copy(of);
		break;
	case 4:
		if (!of->records)
			whole(of);
		break;
	case 5:
	case 6:
		get(of);
		break;
	case 7:
		set(of);
		break;
	case 8:
		begin_records(of);
		break;
	default:
		if (of->records)
			record(of);
		else
			update(of);
	}
}

void sequence_of_cipher(const struct unit *unit)
{
	static const char *const names[] = {
		"AES-128-ECB", "AES-256-CBC", "AES-128-CTR", "AES-192-CFB",     "AES-128-OFB",
		"AES-128-XTS", "AES-256-XTS", "AES-128-CBC", "AES-128-CBC-CTS", "AES-192-CBC-CTS",
	};
	const char *name = names[sequence_random(COUNT(names))];
	struct ciphers of = { .cts = strstr(name, "CTS") };

	sequence_note("%s", name);
	for (unsigned i = 0; i < 2; i++) {
		of.algorithms[i] = EVP_CIPHER_fetch(unit->library, name, WHOSE(!i));
		of.contexts[i] = EVP_CIPHER_CTX_new();
		CHECK(of.algorithms[i] && of.contexts[i]);
	}
	of.mode = EVP_CIPHER_get_mode(of.algorithms[1]);
	begin(&of, true);
	for (unsigned i = sequence_random(SEQUENCE_STEPS); i > 0; i--)
		step(&of);
	for (unsigned i = 0; i < 2; i++) {
		EVP_CIPHER_CTX_free(of.contexts[i]);
		EVP_CIPHER_free(of.algorithms[i]);
	}
}
