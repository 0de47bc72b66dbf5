/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ciphers and MACs with tags, lengths, nonces, keys and padding that are wrong, beside the default provider's:
 * each step of a message is answered alike, with the same errors.  Where a step fails, what follows is left
 * out: there programs stop.
 */
#include <stdio.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>

#include "answer.h"

static struct unit unit;

/* What is wrong with a message; sizes that are 0 are the right ones, NONE is none */
#define NONE 0xffffu

struct fault {
	const char *what;
	unsigned key, iv, tag, told_tag; /* sizes; of the tag, before the message and at its end */
	unsigned aad, size; /* of the message */
	bool forged, no_key, no_iv, no_tag, late_tag;
	bool same_halves; /* of the key */
	bool by_param; /* the key's size is set as a parameter */
	bool twice; /* ended, and gone on with */
	bool no_payload; /* the message ends without */
	bool by_cipher; /* it ends by EVP_Cipher() */
	bool ended; /* although its payload failed */
	bool other_way; /* a tag asked for of decryption, set for encryption */
	unsigned spoilt; /* this byte of the ciphertext, from its end */
};

struct run {
	struct answer *answers; /* of steps */
	unsigned count;
};

#define STEPS 16u

static bool note(struct run *run, int returned, const uint8_t *out, size_t size)
{
	struct answer *answer = &run->answers[run->count++];

	CHECK(run->count < STEPS);
	answer_end(answer, returned);
	if (returned > 0 && out && size <= sizeof(answer->out)) {
		memcpy(answer->out, out, size);
		answer->size = size;
	}
	answer_begin(&run->answers[run->count]);
	return returned > 0;
}

static unsigned size_of(unsigned size, unsigned right)
{
	return size == 0 ? right : size == NONE ? 0 : size;
}

static uint8_t key[64], iv[64], aad[64], text[4096];

/* The length of the key is set, by the function for it or as a parameter */
static bool set_key_size(EVP_CIPHER_CTX *context, const struct fault *fault, struct run *run)
{
	size_t size = fault->key;
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_KEYLEN, &size),
		OSSL_PARAM_construct_end(),
	};

	if (size == 0)
		return true;
	return note(run,
		    fault->by_param ? EVP_CIPHER_CTX_set_params(context, params)
				    : EVP_CIPHER_CTX_set_key_length(context, (int)size),
		    NULL, 0);
}

static bool aead_begin(EVP_CIPHER_CTX *context, bool ccm, bool encrypt, const struct fault *fault,
		       const uint8_t tag[16], struct run *run)
{
	int iv_size = (int)size_of(fault->iv, 12), tag_size = (int)size_of(fault->told_tag, 16);

	if (!set_key_size(context, fault, run))
		return false;

	if (!note(run, EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, iv_size, NULL), NULL,
		  0))
		return false;
	if ((ccm || !encrypt) && !fault->no_tag && !fault->late_tag) {
		bool with = !encrypt != fault->other_way;

		if (!note(run,
			  EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tag_size,
					      with ? (void *)tag : NULL),
			  NULL, 0))
			return false;
	}
	if (!ccm && encrypt && fault->other_way &&
	    !note(run, EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tag_size, (void *)tag),
		  NULL, 0))
		return false;
	return note(run,
		    EVP_CipherInit_ex2(context, NULL, fault->no_key ? NULL : key,
				       fault->no_iv ? NULL : iv, -1, NULL),
		    NULL, 0);
}

/* More than 0: the message is accepted */
static int aead_end(EVP_CIPHER_CTX *context, const struct fault *fault)
{
	uint8_t none[64];
	int got;

	if (fault->by_cipher)
		return EVP_Cipher(context, NULL, NULL, 0) + 1;
	return EVP_CipherFinal_ex(context, none, &got);
}

