/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known answers of symmetric requests: runs the vectors of a file (model/tests/vectors_symmetric.py
 * tells its lines) through the library, each as a whole, in place in a buffer of the pool, and in
 * pieces, and prints how many agreed.
 *
 *     answers-symmetric FILE
 *
 * A wrong answer ends it with an error, and so does a kind of which there is no vector.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define FIELDS  8u
#define LARGEST 65536u
#define BLOCK   16u

enum { NAME, DIRECTION, KEY, IV, AAD, DATA, EXPECTED, TAG };

struct kind {
	const char *name;
	int algorithm;
	bool hash;
	bool hmac;
	unsigned agreed;
};

static struct kind kinds[] = {
	{ "ECB", FIRESTEEL_ECB, false, false, 0 },
	{ "CBC", FIRESTEEL_CBC, false, false, 0 },
	{ "CTS", FIRESTEEL_CBC, false, false, 0 },
	{ "CTR", FIRESTEEL_CTR, false, false, 0 },
	{ "CFB", FIRESTEEL_CFB, false, false, 0 },
	{ "OFB", FIRESTEEL_OFB, false, false, 0 },
	{ "CCM", FIRESTEEL_CCM, false, false, 0 },
	{ "GCM", FIRESTEEL_GCM, false, false, 0 },
	{ "XTS", FIRESTEEL_XTS, false, false, 0 },
	{ "CMAC", FIRESTEEL_CMAC, false, false, 0 },
	{ "SHA1", FIRESTEEL_SHA1, true, false, 0 },
	{ "SHA224", FIRESTEEL_SHA224, true, false, 0 },
	{ "SHA256", FIRESTEEL_SHA256, true, false, 0 },
	{ "SHA384", FIRESTEEL_SHA384, true, false, 0 },
	{ "SHA512", FIRESTEEL_SHA512, true, false, 0 },
	{ "HMAC-SHA1", FIRESTEEL_SHA1, true, true, 0 },
	{ "HMAC-SHA224", FIRESTEEL_SHA224, true, true, 0 },
	{ "HMAC-SHA256", FIRESTEEL_SHA256, true, true, 0 },
	{ "HMAC-SHA384", FIRESTEEL_SHA384, true, true, 0 },
	{ "HMAC-SHA512", FIRESTEEL_SHA512, true, true, 0 },
};

struct vector {
	struct kind *kind;
	bool decrypt;
	bool must_fail; /* the tag is wrong */
	uint8_t key[512], iv[64], aad[LARGEST], data[LARGEST], expected[LARGEST], tag[64];
	size_t key_size, iv_size, aad_size, size, tag_size;
};

static const char *path;
static unsigned line_number;
static struct firesteel *device;
static uint8_t found[LARGEST], tag[64];

static void wrong(const struct vector *vector, const char *what)
{
	fail_msg("%s:%u: %s: %s", path, line_number, vector->kind->name, what);
}

/* ---- AES ---- */

static struct firesteel_request cipher_request(struct vector *vector)
{
	struct firesteel_request request = {
		.operation = FIRESTEEL_CIPHER,
		.cipher = {
			.mode = (enum firesteel_mode)vector->kind->algorithm,
			.decrypt = vector->decrypt,
			.key = { vector->key, vector->key_size },
			.iv = { vector->iv, vector->iv_size },
			.aad = { vector->aad, vector->aad_size },
			.in = { vector->data, vector->size },
			.out = { found, vector->size },
			.total = vector->size,
		},
	};

	if (vector->decrypt)
		request.cipher.expected = PART(vector->tag, vector->tag_size);
	else
		request.cipher.tag = SPACE(tag, vector->tag_size);
	return request;
}

static void check_cipher(struct vector *vector, int error, const uint8_t *output)
{
	bool payload = vector->kind->algorithm != FIRESTEEL_CMAC;

	/* CMAC's bad vectors have the wrong one in their line */
	if (vector->must_fail && !payload) {
		if (error || memcmp(tag, vector->tag, vector->tag_size) == 0)
			wrong(vector, "a wrong tag passes");
		return;
	}
	if (error != (vector->must_fail ? FIRESTEEL_ERROR_TAG : FIRESTEEL_OK))
		wrong(vector, firesteel_error_text(error));
	if (vector->must_fail)
		return;
	if (payload && memcmp(output, vector->expected, vector->size) != 0)
		wrong(vector, "wrong output");
	if (!vector->decrypt && memcmp(tag, vector->tag, vector->tag_size) != 0)
		wrong(vector, "wrong tag");
}

static void in_place(struct vector *vector)
{
	struct firesteel_request request = cipher_request(vector);
	uint8_t *buffer;

	if (vector->size == 0)
		return;
	buffer = firesteel_buffer_new(device, vector->size);
	assert_non_null(buffer);
	memcpy(buffer, vector->data, vector->size);
	request.cipher.in.data = buffer;
	request.cipher.out.data = buffer;
	check_cipher(vector, firesteel_run(device, &request), buffer);
	firesteel_buffer_free(device, buffer);
}

static void in_pieces(struct vector *vector, size_t first)
{
	struct firesteel_cipher_context context = { 0 };
	struct firesteel_request request = cipher_request(vector);
	bool payload = vector->kind->algorithm != FIRESTEEL_CMAC;

	request.cipher.context = &context;
	request.cipher.more = true;
	request.cipher.in.size = first;
	request.cipher.out.size = first;
	unit_run(device, &request, FIRESTEEL_OK);
	request.cipher.more = false;
	request.cipher.aad.size = 0;
	request.cipher.in = PART(vector->data + first, vector->size - first);
	request.cipher.out = SPACE(found + first, payload ? vector->size - first : 0);
	check_cipher(vector, firesteel_run(device, &request), found);
}

