/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GCM and CCM beside the default provider's: pieces, tags set early and late, forged tags by every
 * way out (EVP_DecryptFinal, EVP_Cipher), records of TLS 1.2, IVs that are counted.
 */
#include <stdio.h>
#include <string.h>

#include <openssl/err.h>

#include <openssl/core_names.h>

#include "unit.h"

#define LONGEST 40000u /* of messages of any size */
#define PART    32768u /* what a core takes at once */
#define MOST    (4 * PART) /* what goes to the core; the provider keeps a copy meanwhile */

static const unsigned bits[] = { 128, 192, 256 };

static uint8_t key[32], iv[16], aad[20000], text[MOST + 1], crypt[MOST + 1], back[MOST + 1];

static EVP_CIPHER *fetch(struct unit *unit, const char *mode, unsigned size, const char *whose)
{
	char name[32];
	EVP_CIPHER *cipher;

	snprintf(name, sizeof(name), "AES-%u-%s", size, mode);
	cipher = EVP_CIPHER_fetch(unit->library, name, whose);
	CHECK(cipher);
	return cipher;
}

static size_t any_size(void)
{
	static const unsigned limits[] = { 20, 100, 2000, 17000, LONGEST };

	return unit_random(limits[unit_random(COUNT(limits))]);
}

/* All of `size` bytes in pieces; `pieces` of 1 means whole */
static void pass(EVP_CIPHER_CTX **context, uint8_t *out, const uint8_t *in, size_t size,
		 unsigned pieces)
{
	size_t done = 0;
	int got;

	while (done < size) {
		size_t part = pieces == 1 ? size : 1 + unit_random((unsigned)(size - done));

		CHECK(EVP_CipherUpdate(*context, out ? out + done : NULL, &got, in + done,
				       (int)part));
		CHECK(!out || got == (int)part);
		done += part;
		if (unit_random(4) == 0) {
			EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();

			CHECK(EVP_CIPHER_CTX_copy(copy, *context));
			EVP_CIPHER_CTX_free(*context);
			*context = copy;
		}
	}
}

struct message {
	size_t iv_size, aad_size, size;
	unsigned pieces;
	bool tag_early, in_place;
};

/* ---- GCM ---- */

static void gcm_seal(EVP_CIPHER *cipher, const struct message *message, uint8_t *out,
		     uint8_t tag[16])
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	const uint8_t *in = text;
	int got;

	if (message->in_place)
		in = memcpy(out, text, message->size);
	CHECK(EVP_EncryptInit_ex2(context, cipher, NULL, NULL, NULL));
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, (int)message->iv_size, NULL));
	CHECK(EVP_EncryptInit_ex2(context, NULL, key, iv, NULL));
	pass(&context, NULL, aad, message->aad_size, message->pieces);
	pass(&context, out, in, message->size, message->pieces);
	CHECK(EVP_EncryptFinal_ex(context, out + message->size, &got) && got == 0);
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag));
	/* an IV is not used twice */
	CHECK(!EVP_EncryptUpdate(context, out + message->size, &got, text, 1));
	EVP_CIPHER_CTX_free(context);
}

/* Whether the tag is right */
static bool gcm_open(EVP_CIPHER *cipher, const struct message *message, uint8_t tag[16],
		     unsigned tag_size)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	const uint8_t *in = crypt;
	int got;
	bool good;

	if (message->in_place)
		in = memcpy(back, crypt, message->size);
	CHECK(EVP_DecryptInit_ex2(context, cipher, NULL, NULL, NULL));
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, (int)message->iv_size, NULL));
	CHECK(EVP_DecryptInit_ex2(context, NULL, key, iv, NULL));
	if (message->tag_early)
		CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, (int)tag_size, tag));
	pass(&context, NULL, aad, message->aad_size, message->pieces);
	pass(&context, back, in, message->size, message->pieces);
	if (!message->tag_early)
		CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, (int)tag_size, tag));
	good = EVP_DecryptFinal_ex(context, back + message->size, &got) > 0;
	EVP_CIPHER_CTX_free(context);
	return good;
}

static struct message any_message(void)
{
	return (struct message){
		.iv_size = unit_random(4) ? 12 : 1 + unit_random(16),
		.aad_size = unit_random(unit_random(8) ? 40 : sizeof(aad)),
		.size = any_size(),
		.pieces = unit_random(2),
		.tag_early = unit_random(2),
		.in_place = unit_random(2),
	};
}

/* A message of random bytes, its content in text: both seal it alike, into crypt and tag, and ours
 * opens it again by the first bytes of the tag */
