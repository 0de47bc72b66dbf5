/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Known answers of the symmetric engines: runs the vectors of a file (vectors_symmetric.py tells
 * its lines) through the cores as jobs, each in one piece and once more in pieces, and prints how
 * many agreed.
 *
 *     answers-symmetric FILE
 *
 * A wrong answer ends it with an error, and so does a set of vectors that is empty: each mode has
 * one for each of its key sizes and directions, each hash one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../silex/ba411.h"
#include "../../silex/ba413.h"
#include "message.h"
#include "unit.h"

#define FIELDS    8u
#define LARGEST   65536u
#define KEY_SIZES 3u

enum { NAME, DIRECTION, KEY, IV, HEADER, DATA, EXPECTED, TAG };

/* A mode or hash, and how many vectors of it agreed */
struct set {
	const char *name;
	uint32_t mode;
	bool hash;
	bool hmac;
	unsigned keys; /* of 128, 192, 256 bits: bits 0 to 2 */
	bool decrypts;
	unsigned agreed[KEY_SIZES][2]; /* by key size, encrypting and decrypting */
};

#define ALL_KEYS 7u
#define NO_KEY   1u

static struct set sets[] = {
	{ "ECB", SILEX_AES_MODE_ECB, .keys = ALL_KEYS, .decrypts = true },
	{ "CBC", SILEX_AES_MODE_CBC, .keys = ALL_KEYS, .decrypts = true },
	{ "CTS", SILEX_AES_MODE_CBC, .keys = 1, .decrypts = true },
	{ "CTR", SILEX_AES_MODE_CTR, .keys = ALL_KEYS, .decrypts = true },
	{ "CFB", SILEX_AES_MODE_CFB, .keys = ALL_KEYS, .decrypts = true },
	{ "OFB", SILEX_AES_MODE_OFB, .keys = ALL_KEYS, .decrypts = true },
	{ "CCM", SILEX_AES_MODE_CCM, .keys = ALL_KEYS, .decrypts = true },
	{ "GCM", SILEX_AES_MODE_GCM, .keys = ALL_KEYS, .decrypts = true },
	{ "XTS", SILEX_AES_MODE_XTS, .keys = 5, .decrypts = true },
	{ "CMAC", SILEX_AES_MODE_CMAC, .keys = ALL_KEYS },
	{ "SHA1", SILEX_HASH_ALG_SHA1, .hash = true, .keys = NO_KEY },
	{ "SHA224", SILEX_HASH_ALG_SHA224, .hash = true, .keys = NO_KEY },
	{ "SHA256", SILEX_HASH_ALG_SHA256, .hash = true, .keys = NO_KEY },
	{ "SHA384", SILEX_HASH_ALG_SHA384, .hash = true, .keys = NO_KEY },
	{ "SHA512", SILEX_HASH_ALG_SHA512, .hash = true, .keys = NO_KEY },
	{ "HMAC-SHA1", SILEX_HASH_ALG_SHA1, .hash = true, .hmac = true, .keys = NO_KEY },
	{ "HMAC-SHA224", SILEX_HASH_ALG_SHA224, .hash = true, .hmac = true, .keys = NO_KEY },
	{ "HMAC-SHA256", SILEX_HASH_ALG_SHA256, .hash = true, .hmac = true, .keys = NO_KEY },
	{ "HMAC-SHA384", SILEX_HASH_ALG_SHA384, .hash = true, .hmac = true, .keys = NO_KEY },
	{ "HMAC-SHA512", SILEX_HASH_ALG_SHA512, .hash = true, .hmac = true, .keys = NO_KEY },
};

#define SETS (sizeof(sets) / sizeof(*sets))

/* A line */
struct vector {
	struct set *set;
	struct message message;
	uint8_t input[LARGEST];
	uint8_t expected[LARGEST];
	uint8_t tag[MESSAGE_TAG];
	size_t tag_size;
	bool must_fail; /* the tag is wrong */
	unsigned line;
};

static const char *path;
static struct bus *bus;
static struct dice dice;

/* ---- reading ---- */

static void wrong(const struct vector *vector, const char *what)
{
	fail_msg("%s:%u: %s", path, vector->line, what);
}

static size_t bytes_of(const struct vector *vector, const char *text, uint8_t *bytes,
		       size_t capacity)
{
	size_t size = strcmp(text, "-") == 0 ? 0 : strlen(text) / 2;

	if (size > capacity)
		wrong(vector, "a field is too long");
	for (size_t i = 0; i < size; i++)
		if (sscanf(text + 2 * i, "%2hhx", &bytes[i]) != 1)
			wrong(vector, "a field is no hexadecimal number");
	return size;
}

static void find_set(struct vector *vector, const char *name)
{
	for (unsigned i = 0; i < SETS; i++) {
		if (strcmp(sets[i].name, name) == 0) {
			vector->set = &sets[i];
			return;
		}
	}
	wrong(vector, "an unknown name");
}

