/* SPDX-License-Identifier: Apache-2.0 */
/* Published answers of AES, hashes and HMAC. */
#include "checks.h"

#include <stdio.h>
#include <string.h>

#include "words.h"

#define SECTION "known-answers"
#define BLOCK   16u

enum { NAME, DIRECTION, KEY, IV, HEADER, INPUT, EXPECTED, TAG };

/* What vectors are of */
struct kind {
	const char *check;
	const char *vectors; /* their name */
	int algorithm; /* enum firesteel_mode or enum firesteel_digest */
};

static const struct kind modes[] = {
	{ "aes-ecb", "ECB", FIRESTEEL_ECB }, { "aes-cbc", "CBC", FIRESTEEL_CBC },
	{ "aes-cts", "CTS", FIRESTEEL_CBC }, { "aes-ctr", "CTR", FIRESTEEL_CTR },
	{ "aes-cfb", "CFB", FIRESTEEL_CFB }, { "aes-ofb", "OFB", FIRESTEEL_OFB },
	{ "aes-ccm", "CCM", FIRESTEEL_CCM }, { "aes-gcm", "GCM", FIRESTEEL_GCM },
	{ "aes-xts", "XTS", FIRESTEEL_XTS }, { "aes-cmac", "CMAC", FIRESTEEL_CMAC },
};

static const struct kind digests[] = {
	{ "sha1", "SHA1", FIRESTEEL_SHA1 },       { "sha224", "SHA224", FIRESTEEL_SHA224 },
	{ "sha256", "SHA256", FIRESTEEL_SHA256 }, { "sha384", "SHA384", FIRESTEEL_SHA384 },
	{ "sha512", "SHA512", FIRESTEEL_SHA512 },
};

static const struct kind hmacs[] = {
	{ "hmac-sha1", "HMAC-SHA1", FIRESTEEL_SHA1 },
	{ "hmac-sha224", "HMAC-SHA224", FIRESTEEL_SHA224 },
	{ "hmac-sha256", "HMAC-SHA256", FIRESTEEL_SHA256 },
	{ "hmac-sha384", "HMAC-SHA384", FIRESTEEL_SHA384 },
	{ "hmac-sha512", "HMAC-SHA512", FIRESTEEL_SHA512 },
};

/* A vector's words as bytes, and the answer to it */
struct answer {
	struct firesteel_bytes key, iv, header, input, expected, tag;
	bool decrypt;
	bool must_fail; /* the tag is wrong */
	uint8_t bytes[6][VECTOR_NUMBER];
	uint8_t output[VECTOR_NUMBER];
	uint8_t tag_output[64];
};

static void read_answer(const struct vector *vector, struct answer *answer)
{
	answer->decrypt = strcmp(vector->word[DIRECTION], "decrypt") == 0;
	answer->must_fail = strcmp(vector->word[EXPECTED], "!") == 0;
	answer->key = vector_bytes(vector, KEY, answer->bytes[0]);
	answer->iv = vector_bytes(vector, IV, answer->bytes[1]);
	answer->header = vector_bytes(vector, HEADER, answer->bytes[2]);
	answer->input = vector_bytes(vector, INPUT, answer->bytes[3]);
	if (!answer->must_fail)
		answer->expected = vector_bytes(vector, EXPECTED, answer->bytes[4]);
	answer->tag = vector_bytes(vector, TAG, answer->bytes[5]);
	memset(answer->output, 0, sizeof(answer->output));
	memset(answer->tag_output, 0, sizeof(answer->tag_output));
}

/* ---- AES ---- */

static struct firesteel_request cipher_of(const struct kind *kind, struct answer *answer)
{
	struct firesteel_request request = {
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = (enum firesteel_mode)kind->algorithm,
			    .decrypt = answer->decrypt,
			    .key = answer->key,
			    .iv = answer->iv,
			    .aad = answer->header,
			    .in = answer->input,
			    .out = { answer->output, answer->input.size } },
	};

	if (answer->decrypt)
		request.cipher.expected = answer->tag;
	else
		request.cipher.tag = (struct firesteel_output){ answer->tag_output,
								answer->tag.size };
	if (kind->algorithm == FIRESTEEL_CMAC)
		request.cipher.out.size = 0;
	return request;
}