static void gcm_alike(EVP_CIPHER *ours, EVP_CIPHER *theirs, const struct message *message,
		      uint8_t tag[16], unsigned tag_size)
{
	uint8_t expected[16];

	unit_fill(key, sizeof(key));
	unit_fill(iv, sizeof(iv));
	unit_fill(text, message->size);
	gcm_seal(theirs, message, back, expected);
	gcm_seal(ours, message, crypt, tag);
	CHECK(memcmp(tag, expected, 16) == 0);
	CHECK(memcmp(crypt, back, message->size) == 0);
	CHECK(gcm_open(ours, message, tag, tag_size));
	CHECK(memcmp(back, text, message->size) == 0);
}

static void gcm(struct unit *unit, unsigned size)
{
	EVP_CIPHER *ours = fetch(unit, "GCM", size, OURS),
		   *theirs = fetch(unit, "GCM", size, THEIRS);

	CHECK(EVP_CIPHER_get_flags(ours) == EVP_CIPHER_get_flags(theirs));
	CHECK(EVP_CIPHER_get_nid(ours) == EVP_CIPHER_get_nid(theirs));
	for (unsigned round = 0; round < 60; round++) {
		struct message message = any_message();
		uint8_t tag[16];

		gcm_alike(ours, theirs, &message, tag, unit_random(3) ? 16 : 4 + unit_random(13));
		tag[unit_random(4)] ^= 1u << unit_random(8);
		CHECK(!gcm_open(ours, &message, tag, unit_random(3) ? 16 : 12));
	}
	EVP_CIPHER_free(ours);
	EVP_CIPHER_free(theirs);
}

/* Long messages go in parts, each a request; what is too long is software's whole */
static void parts(struct unit *unit)
{
	static const size_t sizes[] = { PART,          PART + 1, 2 * PART,     2 * PART + 1,
					3 * PART - 16, 3 * PART, 3 * PART + 1, MOST - 1,
					MOST,          MOST + 1 };
	EVP_CIPHER *ours = fetch(unit, "GCM", 256, OURS), *theirs = fetch(unit, "GCM", 256, THEIRS);

	for (unsigned i = 0; i < 2 * COUNT(sizes); i++) {
		const struct message message = { .iv_size = 12,
						 .aad_size = 13,
						 .size = sizes[i / 2],
						 .pieces = 1,
						 .tag_early = i % 2,
						 .in_place = i % 2 };
		const unsigned requests = (unsigned)((message.size + PART - 1) / PART);
		const unsigned long long before = unit_count("gcm", UNIT_HARDWARE);
		uint8_t tag[16];

		gcm_alike(ours, theirs, &message, tag, 16);
		CHECK(unit_count("gcm", UNIT_HARDWARE) - before ==
		      (message.size > MOST ? 0 : 2 * requests));
		crypt[unit_random((unsigned)message.size)] ^= 1;
		CHECK(!gcm_open(ours, &message, tag, 16));
	}
	EVP_CIPHER_free(ours);
	EVP_CIPHER_free(theirs);
}

/* As OpenSSH: the IV is set whole and counted, and all goes through EVP_Cipher, which must tell a
 * forged tag by less than 0 */
static void by_evp_cipher(struct unit *unit, size_t size, bool forged, bool forge_text)
{
	EVP_CIPHER *ours = fetch(unit, "GCM", 256, OURS), *theirs = fetch(unit, "GCM", 256, THEIRS);
	EVP_CIPHER *of[2] = { theirs, ours };
	uint8_t tag[16], last[2][12];
	int good[2];

	for (unsigned i = 0; i < 2; i++) {
		EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
		const bool encrypt = i == 0;

		CHECK(EVP_CipherInit_ex2(context, of[i], key, NULL, encrypt, NULL));
		CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_IV_FIXED, -1, iv));
		for (unsigned packet = 0; packet < 3; packet++) {
			CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_IV_GEN, 1, last[i]));
			if (packet < 2)
				continue;
			if (!encrypt) {
				tag[3] ^= forged;
				crypt[0] ^= forge_text;
				CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag));
			}
			CHECK(EVP_Cipher(context, NULL, aad, 4) == 4);
			good[i] = EVP_Cipher(context, encrypt ? crypt : back,
					     encrypt ? text : crypt, (unsigned)size);
			if (good[i] >= 0)
				good[i] = EVP_Cipher(context, NULL, NULL, 0);
			if (encrypt)
				CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag));
		}
		CHECK(EVP_CIPHER_CTX_get_updated_iv(context, last[i], 12));
		EVP_CIPHER_CTX_free(context);
	}
	CHECK(good[0] >= 0);
	CHECK(memcmp(last[0], last[1], 12) == 0);
	CHECK((good[1] < 0) == (forged || forge_text));
	if (good[1] >= 0)
		CHECK(memcmp(back, text, size) == 0);
	EVP_CIPHER_free(ours);
	EVP_CIPHER_free(theirs);
}