/* GCM is opened before its tag is there: the caller compares what is computed */
static void tag_behind(struct vector *vector)
{
	struct firesteel_request request = cipher_request(vector);
	uint8_t computed[16];

	if (!vector->decrypt || vector->kind->algorithm != FIRESTEEL_GCM)
		return;
	request.cipher.tag = SPACE(computed, sizeof(computed));
	unit_run(device, &request, FIRESTEEL_ERROR_INVALID);
	request.cipher.expected = PART(NULL, 0);
	unit_run(device, &request, FIRESTEEL_OK);
	if ((memcmp(computed, vector->tag, vector->tag_size) == 0) == vector->must_fail)
		wrong(vector, "wrong tag");
	request.cipher.tag.size = 0;
	unit_run(device, &request, FIRESTEEL_ERROR_INVALID);
}

static void run_cipher(struct vector *vector)
{
	struct firesteel_request request = cipher_request(vector);

	check_cipher(vector, firesteel_run(device, &request), found);
	tag_behind(vector);
	in_place(vector);
	for (size_t first = BLOCK; first + BLOCK < vector->size; first += first)
		in_pieces(vector, first);
}

/* ---- hash ---- */

static struct firesteel_request hash_request(struct vector *vector)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_HASH,
		.hash = {
			.algorithm = (enum firesteel_digest)vector->kind->algorithm,
			.hmac = vector->kind->hmac,
			.key = { vector->key, vector->key_size },
			.in = { vector->data, vector->size },
			.digest = { found, vector->tag_size },
		},
	};
}

static void check_hash(struct vector *vector, int error)
{
	if (error)
		wrong(vector, firesteel_error_text(error));
	if (memcmp(found, vector->tag, vector->tag_size) != 0)
		wrong(vector, "wrong digest");
	memset(found, 0, vector->tag_size);
}

static void hash_pieces(struct vector *vector, size_t piece)
{
	struct firesteel_hash_context context = { 0 };
	struct firesteel_request request = hash_request(vector);
	size_t done = 0;

	request.hash.context = &context;
	for (; done + piece < vector->size; done += piece) {
		request.hash.more = true;
		request.hash.in = PART(vector->data + done, piece);
		unit_run(device, &request, FIRESTEEL_OK);
	}
	request.hash.more = false;
	request.hash.in = PART(vector->data + done, vector->size - done);
	check_hash(vector, firesteel_run(device, &request));
}

static void run_hash(struct vector *vector)
{
	static const size_t pieces[] = { 1, 37, 64, 200, 5000 };
	struct firesteel_request request = hash_request(vector);

	check_hash(vector, firesteel_run(device, &request));
	for (unsigned i = 0; i < COUNT(pieces); i++)
		if (vector->size <= 200 * pieces[i])
			hash_pieces(vector, pieces[i]);
}

/* ---- reading ---- */

static void read_vector(struct vector *vector, char *line)
{
	const char *field[FIELDS];

	for (unsigned i = 0; i < FIELDS; i++) {
		field[i] = strsep(&line, " ");
		assert_non_null(field[i]);
	}
	vector->kind = NULL;
	for (unsigned i = 0; i < COUNT(kinds); i++)
		if (strcmp(kinds[i].name, field[NAME]) == 0)
			vector->kind = &kinds[i];
	assert_non_null(vector->kind);
	vector->decrypt = strcmp(field[DIRECTION], "decrypt") == 0;
	vector->key_size = unit_hex(field[KEY], vector->key, sizeof(vector->key));
	vector->iv_size = unit_hex(field[IV], vector->iv, sizeof(vector->iv));
	vector->aad_size = unit_hex(field[AAD], vector->aad, sizeof(vector->aad));
	vector->size = unit_hex(field[DATA], vector->data, sizeof(vector->data));
	vector->must_fail = strcmp(field[EXPECTED], "!") == 0;
	if (!vector->must_fail)
		unit_hex(field[EXPECTED], vector->expected, sizeof(vector->expected));
	vector->tag_size = unit_hex(field[TAG], vector->tag, sizeof(vector->tag));
}

/* Tags that the library does not take: GCM's of less than 12 bytes, CCM without one */
static bool is_taken(const struct vector *vector)
{
	if (vector->kind->hash)
		return true;
	return (vector->kind->algorithm != FIRESTEEL_GCM || vector->tag_size >= 12) &&
	       (vector->kind->algorithm != FIRESTEEL_CCM || vector->tag_size >= 4);
}

static void known_answers(void **state)
{
	static struct vector vector;
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t capacity = 0;

	(void)state;
	assert_non_null(file);
	device = unit_open("model");
	while (getline(&line, &capacity, file) > 0) {
		line_number++;
		line[strcspn(line, "\n")] = '\0';
		read_vector(&vector, line);
		if (!is_taken(&vector))
			continue;
		if (vector.kind->hash)
			run_hash(&vector);
		else
			run_cipher(&vector);
		vector.kind->agreed++;
	}
	free(line);
	fclose(file);
	firesteel_close(device);
}

static void no_kind_is_empty(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(kinds); i++) {
		print_message("%-12s %5u\n", kinds[i].name, kinds[i].agreed);
		assert_true(kinds[i].agreed > 0);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers),
		cmocka_unit_test(no_kind_is_empty),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: answers-symmetric FILE\n");
		return 2;
	}
	path = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