/* One message in or out; `tag` is what comes of it, or what it is compared with */
static void aead(EVP_CIPHER *cipher, bool ccm, bool encrypt, const struct fault *fault,
		 const uint8_t *in, size_t size, uint8_t *out, uint8_t tag[16], struct run *run)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int got = 0, asked = (int)size_of(fault->tag, 16);
	uint8_t more[64];
	bool going;

	answer_begin(&run->answers[0]);
	going = note(run, EVP_CipherInit_ex2(context, cipher, NULL, NULL, encrypt, NULL), NULL,
		     0) &&
		aead_begin(context, ccm, encrypt, fault, tag, run);
	if (going && ccm)
		going = note(run, EVP_CipherUpdate(context, NULL, &got, NULL, (int)size), NULL, 0);
	if (going && fault->aad)
		going = note(run, EVP_CipherUpdate(context, NULL, &got, aad, (int)fault->aad), NULL,
			     0);
	got = 0;
	if (going && !fault->no_payload)
		going = note(run, EVP_CipherUpdate(context, out, &got, in, (int)size),
			     encrypt && !fault->no_iv ? out : NULL, (size_t)got);
	if (going && !encrypt && fault->late_tag)
		going = note(run, EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, asked, tag),
			     NULL, 0);
	if ((going && !(ccm && !encrypt)) || (going && fault->no_payload) || fault->ended)
		going = note(run, aead_end(context, fault), NULL, 0);
	if (going && encrypt != fault->other_way)
		going = note(run, EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, asked, tag),
			     fault->no_iv ? NULL : tag, (size_t)asked);
	if (going && fault->twice) {
		note(run, EVP_CipherUpdate(context, more, &got, text, 32), NULL, 0);
		note(run, EVP_CipherFinal_ex(context, more, &got), NULL, 0);
	}
	EVP_CIPHER_CTX_free(context);
}

static void compare(const struct run *ours, const struct run *theirs, const char *name,
		    const char *way, const char *what)
{
	unsigned count = ours->count < theirs->count ? ours->count : theirs->count;

	for (unsigned i = 0; i < count; i++)
		answers_compare(&ours->answers[i], &theirs->answers[i], "%s, %s, %s, step %u", name,
				way, what, i);
}

static EVP_CIPHER *fetch(const char *name, bool here)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(unit.library, name, WHOSE(here));

	CHECK(cipher);
	return cipher;
}

static const struct fault aead_faults[] = {
	{ .what = "nothing wrong", .size = 64, .aad = 13 },
	{ .what = "an empty message", .size = NONE, .aad = 13 },
	{ .what = "a forged tag", .size = 64, .aad = 13, .forged = true },
	{ .what = "a forged tag of an empty message", .size = NONE, .forged = true },
	{ .what = "no payload", .size = NONE, .aad = 13, .no_payload = true },
	{ .what = "neither payload nor associated data", .size = NONE, .no_payload = true },
	{ .what = "no payload, and a forged tag",
	  .size = NONE,
	  .aad = 13,
	  .no_payload = true,
	  .forged = true },
	{ .what = "no payload, by EVP_Cipher()",
	  .size = NONE,
	  .aad = 13,
	  .no_payload = true,
	  .by_cipher = true },
	{ .what = "no payload, and a forged tag, by EVP_Cipher()",
	  .size = NONE,
	  .aad = 13,
	  .no_payload = true,
	  .by_cipher = true,
	  .forged = true },
	{ .what = "no payload, and no tag", .size = NONE, .no_payload = true, .no_tag = true },
	{ .what = "no payload, and no nonce", .size = NONE, .no_payload = true, .no_iv = true },
	{ .what = "no payload, and no key", .size = NONE, .no_payload = true, .no_key = true },
	{ .what = "no payload of 64 bytes", .size = 64, .aad = 13, .no_payload = true },
	{ .what = "no payload, and gone on with", .size = NONE, .no_payload = true, .twice = true },
	{ .what = "a forged message, ended all the same", .size = 64, .spoilt = 1, .ended = true },
	{ .what = "a forged empty message, ended all the same",
	  .size = NONE,
	  .forged = true,
	  .ended = true },
	{ .what = "a forged message", .size = 64, .spoilt = 1 },
	{ .what = "a forged long message", .size = 4096, .spoilt = 4000 },
	{ .what = "a forged tag behind", .size = 64, .forged = true, .late_tag = true },
	{ .what = "a tag behind", .size = 64, .late_tag = true },
	{ .what = "no tag", .size = 64, .no_tag = true },
	{ .what = "no key", .size = 64, .no_key = true },
	/* encryption makes one then: what comes out differs each time */
	{ .what = "no nonce", .size = 64, .no_iv = true },
	{ .what = "a tag the wrong way", .size = 64, .other_way = true },
	{ .what = "gone on with after its end", .size = 64, .twice = true },
	{ .what = "forged and gone on with", .size = 64, .twice = true, .forged = true },
	{ .what = "a key of 15 bytes", .size = 64, .key = 15 },
	{ .what = "a key of 15 bytes by parameter", .size = 64, .key = 15, .by_param = true },
	{ .what = "a nonce of 0 bytes", .size = 64, .iv = NONE },
	{ .what = "a nonce of 1 byte", .size = 64, .iv = 1 },
	{ .what = "a nonce of 6 bytes", .size = 64, .iv = 6 },
	{ .what = "a nonce of 7 bytes", .size = 64, .iv = 7 },
	{ .what = "a nonce of 13 bytes", .size = 64, .iv = 13 },
	{ .what = "a nonce of 14 bytes", .size = 64, .iv = 14 },
	{ .what = "a nonce of 64 bytes", .size = 64, .iv = 64 },
	{ .what = "a tag of 0 bytes", .size = 64, .tag = NONE, .told_tag = NONE },
	{ .what = "a tag of 0 bytes behind", .size = 64, .tag = NONE, .late_tag = true },
	{ .what = "a tag of 1 byte", .size = 64, .tag = 1, .told_tag = 1 },
	{ .what = "a tag of 3 bytes", .size = 64, .tag = 3, .told_tag = 3 },
	{ .what = "a tag of 4 bytes", .size = 64, .tag = 4, .told_tag = 4 },
	{ .what = "a forged tag of 4 bytes", .size = 64, .tag = 4, .told_tag = 4, .forged = true },
	{ .what = "a tag of 12 bytes", .size = 64, .tag = 12, .told_tag = 12 },
	{ .what = "a tag of 15 bytes", .size = 64, .tag = 15, .told_tag = 15 },
	{ .what = "a tag of 17 bytes", .size = 64, .tag = 17, .told_tag = 17 },
	{ .what = "a tag of 17 bytes behind", .size = 64, .tag = 17, .late_tag = true },
	{ .what = "a tag of 64 bytes", .size = 64, .tag = 64, .told_tag = 64 },
	{ .what = "8 bytes of a tag of 16", .size = 64, .tag = 8 },
};