/* As OpenVPN: one context for all packets, and the tag told behind the payload.  Each is the core's,
 * forged ones too, which software judges again. */
static void tags_behind(struct unit *unit)
{
	EVP_CIPHER *ours = fetch(unit, "GCM", 256, OURS), *theirs = fetch(unit, "GCM", 256, THEIRS);
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	const unsigned long long before = unit_count("gcm", UNIT_HARDWARE);
	const unsigned packets = 12;

	CHECK(EVP_DecryptInit_ex2(context, ours, key, NULL, NULL));
	for (unsigned i = 0; i < packets; i++) {
		const struct message message = { .size = i % 3 ? 1408 : LONGEST,
						 .aad_size = 8,
						 .iv_size = 12 };
		const bool forged = i % 4 == 3;
		uint8_t tag[16];
		int got;

		unit_fill(iv, sizeof(iv));
		unit_fill(text, message.size);
		gcm_seal(theirs, &message, crypt, tag);
		tag[i] ^= forged;
		CHECK(EVP_DecryptInit_ex2(context, NULL, NULL, iv, NULL));
		CHECK(EVP_DecryptUpdate(context, NULL, &got, aad, (int)message.aad_size));
		CHECK(EVP_DecryptUpdate(context, back, &got, crypt, (int)message.size));
		CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag));
		CHECK((EVP_DecryptFinal_ex(context, back + got, &got) > 0) == !forged);
		CHECK(forged || memcmp(back, text, message.size) == 0);
	}
	/* the longest go in two parts */
	CHECK(unit_count("gcm", UNIT_HARDWARE) == before + packets + packets / 3);
	EVP_CIPHER_CTX_free(context);
	EVP_CIPHER_free(ours);
	EVP_CIPHER_free(theirs);
}

/* ---- CCM ---- */

static bool ccm(EVP_CIPHER *cipher, bool encrypt, const struct message *message, uint8_t *out,
		const uint8_t *in, uint8_t tag[16], int tag_size)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int got, iv_size = (int)message->iv_size;
	bool good;

	CHECK(EVP_CipherInit_ex2(context, cipher, NULL, NULL, encrypt, NULL));
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, iv_size, NULL));
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tag_size, encrypt ? NULL : tag));
	CHECK(EVP_CipherInit_ex2(context, NULL, key, iv, encrypt, NULL));
	CHECK(EVP_CipherUpdate(context, NULL, &got, NULL, (int)message->size));
	if (message->aad_size)
		CHECK(EVP_CipherUpdate(context, NULL, &got, aad, (int)message->aad_size));
	good = EVP_CipherUpdate(context, out, &got, in, (int)message->size) > 0;
	if (encrypt) {
		CHECK(good && got == (int)message->size);
		CHECK(EVP_CipherFinal_ex(context, out + got, &got));
		CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, tag_size, tag));
	}
	EVP_CIPHER_CTX_free(context);
	return good;
}

static void ccms(struct unit *unit, unsigned size)
{
	EVP_CIPHER *ours = fetch(unit, "CCM", size, OURS),
		   *theirs = fetch(unit, "CCM", size, THEIRS);

	CHECK(EVP_CIPHER_get_flags(ours) == EVP_CIPHER_get_flags(theirs));
	for (unsigned round = 0; round < 60; round++) {
		struct message message = any_message();
		uint8_t tag[2][16];
		int tag_size = 4 + 2 * (int)unit_random(7);

		message.iv_size = 7 + unit_random(7);
		message.size += 1;
		unit_fill(key, sizeof(key));
		unit_fill(text, message.size);
		CHECK(ccm(theirs, true, &message, back, text, tag[1], tag_size));
		CHECK(ccm(ours, true, &message, crypt, text, tag[0], tag_size));
		CHECK(memcmp(tag[0], tag[1], (size_t)tag_size) == 0);
		CHECK(memcmp(crypt, back, message.size) == 0);
		CHECK(ccm(ours, false, &message, back, crypt, tag[0], tag_size));
		CHECK(memcmp(back, text, message.size) == 0);
		tag[0][unit_random(4)] ^= 1u << unit_random(8);
		CHECK(!ccm(ours, false, &message, back, crypt, tag[0], tag_size));
	}
	EVP_CIPHER_free(ours);
	EVP_CIPHER_free(theirs);
}