/* Whether the window's AES takes the key, and the length where the mode has blocks */
static bool is_taken(const struct window *window, const struct kind *kind,
		     const struct answer *answer)
{
	bool whole = answer->input.size % BLOCK == 0;
	size_t key = answer->key.size;

	if (kind->algorithm == FIRESTEEL_XTS)
		key /= 2;
	if (kind->algorithm == FIRESTEEL_XTS && !whole && !window->has.cts)
		return false;
	return window->has.key_bits & 1u << (key - 16) / 8;
}

/* ---- hashes ---- */

static struct firesteel_request hash_of(const struct kind *kind, struct answer *answer)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_HASH,
		.hash = { .algorithm = (enum firesteel_digest)kind->algorithm,
			  .key = answer->key,
			  .in = answer->input,
			  .digest = { answer->tag_output, answer->tag.size } },
	};
}

static struct firesteel_request hmac_of(const struct kind *kind, struct answer *answer)
{
	struct firesteel_request request = hash_of(kind, answer);

	request.hash.hmac = true;
	return request;
}

/* ---- what came ---- */

static bool has_bytes(struct window *window, const struct kind *kind,
		      struct firesteel_bytes expected, const uint8_t *came)
{
	if (memcmp(expected.data, came, expected.size) == 0)
		return true;
	window_differs(window, kind->check, SECTION, expected.data, came, expected.size);
	return false;
}

static bool is_right(struct window *window, const struct kind *kind, const struct answer *answer,
		     int error)
{
	if (answer->must_fail && !error) {
		report_failed(window->report, kind->check, SECTION,
			      "expected that a wrong tag is found, came a right one");
		return false;
	}
	if (answer->must_fail && error == FIRESTEEL_ERROR_TAG)
		return true;
	if (error) {
		window_failed(window, FS_CM, kind->check, SECTION, error);
		return false;
	}
	return has_bytes(window, kind, answer->expected, answer->output) &&
	       (answer->decrypt || has_bytes(window, kind, answer->tag, answer->tag_output));
}

/* ---- a kind ---- */

static void run_answers(struct window *window, const struct kind *kind,
			struct firesteel_request (*request_of)(const struct kind *kind,
							       struct answer *answer))
{
	static struct answer answer;
	static struct vector vector;
	unsigned at = 0, count = 0;

	while (vector_next(kind->vectors, &at, &vector)) {
		struct firesteel_request request;

		read_answer(&vector, &answer);
		request = request_of(kind, &answer);
		if (request.operation == FIRESTEEL_CIPHER && !is_taken(window, kind, &answer))
			continue;
		if (!is_right(window, kind, &answer, window_run(window, &request)))
			return;
		count++;
	}
	report_ok(window->report, kind->check, "%u published answers", count);
}

static bool has_mode(const struct window *window, const struct kind *kind)
{
	return window->has.modes & 1u << kind->algorithm &&
	       (window->has.cts || strcmp(kind->vectors, "CTS") != 0);
}

static void all_modes(struct window *window)
{
	for (unsigned i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!has_mode(window, &modes[i]))
			report_absent(window->report, modes[i].check,
				      "the capabilities do not name it");
		else if (window_try(window, FS_CM))
			run_answers(window, &modes[i], cipher_of);
}

static void all_hashes(struct window *window, const struct kind *kinds, unsigned count, bool hmac)
{
	for (unsigned i = 0; i < count; i++)
		if (!(window->has.digests & 1u << kinds[i].algorithm) ||
		    (hmac && !window->has.hmac))
			report_absent(window->report, kinds[i].check,
				      "the capabilities do not name it");
		else if (window_try(window, FS_CM))
			run_answers(window, &kinds[i], hmac ? hmac_of : hash_of);
}

void check_symmetric(struct window *window)
{
	if (!window->has.cryptomaster)
		return;
	if (window->has.modes)
		all_modes(window);
	else
		report_absent(window->report, "aes", "the window has none");
	if (window->has.digests) {
		all_hashes(window, digests, sizeof(digests) / sizeof(*digests), false);
		all_hashes(window, hmacs, sizeof(hmacs) / sizeof(*hmacs), true);
	} else {
		report_absent(window->report, "hash", "the window has none");
	}
}
