/* SPDX-License-Identifier: Apache-2.0 */
/* Ciphers, messages with a tag, hashes and MACs: what CryptoMaster does. */
#include <string.h>

#include "aimed-cases.h"

#define SIZE 40u
#define LONG 70000u /* more than a slot holds: it goes in pieces */
#define TAG  16u

#define DATA   SPACE(aimed_out, SIZE)
#define BLOCKS SPACE(aimed_out, 32)
#define CODE   SPACE(aimed_out + SIZE, TAG)

static const uint8_t key[32] = { 1, 2, 3, [31] = 9 }, keys[64] = { 4, 5, [40] = 6 };
static const uint8_t iv[16] = { 7, [15] = 0xfe }, nonce[12] = { 8, [11] = 3 };
static const uint8_t aad[20] = { 9, [19] = 1 };
static uint8_t plain[SIZE], plenty[LONG];

/* Ciphertexts of it, their tags, and tags that are not theirs */
static uint8_t gcm[SIZE], gcm_tag[TAG], ccm[SIZE], ccm_tag[TAG];
static uint8_t gcm_forged[TAG], ccm_forged[TAG], zeros[TAG], ones[TAG];

#define PLAIN(mode_, key_, iv_, size, ...)                                                \
	{                                                                                 \
		.operation = FIRESTEEL_CIPHER, .cipher = { .mode = FIRESTEEL_##mode_,     \
							   .key = BYTES(key_),            \
							   .iv = iv_,                     \
							   .in = PART(plain, size),       \
							   .out = SPACE(aimed_out, size), \
							   __VA_ARGS__ }                  \
	}

#define SEAL(mode_)                                                                   \
	{                                                                             \
		.operation = FIRESTEEL_CIPHER, .cipher = { .mode = FIRESTEEL_##mode_, \
							   .key = BYTES(key),         \
							   .iv = BYTES(nonce),        \
							   .aad = BYTES(aad),         \
							   .in = BYTES(plain),        \
							   .out = DATA,               \
							   .tag = CODE }              \
	}

#define OPEN(mode_, from, ...)                                                        \
	{                                                                             \
		.operation = FIRESTEEL_CIPHER, .cipher = { .mode = FIRESTEEL_##mode_, \
							   .decrypt = true,           \
							   .key = BYTES(key),         \
							   .iv = BYTES(nonce),        \
							   .aad = BYTES(aad),         \
							   .in = BYTES(from),         \
							   .out = DATA,               \
							   __VA_ARGS__ }              \
	}

#define MAC(from)                                                                                 \
	{                                                                                         \
		.operation = FIRESTEEL_CIPHER, .cipher = {                                        \
			.mode = FIRESTEEL_CMAC, .key = BYTES(key), .in = BYTES(from), .tag = CODE \
		}                                                                                 \
	}

#define HASH(algorithm_, from, size, ...)                                                   \
	{                                                                                   \
		.operation = FIRESTEEL_HASH, .hash = { .algorithm = FIRESTEEL_##algorithm_, \
						       .in = BYTES(from),                   \
						       .digest = SPACE(aimed_out, size),    \
						       __VA_ARGS__ }                        \
	}

#define EXPECT(tag) .expected = BYTES(tag)
#define HMAC        .hmac = true, .key = BYTES(key)

static const struct {
	const char *name;
	int answer;
	struct firesteel_request request;
} messages[] = {
	{ "ECB", 0, PLAIN(ECB, key, PART(NULL, 0), 32) },
	{ "CBC", 0, PLAIN(CBC, key, BYTES(iv), 32) },
	{ "CBC, decryption", 0, PLAIN(CBC, key, BYTES(iv), 32, .decrypt = true) },
	{ "CTR", 0, PLAIN(CTR, key, BYTES(iv), SIZE) },
	{ "CFB", 0, PLAIN(CFB, key, BYTES(iv), SIZE) },
	{ "OFB", 0, PLAIN(OFB, key, BYTES(iv), SIZE) },
	{ "XTS", 0, PLAIN(XTS, keys, BYTES(iv), SIZE) },
	{ "GCM", 0, SEAL(GCM) },
	{ "GCM, a good tag", 0, OPEN(GCM, gcm, EXPECT(gcm_tag)) },
	{ "GCM, a tag for the caller to compare", 0, OPEN(GCM, gcm, .tag = CODE) },
	{ "GCM, a forged tag", FIRESTEEL_ERROR_TAG, OPEN(GCM, gcm, EXPECT(gcm_forged)) },
	{ "GCM, a tag of zeros", FIRESTEEL_ERROR_TAG, OPEN(GCM, gcm, EXPECT(zeros)) },
	{ "GCM, a tag of ones", FIRESTEEL_ERROR_TAG, OPEN(GCM, gcm, EXPECT(ones)) },
	{ "CCM", 0, SEAL(CCM) },
	{ "CCM, a good tag", 0, OPEN(CCM, ccm, EXPECT(ccm_tag)) },
	{ "CCM, a forged tag", FIRESTEEL_ERROR_TAG, OPEN(CCM, ccm, EXPECT(ccm_forged)) },
	{ "CCM, a tag of ones", FIRESTEEL_ERROR_TAG, OPEN(CCM, ccm, EXPECT(ones)) },
	{ "CMAC", 0, MAC(plain) },
	{ "CMAC, in pieces", 0, MAC(plenty) },
	{ "SHA-1", 0, HASH(SHA1, plain, 20) },
	{ "SHA-256", 0, HASH(SHA256, plain, 32) },
	{ "SHA-256, in pieces", 0, HASH(SHA256, plenty, 32) },
	{ "SHA-512", 0, HASH(SHA512, plain, 64) },
	{ "HMAC", 0, HASH(SHA256, plain, 32, HMAC) },
	{ "HMAC, in pieces", 0, HASH(SHA384, plenty, 48, HMAC) },
};

static bool seal(struct firesteel *device, enum firesteel_mode mode, uint8_t *sealed, uint8_t *tag,
		 uint8_t *forged)
{
	struct firesteel_request request = SEAL(GCM);

	request.cipher.mode = mode;
	request.cipher.out.data = sealed;
	request.cipher.tag.data = tag;
	if (firesteel_run(device, &request) != FIRESTEEL_OK)
		return false;
	memcpy(forged, tag, TAG);
	forged[TAG - 1] ^= 1;
	return true;
}

size_t aimed_messages(struct firesteel *device, struct aimed_case cases[AIMED_CASES_MAX])
{
	size_t count = 0;

	_Static_assert(COUNT(messages) <= AIMED_CASES_MAX, "");
	for (size_t i = 0; i < LONG; i++)
		plenty[i] = (uint8_t)(i * i >> 3);
	memcpy(plain, plenty + 100, SIZE);
	memset(ones, 0xff, sizeof(ones));
	if (!seal(device, FIRESTEEL_GCM, gcm, gcm_tag, gcm_forged) ||
	    !seal(device, FIRESTEEL_CCM, ccm, ccm_tag, ccm_forged))
		return 0;
	for (size_t i = 0; i < COUNT(messages); i++) {
		cases[count] = (struct aimed_case){ .name = messages[i].name,
						    .request = messages[i].request,
						    .answer = messages[i].answer };
		if (firesteel_expect_ns(device, &messages[i].request) == FIRESTEEL_ERROR_ABSENT)
			continue;
		if (!aimed_try(device, &cases[count++]))
			return 0;
	}
	return count;
}
