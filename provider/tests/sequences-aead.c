/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of GCM and CCM: beginnings in parts, pieces, tags, IVs that are counted, records of TLS 1.2. */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "sequences.h"

struct aeads {
	EVP_CIPHER *algorithms[2];
	EVP_CIPHER_CTX *contexts[2];
	bool ccm, decrypt, keyed;
	int iv_size;
	bool has_iv; /* for the next message, or for this one */
	bool begun; /* a message, by data, a length or an end */
	bool sealed; /* an encryption has ended, and its tag is there */
	bool tagged; /* in this direction, to compare with */
	bool told, associated; /* CCM: the length; associated data */
	bool head; /* of a record of TLS */
};

static uint8_t in[2][SEQUENCE_BYTES], out[2][SEQUENCE_BYTES], last_tag[16];

static void data_alike(size_t size)
{
	sequence_fill(in[0], size);
	memcpy(in[1], in[0], SEQUENCE_BYTES);
	memset(out, 0xa5, sizeof(out));
}

static int control(struct aeads *of, int which, int size, const void *ours, const void *theirs,
		   const char *what)
{
	int good[2];

	sequence_note("%s: %d bytes", what, size);
	good[0] = EVP_CIPHER_CTX_ctrl(of->contexts[0], which, size, (void *)(uintptr_t)ours);
	good[1] = EVP_CIPHER_CTX_ctrl(of->contexts[1], which, size, (void *)(uintptr_t)theirs);
	sequence_same(good[0], good[1], what);
	return good[0];
}

/* ---- beginnings ---- */

static void message_is_over(struct aeads *of)
{
	of->has_iv = of->begun = of->told = of->associated = false;
}

/*
 * A new context, now and then with an IV of another size.  What gives another key in the midst of a message,
 * or another direction, gives an IV too (keys and directions amid a message).
 */
static void begin_anew(struct aeads *of)
{
	uint8_t key[32], iv[128];
	int encrypt = (int)sequence_random(2);
	bool named_first = of->ccm || sequence_once_in(2), with_iv = !sequence_once_in(4);

	sequence_fill(key, sizeof(key));
	sequence_fill(iv, sizeof(iv));
	of->iv_size = of->ccm               ? 7 + (int)sequence_random(7)
		      : sequence_once_in(3) ? 1 + (int)sequence_random(128)
					    : 12;
	of->decrypt = !encrypt;
	of->keyed = true;
	of->sealed = of->tagged = of->head = false;
	message_is_over(of);
	of->has_iv = with_iv;
	sequence_note("anew: encrypt %d, IV %d of %d bytes", encrypt, with_iv, of->iv_size);
	for (unsigned i = 0; i < 2; i++) {
		EVP_CIPHER_CTX *context = of->contexts[i];

		CHECK(EVP_CIPHER_CTX_reset(context));
		CHECK(EVP_CipherInit_ex2(context, of->algorithms[i], named_first ? NULL : key, NULL,
					 encrypt, NULL));
		CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, of->iv_size, NULL) > 0);
		if (named_first && with_iv)
			CHECK(EVP_CipherInit_ex2(context, NULL, key, iv, -1, NULL));
		else if (named_first)
			CHECK(EVP_CipherInit_ex2(context, NULL, key, NULL, -1, NULL));
		else if (with_iv)
			CHECK(EVP_CipherInit_ex2(context, NULL, NULL, iv, -1, NULL));
	}
}

static void begin(struct aeads *of)
{
	uint8_t key[32], iv[128];
	bool keyed = sequence_once_in(3);
	bool with_iv = keyed || of->ccm || !sequence_once_in(4);
	int encrypt = with_iv ? (int)sequence_random(3) - 1 : -1, good[2];

	/* The default provider's CCM takes the direction with the key (a direction alone) */
	if (of->ccm && !keyed)
		encrypt = -1;
	/* A length that CCM was told stays with the default provider (a length of CCM) */
	if (of->told || (of->ccm && of->head))
		return;
	sequence_fill(key, sizeof(key));
	sequence_fill(iv, sizeof(iv));
	sequence_note("init: key %d, IV %d, encrypt %d", keyed, with_iv, encrypt);
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_CipherInit_ex2(of->contexts[i], NULL, keyed ? key : NULL,
					     with_iv ? iv : NULL, encrypt, NULL);
	sequence_same(good[0], good[1], "init");
	if (encrypt >= 0 && of->decrypt == encrypt) {
		of->decrypt = !encrypt;
		of->tagged = false;
	}
	if (with_iv) {
		message_is_over(of);
		of->has_iv = true;
		of->sealed = false;
	}
}