static void aead_case(const char *name, const struct fault *fault)
{
	static struct answer answers[4][STEPS];
	static uint8_t out[4096 + 64], sealed[4096 + 64];
	bool ccm = strstr(name, "CCM");
	size_t size = size_of(fault->size, 64);
	const struct fault sound = {
		.tag = fault->tag, .told_tag = fault->told_tag, .iv = fault->iv, .aad = fault->aad
	};
	struct run runs[4] = {
		{ answers[0], 0 }, { answers[1], 0 }, { answers[2], 0 }, { answers[3], 0 }
	};
	uint8_t tag[2][64] = { 0 }, found[64] = { 0 };
	EVP_CIPHER *ours = fetch(name, true), *theirs = fetch(name, false);

	aead(ours, ccm, true, fault, text, size, out, tag[0], &runs[0]);
	aead(theirs, ccm, true, fault, text, size, out, tag[1], &runs[1]);
	compare(&runs[0], &runs[1], name, "encryption", fault->what);
	/* what is opened comes of a message with nothing wrong, if there is one like that */
	runs[0].count = 0;
	aead(theirs, ccm, true, &sound, text, size, sealed, found, &runs[0]);
	if (fault->forged)
		found[1] ^= 0x20;
	if (fault->spoilt)
		sealed[size - fault->spoilt] ^= 1;
	aead(ours, ccm, false, fault, sealed, size, out, found, &runs[2]);
	aead(theirs, ccm, false, fault, sealed, size, out, found, &runs[3]);
	compare(&runs[2], &runs[3], name, "decryption", fault->what);
	EVP_CIPHER_free(ours);
	EVP_CIPHER_free(theirs);
}

/* ---- plain modes ---- */

static const struct fault plain_faults[] = {
	{ .what = "nothing wrong", .size = 64 },
	{ .what = "an empty message", .size = NONE },
	{ .what = "one byte", .size = 1 },
	{ .what = "15 bytes", .size = 15 },
	{ .what = "17 bytes", .size = 17 },
	{ .what = "1,000 bytes", .size = 1000 },
	{ .what = "the last byte changed", .size = 64, .spoilt = 1 },
	{ .what = "a byte of the last block but one changed", .size = 64, .spoilt = 17 },
	{ .what = "no key", .size = 64, .no_key = true },
	{ .what = "no IV", .size = 64, .no_iv = true },
	{ .what = "a key of two equal halves", .size = 64, .same_halves = true },
	{ .what = "a key of 15 bytes", .size = 64, .key = 15 },
	{ .what = "a key of 64 bytes", .size = 64, .key = 64 },
	{ .what = "a key of 15 bytes by parameter", .size = 64, .key = 15, .by_param = true },
	{ .what = "gone on with after its end", .size = 64, .twice = true },
};