/* A message that ends without payload has the tag of an empty one, or none where libcrypto leaves it alone;
 * and never by a tag that the context had to compare with before */
static void ccm_without_payload(struct unit *unit)
{
	const struct message empty = { .iv_size = 7 };
	EVP_CIPHER *ours = fetch(unit, "CCM", 128, OURS), *theirs = fetch(unit, "CCM", 128, THEIRS);
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	uint8_t tag[16] = { 0 }, expected[16];
	int got;

	unit_fill(key, sizeof(key));
	CHECK(ccm(theirs, true, &empty, back, text, expected, 12));
	CHECK(EVP_DecryptInit_ex2(context, ours, key, iv, NULL));
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 12, tag));
	CHECK(EVP_EncryptInit_ex2(context, NULL, key, iv, NULL));
	CHECK(EVP_EncryptFinal_ex(context, crypt, &got) && got == 0);
	if (EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 12, tag) > 0)
		CHECK(memcmp(tag, expected, 12) == 0);
	EVP_CIPHER_CTX_free(context);
	EVP_CIPHER_free(ours);
	EVP_CIPHER_free(theirs);
	ERR_clear_error();
}

/* ---- records of TLS 1.2, as libssl makes them ---- */

static int record(EVP_CIPHER_CTX *context, bool encrypt, uint8_t *bytes, size_t size)
{
	/* number, type, version, length */
	uint8_t head[13] = { 0, 0, 0, 0, 0, 0, 0, 7, 23, 3, 3 };
	int pad, got;

	head[11] = (uint8_t)(size >> 8);
	head[12] = (uint8_t)size;
	pad = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_TLS1_AAD, sizeof(head), head);
	CHECK(pad > 0);
	if (!EVP_CipherUpdate(context, bytes, &got, bytes, (int)size + (encrypt ? pad : 0)))
		return -1;
	return got;
}

static EVP_CIPHER_CTX *record_context(EVP_CIPHER *cipher, bool encrypt, int tag_size)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();

	if (tag_size) {
		CHECK(EVP_CipherInit_ex2(context, cipher, NULL, NULL, encrypt, NULL));
		CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL));
		CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tag_size, NULL));
		CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_CCM_SET_IV_FIXED, 4, iv));
		CHECK(EVP_CipherInit_ex2(context, NULL, key, NULL, encrypt, NULL));
	} else {
		CHECK(EVP_CipherInit_ex2(context, cipher, key, NULL, encrypt, NULL));
		CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_IV_FIXED, 4, iv));
	}
	return context;
}

/* What one seals the other opens, unless somebody has changed a bit of it */
static void records(EVP_CIPHER *from, EVP_CIPHER *to, int tag_size)
{
	EVP_CIPHER_CTX *seal = record_context(from, true, tag_size);
	EVP_CIPHER_CTX *open = record_context(to, false, tag_size);
	uint8_t *bytes = crypt;

	for (unsigned round = 0; round < 40; round++) {
		size_t size = unit_random(round % 2 ? 16385 : 100);
		bool forged = unit_random(4) == 0;
		int sealed;

		unit_fill(text, size);
		memcpy(bytes + 8, text, size);
		sealed = record(seal, true, bytes, size + 8);
		CHECK(sealed == (int)size + 8 + (tag_size ? tag_size : 16));
		if (forged)
			bytes[unit_random((unsigned)sealed)] ^= 1u << unit_random(8);
		CHECK(record(open, false, bytes, (size_t)sealed) == (forged ? -1 : (int)size));
		CHECK(forged || memcmp(bytes + 8, text, size) == 0);
	}
	EVP_CIPHER_CTX_free(seal);
	EVP_CIPHER_CTX_free(open);
}

static void both_records(struct unit *unit, const char *mode, int tag_size)
{
	EVP_CIPHER *ours = fetch(unit, mode, 128, OURS), *theirs = fetch(unit, mode, 128, THEIRS);

	unit_fill(key, sizeof(key));
	unit_fill(iv, sizeof(iv));
	records(ours, theirs, tag_size);
	records(theirs, ours, tag_size);
	EVP_CIPHER_free(ours);
	EVP_CIPHER_free(theirs);
}