/* Another size of an IV, which applies with CCM from the next key on (the IV's size of CCM) */
static void resize(struct aeads *of)
{
	static const int sizes[] = { 0, 1, 7, 8, 11, 12, 13, 16, 128, 129 };
	int size = sizes[sequence_random(COUNT(sizes))];

	if (of->ccm)
		size = sequence_once_in(2) ? of->iv_size : sequence_once_in(2) ? 6 : 14;
	if (control(of, EVP_CTRL_AEAD_SET_IVLEN, size, NULL, NULL, "SET_IVLEN") <= 0)
		return;
	if (of->iv_size != size) {
		message_is_over(of);
		of->sealed = false;
	}
	of->iv_size = size;
}

/* ---- counted IVs ---- */

static int updated_iv(EVP_CIPHER_CTX *context, uint8_t iv[128], int size)
{
	return EVP_CIPHER_CTX_get_updated_iv(context, iv, (size_t)size);
}

/* Of an encryption the rest is random: ours is given to the default provider, too */
static void fix_iv(struct aeads *of)
{
	int size = sequence_once_in(2) ? -1 : (int)sequence_random(16);
	uint8_t iv[128];

	sequence_fill(iv, sizeof(iv));
	if (of->ccm) {
		control(of, EVP_CTRL_CCM_SET_IV_FIXED, size < 0 ? 4 : size, iv, iv, "SET_IV_FIXED");
		return;
	}
	/* A longer one the default provider of some releases takes (parts beside the IV) */
	if (size > of->iv_size)
		return;
	if (control(of, EVP_CTRL_GCM_SET_IV_FIXED, size, iv, iv, "SET_IV_FIXED") <= 0)
		return;
	message_is_over(of);
	of->has_iv = true;
	of->sealed = false;
	if (size < 0 || of->decrypt)
		return;
	CHECK(updated_iv(of->contexts[0], iv, of->iv_size));
	CHECK(EVP_CIPHER_CTX_ctrl(of->contexts[1], EVP_CTRL_GCM_SET_IV_FIXED, -1, iv) > 0);
}

static void next_iv(struct aeads *of)
{
	int size = (int)sequence_random(14);
	uint8_t last[2][128];

	/* With less than 8 bytes the default provider counts beside its IV (parts beside the IV) */
	if (of->ccm || of->iv_size < 8)
		return;
	memset(last, 0, sizeof(last));
	if (control(of, EVP_CTRL_GCM_IV_GEN, size, last[0], last[1], "IV_GEN") <= 0)
		return;
	sequence_same_bytes(last[0], last[1], sizeof(last[0]), "an IV");
	message_is_over(of);
	of->has_iv = of->begun = true;
	of->sealed = false;
}

static void invoke_iv(struct aeads *of)
{
	int size = (int)sequence_random(9);
	uint8_t iv[8];

	/* A longer one the default provider writes beside its IV (parts beside the IV) */
	if (of->ccm || size > of->iv_size)
		return;
	sequence_fill(iv, sizeof(iv));
	if (control(of, EVP_CTRL_GCM_SET_IV_INV, size, iv, iv, "SET_IV_INV") <= 0)
		return;
	message_is_over(of);
	of->has_iv = of->begun = true;
}

/* ---- tags ---- */

static void set_tag(struct aeads *of)
{
	int size = sequence_once_in(2) ? 16 : sequence_once_in(2) ? 12 : (int)sequence_random(20);
	bool nothing = sequence_once_in(5);
	uint8_t tag[20];

	sequence_fill(tag, sizeof(tag));
	if (sequence_once_in(2))
		memcpy(tag, last_tag, sizeof(last_tag));
	/* The default provider keeps heads of records there, and CCM's length is the next key's (tags and
	 * heads; the tag's size of CCM) */
	if (of->head || (of->ccm && size != 12 && size >= 4 && size <= 16 && size % 2 == 0))
		return;
	/* What it refuses replaces its tag all the same (tags of another message) */
	of->sealed = false;
	if (control(of, EVP_CTRL_AEAD_SET_TAG, size, nothing ? NULL : tag, nothing ? NULL : tag,
		    nothing ? "SET_TAG, none" : "SET_TAG") > 0 &&
	    !nothing)
		of->tagged = true;
}

static void get_tag(struct aeads *of)
{
	int size = of->ccm ? 12 : (int)sequence_random(18);
	uint8_t tags[2][20] = { { 0 } };

	/* The default provider goes on to give others (tags of another message) */
	if (!of->sealed)
		return;
	if (control(of, EVP_CTRL_AEAD_GET_TAG, size, tags[0], tags[1], "GET_TAG") <= 0)
		return;
	sequence_same_bytes(tags[0], tags[1], sizeof(tags[0]), "a tag");
	memcpy(last_tag, tags[0], sizeof(last_tag));
}

