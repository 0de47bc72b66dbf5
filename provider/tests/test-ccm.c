/* SPDX-License-Identifier: Apache-2.0 */
/* CCM takes its payload at once: what becomes of pieces that are empty. */
#include <string.h>

#include <openssl/err.h>

#include "unit.h"

static uint8_t key[32], iv[12], aad[1], text[48];

/* What became of a message with empty pieces */
struct transcript {
	int answers[6], sizes[6];
	uint8_t out[64], tag[16];
};

/* A piece; none of its bytes are looked at where it has none */
static void put(EVP_CIPHER_CTX *context, struct transcript *of, unsigned step, uint8_t *out,
		const uint8_t *in, int size)
{
	of->answers[step] = EVP_CipherUpdate(context, out, &of->sizes[step], in, size) > 0;
	if (!of->answers[step])
		of->sizes[step] = 0;
}

/* `empty` has a bit for each place: in the associated data, before the payload, after it */
static void message_with_empties(EVP_CIPHER *cipher, bool encrypt, unsigned empty, int size,
				 const uint8_t *in, uint8_t tag[16], struct transcript *of)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();

	memset(of, 0, sizeof(*of));
	CHECK(EVP_CipherInit_ex2(context, cipher, NULL, NULL, encrypt, NULL));
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL));
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, encrypt ? NULL : tag));
	CHECK(EVP_CipherInit_ex2(context, NULL, key, iv, encrypt, NULL));
	put(context, of, 0, NULL, NULL, size);
	if (empty & 1)
		put(context, of, 1, NULL, aad, 0);
	if (empty & 2)
		put(context, of, 2, of->out, in, 0);
	if (size > 0)
		put(context, of, 3, of->out, in, size);
	if (empty & 4)
		put(context, of, 4, of->out + size, in + size, 0);
	of->answers[5] = EVP_CipherFinal_ex(context, of->out + size, &of->sizes[5]) > 0;
	if (encrypt && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, of->tag) <= 0)
		memset(of->tag, 0, sizeof(of->tag));
	EVP_CIPHER_CTX_free(context);
	ERR_clear_error();
}

/* One of another length than the message is refused, and so is one behind it: the default provider takes that for
 * another message with the same nonce (provider/README.md).  Otherwise the answers are the same. */
static void empty_pieces(struct unit *unit)
{
	EVP_CIPHER *ours = EVP_CIPHER_fetch(unit->library, "AES-256-CCM", OURS),
		   *theirs = EVP_CIPHER_fetch(unit->library, "AES-256-CCM", THEIRS);
	struct transcript sealed, here, there;

	CHECK(ours && theirs);
	unit_fill(key, sizeof(key));
	unit_fill(text, 48);
	for (unsigned i = 0; i < 32; i++) {
		bool encrypt = i & 1, behind = i & 8 && i & (4 | 16);
		int size = i & 16 ? 48 : 0;
		const uint8_t *in = encrypt ? text : sealed.out, *out = encrypt ? sealed.out : text;

		/* by an empty payload where there is no other */
		message_with_empties(theirs, true, size ? 0 : 2, size, text, NULL, &sealed);
		message_with_empties(ours, encrypt, i >> 1 & 7, size, in, sealed.tag, &here);
		message_with_empties(theirs, encrypt, i >> 1 & 7, size, in, sealed.tag, &there);
		if (size > 0 && i & 4)
			CHECK(!here.answers[2] && !there.answers[2]);
		else if (!behind)
			CHECK(memcmp(&here, &there, sizeof(here)) == 0);
		CHECK(!behind || !here.answers[4]);
		/* whatever else came */
		CHECK(memcmp(here.out, out, (size_t)size) == 0);
		if (encrypt && (size > 0 || i & (4 | 8)))
			CHECK(memcmp(here.tag, sealed.tag, 16) == 0);
	}
	EVP_CIPHER_free(ours);
	EVP_CIPHER_free(theirs);
}

int main(void)
{
	static const char *const thresholds[] = { "all=1", "all=1000000" };

	for (unsigned i = 0; i < COUNT(thresholds); i++) {
		struct unit unit = unit_open("model", thresholds[i]);

		empty_pieces(&unit);
		CHECK((unit_count("ccm", UNIT_HARDWARE) > 0) == (i == 0));
		unit_close(&unit);
	}
	return 0;
}