/* A tag is given whole and after its message, which an IV of another size does not end; such an IV is no IV */
static void no_tag_too_early(struct unit *unit, const char *properties)
{
	EVP_CIPHER *gcm = EVP_CIPHER_fetch(unit->library, "AES-128-GCM", properties);
	EVP_CIPHER *ccm = EVP_CIPHER_fetch(unit->library, "AES-128-CCM", properties);
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	uint8_t text[304] = { 0 }, tag[16];
	int got;

	CHECK(gcm && ccm && EVP_EncryptInit_ex2(context, gcm, text, text, NULL));
	CHECK(EVP_EncryptUpdate(context, text, &got, text, sizeof(text)));
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) <= 0);
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 16, NULL) > 0);
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) <= 0);
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) > 0);
	CHECK(EVP_EncryptInit_ex2(context, NULL, NULL, text, NULL));
	CHECK(EVP_EncryptUpdate(context, text, &got, text, sizeof(text)));
	CHECK(EVP_EncryptFinal_ex(context, text, &got));
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) > 0);
	CHECK(EVP_EncryptInit_ex2(context, NULL, NULL, text, NULL));
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 16, NULL) > 0);
	CHECK(!EVP_EncryptUpdate(context, text, &got, text, sizeof(text)));
	CHECK(EVP_EncryptInit_ex2(context, NULL, NULL, text, NULL));
	CHECK(EVP_EncryptUpdate(context, text, &got, text, sizeof(text)));

	CHECK(EVP_CIPHER_CTX_reset(context));
	CHECK(EVP_EncryptInit_ex2(context, ccm, text, text, NULL));
	CHECK(EVP_EncryptUpdate(context, text, &got, text, sizeof(text)));
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 4, tag) <= 0);
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 12, tag) > 0);
	EVP_CIPHER_CTX_free(context);
	EVP_CIPHER_free(gcm);
	EVP_CIPHER_free(ccm);
	ERR_clear_error();
}

static void all(const char *device, const char *thresholds, bool core)
{
	struct unit unit = unit_open(device, thresholds);

	unit_fill(aad, sizeof(aad));
	for (unsigned i = 0; i < COUNT(bits); i++) {
		gcm(&unit, bits[i]);
		ccms(&unit, bits[i]);
	}
	for (unsigned i = 0; i < 16; i++)
		by_evp_cipher(&unit, 16 << (i / 4 * 2), i & 1, i & 2);
	both_records(&unit, "GCM", 0);
	no_tag_too_early(&unit, OURS);
	no_tag_too_early(&unit, THEIRS);
	ccm_without_payload(&unit);
	both_records(&unit, "CCM", 16);
	both_records(&unit, "CCM", 8);
	CHECK((unit_count("gcm", UNIT_HARDWARE) > 0) == core);
	CHECK((unit_count("ccm", UNIT_HARDWARE) > 0) == core);
	unit_close(&unit);
}

static void on_the_core_alone(void)
{
	struct unit unit = unit_open("model", "all=1");

	tags_behind(&unit);
	parts(&unit);
	unit_close(&unit);
}

/* A part that the core fails is no loss, whichever it is */
static void parts_that_fail(void)
{
	struct unit unit = unit_open("model:faults=dma-error:rate=3", "all=1");
	EVP_CIPHER *ours = fetch(&unit, "GCM", 128, OURS),
		   *theirs = fetch(&unit, "GCM", 128, THEIRS);
	const struct message message = { .iv_size = 12, .size = MOST, .pieces = 1 };
	uint8_t tag[2][16];

	for (unsigned i = 0; i < 12; i++) {
		unit_fill(text, message.size);
		gcm_seal(theirs, &message, back, tag[1]);
		gcm_seal(ours, &message, crypt, tag[0]);
		CHECK(memcmp(tag[0], tag[1], 16) == 0);
		CHECK(memcmp(crypt, back, message.size) == 0);
		CHECK(gcm_open(ours, &message, tag[0], 16));
		CHECK(memcmp(back, text, message.size) == 0);
	}
	CHECK(unit_count("gcm", UNIT_FAILED) > 0);
	EVP_CIPHER_free(ours);
	EVP_CIPHER_free(theirs);
	unit_close(&unit);
}

int main(void)
{
	on_the_core_alone();
	parts_that_fail();
	all("model", "all=1", true);
	all("model", "all=100", true);
	all("model", "all=1000000", false);
	/* a core that fails, and one that calls right tags wrong, refuse nobody */
	all("model:faults=dma-error:rate=5", "all=16", true);
	all("model:faults=wrong-tag:rate=1000000", "all=16", true);
	return 0;
}