/* ---- pieces ---- */

/* CCM: what was refused is over, and what was done, until there is a new IV (what failed) */
static void payload_done(struct aeads *of, bool good)
{
	of->sealed = good && !of->decrypt;
	if (of->sealed)
		get_tag(of);
	begin_anew(of);
}

/* An IV that an encryption makes for itself is random: nothing that follows is alike */
static bool makes_iv(const struct aeads *of)
{
	return !of->ccm && !of->has_iv && !of->begun && !of->decrypt && !of->sealed;
}

static void update(struct aeads *of)
{
	int size = sequence_size(), got[2] = { 0 }, good[2];
	bool in_place = sequence_once_in(2), associated = sequence_once_in(4);
	bool random = makes_iv(of);

	/* CCM has all associated data at once, after the length (associated data of CCM) */
	associated &= !of->associated;
	sequence_note("update: %d bytes, in place %d, associated %d", size, in_place, associated);
	data_alike((size_t)size);
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_CipherUpdate(of->contexts[i],
					   associated ? NULL
					   : in_place ? in[i]
						      : out[i],
					   &got[i], in[i], size);
	sequence_same(good[0], good[1], "an update");
	if (random && size > 0) {
		begin_anew(of);
		return;
	}
	if (good[0] > 0) {
		sequence_same(got[0], got[1], "an update");
		sequence_same_bytes(in[0], in[1], SEQUENCE_BYTES, "an update in place");
		sequence_same_bytes(out[0], out[1], SEQUENCE_BYTES, "an update");
	}
	if (associated)
		of->associated = of->ccm && size > 0 && good[0] > 0;
	else if (of->ccm)
		payload_done(of, good[0] > 0);
	of->begun |= good[0] > 0 && size > 0;
}

static void tell_length(struct aeads *of)
{
	int size = sequence_size(), got[2] = { 0 }, good[2];

	if (!of->ccm)
		return;
	sequence_note("length: %d bytes", size);
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_CipherUpdate(of->contexts[i], NULL, &got[i], NULL, size);
	sequence_same(good[0], good[1], "a length");
	sequence_same(got[0], got[1], "a length");
	of->told |= good[0] > 0;
	of->associated &= good[0] <= 0;
}

/* The end of a message: by EVP_CipherFinal_ex(), or for GCM by EVP_Cipher() */
static void end(struct aeads *of)
{
	int got[2] = { 0 }, good[2];
	bool by_cipher = !of->ccm && sequence_once_in(3), random = makes_iv(of);

	/* A tag of another message or direction (tags of another message) */
	if (of->decrypt && !of->tagged)
		return;
	sequence_note("end, by EVP_Cipher() %d", by_cipher);
	for (unsigned i = 0; i < 2; i++)
		good[i] = by_cipher ? EVP_Cipher(of->contexts[i], NULL, NULL, 0)
				    : EVP_CipherFinal_ex(of->contexts[i], out[i], &got[i]);
	sequence_same(good[0], good[1], "an end");
	of->sealed = !of->decrypt && good[0] >= !by_cipher && !of->ccm;
	/* After the end CCM gives the tag alone, and what failed is over (what failed) */
	if (random || of->ccm || good[0] < !by_cipher) {
		begin_anew(of);
		return;
	}
	message_is_over(of);
	get_tag(of);
}

/* As OpenSSH */
static void whole(struct aeads *of)
{
	unsigned size = (unsigned)sequence_size();
	bool associated = sequence_once_in(3);
	int got[2];

	/* The default provider's CCM takes any for done (EVP_Cipher()); no bytes are no piece there */
	if (of->ccm || size == 0 || makes_iv(of))
		return;
	sequence_note("EVP_Cipher: %u bytes, associated %d", size, associated);
	data_alike(size);
	for (unsigned i = 0; i < 2; i++)
		got[i] = EVP_Cipher(of->contexts[i], associated ? NULL : out[i], in[i], size);
	sequence_same(got[0], got[1], "EVP_Cipher");
	of->begun |= got[0] > 0;
	if (got[0] > 0)
		sequence_same_bytes(out[0], out[1], SEQUENCE_BYTES, "EVP_Cipher");
}