static void plain(EVP_CIPHER *cipher, bool encrypt, bool padding, const struct fault *fault,
		  const uint8_t *in, size_t size, struct run *run)
{
	static uint8_t out[4096 + 64];
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	uint8_t with[64];
	int got = 0;

	memcpy(with, key, sizeof(with));
	if (fault->same_halves)
		memcpy(with + EVP_CIPHER_get_key_length(cipher) / 2, with,
		       (size_t)EVP_CIPHER_get_key_length(cipher) / 2);
	answer_begin(&run->answers[0]);
	if (!note(run, EVP_CipherInit_ex2(context, cipher, NULL, NULL, encrypt, NULL), NULL, 0) ||
	    !note(run, EVP_CIPHER_CTX_set_padding(context, padding), NULL, 0) ||
	    !set_key_size(context, fault, run) ||
	    !note(run,
		  EVP_CipherInit_ex2(context, NULL, fault->no_key ? NULL : with,
				     fault->no_iv ? NULL : iv, -1, NULL),
		  NULL, 0) ||
	    !note(run, EVP_CipherUpdate(context, out, &got, in, (int)size), out, (size_t)got) ||
	    !note(run, EVP_CipherFinal_ex(context, out, &got), out, (size_t)got))
		goto end;
	if (fault->twice) {
		note(run, EVP_CipherUpdate(context, out, &got, text, 32), NULL, 0);
		note(run, EVP_CipherFinal_ex(context, out, &got), NULL, 0);
	}
end:
	EVP_CIPHER_CTX_free(context);
}

static void plain_case(const char *name, const struct fault *fault, bool padding)
{
	static struct answer answers[3][STEPS];
	static uint8_t sealed[4096 + 64];
	size_t size = size_of(fault->size, 64);
	EVP_CIPHER *ours = fetch(name, true), *theirs = fetch(name, false);
	const struct fault sound = { .what = "" };

	for (unsigned encrypt = 0; encrypt < 2; encrypt++) {
		struct run runs[3] = { { answers[0], 0 }, { answers[1], 0 }, { answers[2], 0 } };

		memcpy(sealed, text, sizeof(text));
		if (!encrypt && size % 16 == 0 && size < ANSWER_MAX) {
			/* with padding that is right, until a byte changes */
			plain(theirs, true, false, &sound, text, size, &runs[2]);
			memcpy(sealed, answers[2][runs[2].count - 2].out, size);
			if (fault->spoilt)
				sealed[size - fault->spoilt] ^= 1;
		}
		plain(ours, encrypt, padding, fault, sealed, size, &runs[0]);
		plain(theirs, encrypt, padding, fault, sealed, size, &runs[1]);
		compare(&runs[0], &runs[1], name,
			encrypt   ? padding ? "encryption" : "encryption without padding"
			: padding ? "decryption"
				  : "decryption without padding",
			fault->what);
	}
	EVP_CIPHER_free(ours);
	EVP_CIPHER_free(theirs);
}

static void try_all(const struct setting *setting)
{
	static const char *const aeads[] = { "AES-128-GCM", "AES-256-GCM", "AES-128-CCM",
					     "AES-256-CCM" };
	static const char *const plains[] = { "AES-128-ECB", "AES-256-CBC",    "AES-256-CTR",
					      "AES-128-CFB", "AES-256-OFB",    "AES-128-XTS",
					      "AES-256-XTS", "AES-256-CBC-CTS" };

	/* what never goes to a core is not offered */
	if (setting->never)
		return;
	for (unsigned i = 0; i < COUNT(aeads); i++)
		for (unsigned j = 0; j < COUNT(aead_faults); j++)
			aead_case(aeads[i], &aead_faults[j]);
	for (unsigned i = 0; i < COUNT(plains); i++)
		for (unsigned j = 0; j < COUNT(plain_faults); j++)
			for (unsigned padding = 0; padding < 2; padding++)
				/* stealing without a key ends the default provider */
				if (!plain_faults[j].no_key || !strstr(plains[i], "CTS"))
					plain_case(plains[i], &plain_faults[j], padding);
}

int main(void)
{
	/* a text that ends as padding does */
	unit_fill(key, sizeof(key));
	unit_fill(iv, sizeof(iv));
	unit_fill(text, sizeof(text));
	for (size_t at = 63; at < sizeof(text); at += 64)
		text[at] = 1;
	answers_of_settings(&unit, try_all, 3000);
	return 0;
}