/* CCM takes the tag as its trailer when decrypting and gives the difference; GCM's is compared */
static void read_tag(struct vector *vector, const char *text)
{
	struct message *message = &vector->message;

	vector->tag_size = bytes_of(vector, text, vector->tag, sizeof(vector->tag));
	message->tag_size = vector->tag_size;
	if (message->mode != SILEX_AES_MODE_CCM || message->hash || !message->decrypt)
		return;
	memcpy(message->received, vector->tag, vector->tag_size);
	memset(vector->tag, 0, sizeof(vector->tag));
}

static void read_vector(struct vector *vector, char *fields[FIELDS])
{
	struct message *message = &vector->message;

	find_set(vector, fields[NAME]);
	*message = (struct message){
		.mode = vector->set->mode,
		.hash = vector->set->hash,
		.hmac = vector->set->hmac,
		.decrypt = strcmp(fields[DIRECTION], "decrypt") == 0,
		.input = vector->input,
	};
	message->key_size = bytes_of(vector, fields[KEY], message->key, sizeof(message->key));
	message->iv_size = bytes_of(vector, fields[IV], message->iv, sizeof(message->iv));
	message->header_size = bytes_of(vector, fields[HEADER], message->header,
					sizeof(message->header));
	message->size = bytes_of(vector, fields[DATA], vector->input, sizeof(vector->input));
	vector->must_fail = strcmp(fields[EXPECTED], "!") == 0;
	if (!vector->must_fail &&
	    bytes_of(vector, fields[EXPECTED], vector->expected, sizeof(vector->expected)) !=
		    (message_has_payload(message) ? message->size : 0))
		wrong(vector, "input and output are not of one length");
	read_tag(vector, fields[TAG]);
}

static bool read_line(struct vector *vector, FILE *file)
{
	static char *line;
	static size_t capacity;
	char *fields[FIELDS], *rest;

	if (getline(&line, &capacity, file) < 0) {
		free(line);
		return false;
	}
	vector->line++;
	line[strcspn(line, "\n")] = '\0';
	rest = line;
	for (unsigned i = 0; i < FIELDS; i++) {
		fields[i] = strsep(&rest, " ");
		if (!fields[i])
			wrong(vector, "not all fields");
	}
	read_vector(vector, fields);
	return true;
}

/* ---- running ---- */

static void check(struct vector *vector, struct jobs *jobs)
{
	static uint8_t found[LARGEST];
	const struct message *message = &vector->message;
	bool equal;

	if (!vector->must_fail && message_has_payload(message)) {
		jobs_gather(jobs, &message->payload, found);
		if (memcmp(found, vector->expected, message->size) != 0)
			wrong(vector, "wrong output");
	}
	jobs_gather(jobs, &message->tail, found);
	equal = memcmp(found, vector->tag, vector->tag_size) == 0;
	if (equal == vector->must_fail)
		wrong(vector, equal ? "a wrong tag passes" : "wrong tag or digest");
}

static void run(struct vector *vector, bool split)
{
	static struct jobs jobs;

	jobs_begin(&jobs, bus, &dice);
	jobs.split = split;
	message_add(&jobs, &vector->message, false);
	if (jobs_run(&jobs) & SILEX_CM_INT_ERRORS)
		wrong(vector, "a bus error");
	check(vector, &jobs);
}

static void count(struct vector *vector)
{
	size_t bytes = vector->message.key_size;
	unsigned size = 0;

	if (!vector->set->hash) {
		bytes /= vector->set->mode == SILEX_AES_MODE_XTS ? 2 : 1;
		size = (unsigned)(bytes - 16) / 8;
	}
	if (size >= KEY_SIZES)
		wrong(vector, "no size of a key");
	vector->set->agreed[size][vector->message.decrypt]++;
}

/* ---- the sets ---- */

static void known_answers(void **state)
{
	static struct vector vector;
	FILE *file = fopen(path, "r");

	(void)state;
	assert_non_null(file);
	bus = bus_open("hash=on,zero=on");
	dice_begin(&dice, 1);
	while (read_line(&vector, file)) {
		run(&vector, false);
		run(&vector, true);
		count(&vector);
	}
	bus_close(bus);
	fclose(file);
}

static void print_set(const struct set *set)
{
	if (set->hash) {
		print_message("%-12s %5u\n", set->name, set->agreed[0][0]);
		return;
	}
	for (unsigned size = 0; size < KEY_SIZES; size++)
		if (set->keys >> size & 1)
			print_message("%-12s %5u encrypted %5u decrypted, %u-bit key\n", set->name,
				      set->agreed[size][0], set->agreed[size][1], 128 + 64 * size);
}

static void no_set_is_empty(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SETS; i++) {
		print_set(&sets[i]);
		for (unsigned size = 0; size < KEY_SIZES; size++) {
			if (!(sets[i].keys >> size & 1))
				continue;
			assert_true(sets[i].agreed[size][0] > 0);
			assert_true(sets[i].agreed[size][1] > 0 || !sets[i].decrypts);
		}
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers),
		cmocka_unit_test(no_set_is_empty),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: answers-symmetric FILE\n");
		return 2;
	}
	path = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