static void copy(struct aeads *of)
{
	bool dup = sequence_once_in(2);

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

/* ---- records ---- */

static bool announce(struct aeads *of, size_t size)
{
	uint8_t head[13];

	sequence_fill(head, sizeof(head));
	/* Now and then one that is less than what is around a payload */
	head[11] = (uint8_t)(size >> 8);
	head[12] = (uint8_t)size;
	return control(of, EVP_CTRL_AEAD_TLS1_AAD, sequence_once_in(10) ? 12 : 13, head, head,
		       "TLS1_AAD") > 0;
}

/* Sealed by both; or random bytes, which none of them opens */
static void record(struct aeads *of)
{
	int size = sequence_size(), good[2], got[2] = { 0 };

	if (!of->ccm && of->iv_size < 8)
		return;
	/* A head that is refused leaves neither (what failed) */
	if (!announce(of, (size_t)size)) {
		begin_anew(of);
		return;
	}
	of->head = true;
	message_is_over(of);
	sequence_note("record: %d bytes", size);
	data_alike((size_t)size);
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_CipherUpdate(of->contexts[i], in[i], &got[i], in[i], size);
	sequence_same(good[0], good[1], "a record");
	sequence_same(good[0] > 0 ? got[0] : 0, good[1] > 0 ? got[1] : 0, "a record");
	if (good[0] > 0)
		sequence_same_bytes(in[0], in[1], SEQUENCE_BYTES, "a record");
	/* An IV was used or is another one; only records follow, or another context (tags and heads) */
	if (sequence_once_in(3))
		begin_anew(of);
}

/* ---- parameters ---- */

static void get(struct aeads *of)
{
	static const char *const keys[] = { OSSL_CIPHER_PARAM_KEYLEN, OSSL_CIPHER_PARAM_IVLEN,
					    OSSL_CIPHER_PARAM_IV, OSSL_CIPHER_PARAM_UPDATED_IV,
					    OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD };
	const char *key = keys[sequence_random(COUNT(keys))];
	bool is_bytes = strstr(key, "iv") && strcmp(key, OSSL_CIPHER_PARAM_IVLEN) != 0;
	size_t room = is_bytes ? (size_t)of->iv_size : 8;
	uint8_t data[2][128];
	int good[2];

	/* Without an IV ours makes one, or there is none (reading an IV) */
	if (is_bytes && !of->has_iv)
		return;
	if (is_bytes && !of->ccm && sequence_once_in(4))
		room = sequence_random(128);
	sequence_note("get %s, room for %zu", key, room);
	memset(data, 0xa5, sizeof(data));
	for (unsigned i = 0; i < 2; i++) {
		OSSL_PARAM params[2] = {
			{ key, is_bytes ? OSSL_PARAM_OCTET_STRING : OSSL_PARAM_UNSIGNED_INTEGER,
			  data[i], room, OSSL_PARAM_UNMODIFIED },
			OSSL_PARAM_END
		};

		good[i] = EVP_CIPHER_CTX_get_params(of->contexts[i], params);
	}
	sequence_same(good[0] > 0, good[1] > 0, key);
	if (good[0] > 0)
		sequence_same_bytes(data[0], data[1], sizeof(data[0]), key);
}

/* ---- sequences ---- */

static void step(struct aeads *of)
{
	static void (*const steps[])(struct aeads *of) = {
		begin,   begin,     update,  update,      update, end,        end,    copy,
		whole,   set_tag,   set_tag, get_tag,     get,    get,        fix_iv, next_iv,
		next_iv, invoke_iv, resize,  tell_length, record, begin_anew,
	};

	/* What stands after a head are records (tags and heads) */
	if (of->head)
		record(of);
	else
		steps[sequence_random(COUNT(steps))](of);
}

void sequence_of_aead(const struct unit *unit)
{
	static const char *const names[] = { "AES-128-GCM", "AES-256-GCM", "AES-192-GCM",
					     "AES-128-CCM", "AES-256-CCM" };
	const char *name = names[sequence_random(COUNT(names))];
	struct aeads of = { .ccm = strstr(name, "CCM") };

	sequence_note("%s", name);
	for (unsigned i = 0; i < 2; i++) {
		of.algorithms[i] = EVP_CIPHER_fetch(unit->library, name, WHOSE(!i));
		of.contexts[i] = EVP_CIPHER_CTX_new();
		CHECK(of.algorithms[i] && of.contexts[i]);
	}
	begin_anew(&of);
	for (unsigned i = sequence_random(SEQUENCE_STEPS); i > 0; i--)
		step(&of);
	for (unsigned i = 0; i < 2; i++) {
		EVP_CIPHER_CTX_free(of.contexts[i]);
		EVP_CIPHER_free(of.algorithms[i]);
	}
}
