/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Every symmetric operation on random messages against libcrypto: all lengths from 0 to 300, some
 * longer ones; cut into descriptors at random places and alignments, in place and apart, several
 * jobs in one list.
 *
 * SILEX_SEED chooses other messages; the default is the same every time.
 */
#include <string.h>

#include "../../silex/ba411.h"
#include "../../silex/ba413.h"
#include "message.h"
#include "unit.h"

#define SHORT_MAX  300u
#define LONG_MAX   65536u
#define LONG_COUNT 12u
#define CHAIN      3u /* jobs in one list, at most */

/* What a kind of message may be */
struct kind {
	uint32_t mode;
	bool hash;
	bool hmac;
	size_t least; /* bytes */
	size_t unit; /* lengths are multiples of it */
	size_t iv;
	bool tagged; /* associated data and tag */
};

static const struct kind kinds[] = {
	{ .mode = SILEX_AES_MODE_ECB, .least = 16, .unit = 16 },
	{ .mode = SILEX_AES_MODE_CBC, .least = 16, .unit = 1, .iv = 16 },
	{ .mode = SILEX_AES_MODE_CTR, .least = 1, .unit = 1, .iv = 16 },
	{ .mode = SILEX_AES_MODE_CFB, .least = 1, .unit = 1, .iv = 16 },
	{ .mode = SILEX_AES_MODE_OFB, .least = 1, .unit = 1, .iv = 16 },
	{ .mode = SILEX_AES_MODE_CCM, .unit = 1, .tagged = true },
	{ .mode = SILEX_AES_MODE_GCM, .unit = 1, .iv = 12, .tagged = true },
	{ .mode = SILEX_AES_MODE_XTS, .least = 16, .unit = 1, .iv = 16 },
	{ .mode = SILEX_AES_MODE_CMAC, .unit = 1 },
	{ .mode = SILEX_HASH_ALG_SHA1, .hash = true, .unit = 1 },
	{ .mode = SILEX_HASH_ALG_SHA224, .hash = true, .unit = 1 },
	{ .mode = SILEX_HASH_ALG_SHA256, .hash = true, .unit = 1 },
	{ .mode = SILEX_HASH_ALG_SHA384, .hash = true, .unit = 1 },
	{ .mode = SILEX_HASH_ALG_SHA512, .hash = true, .unit = 1 },
	{ .mode = SILEX_HASH_ALG_SHA1, .hash = true, .hmac = true, .unit = 1 },
	{ .mode = SILEX_HASH_ALG_SHA224, .hash = true, .hmac = true, .unit = 1 },
	{ .mode = SILEX_HASH_ALG_SHA256, .hash = true, .hmac = true, .unit = 1 },
	{ .mode = SILEX_HASH_ALG_SHA384, .hash = true, .hmac = true, .unit = 1 },
	{ .mode = SILEX_HASH_ALG_SHA512, .hash = true, .hmac = true, .unit = 1 },
};

#define KINDS     (sizeof(kinds) / sizeof(*kinds))
#define KEY_SIZES 3u

static const unsigned key_sizes[KEY_SIZES] = { 16, 24, 32 };

static uint64_t seed;
static struct bus *bus;
static struct dice dice;
static bool wide;
static unsigned messages;
static uint8_t input[CHAIN][LONG_MAX], expected[CHAIN][LONG_MAX];

/* ---- one message ---- */

static void choose_key(struct message *message, const struct kind *kind, unsigned size)
{
	if (kind->hmac)
		message->key_size = dice_roll(&dice, SHORT_MAX + 1);
	else if (!kind->hash)
		message->key_size = kind->mode == SILEX_AES_MODE_XTS ? 2 * size : size;
	dice_fill(&dice, message->key, message->key_size);
}

static void choose_tag(struct message *message)
{
	message->header_size = dice_roll(&dice, SHORT_MAX + 1);
	message->tag_size = 16;
	if (message->mode == SILEX_AES_MODE_CCM) {
		/* a nonce of 13 bytes leaves 2 for the length of the payload */
		message->iv_size = 7 + dice_roll(&dice, 7);
		message->tag_size = 4 + 2 * dice_roll(&dice, 7);
	}
	dice_fill(&dice, message->header, message->header_size);
	dice_fill(&dice, message->received, message->tag_size);
}

static void choose(struct message *message, const struct kind *kind, unsigned key, bool decrypt,
		   size_t size, unsigned place)
{
	*message = (struct message){
		.mode = kind->mode,
		.hash = kind->hash,
		.hmac = kind->hmac,
		.decrypt = decrypt,
		.iv_size = kind->iv,
		.input = input[place],
		.size = size,
		.expected = expected[place],
	};
	choose_key(message, kind, key);
	if (kind->tagged)
		choose_tag(message);
	dice_fill(&dice, message->iv, message->iv_size);
	dice_fill(&dice, input[place], size);
	message_compute(message);
	messages++;
}

static void report(const struct message *message, const char *what)
{
	fail_msg("%s %s%s key %zu %s: %zu bytes, header %zu, tag %zu: wrong %s (SILEX_SEED=%llu)",
		 message->hash ? "hash" : "AES", message->hmac ? "HMAC " : "",
		 message_mode(message), message->key_size, message->decrypt ? "decrypt" : "encrypt",
		 message->size, message->header_size, message->tag_size, what,
		 (unsigned long long)seed);
}

static void check(struct jobs *jobs, const struct message *message)
{
	static uint8_t found[LONG_MAX];

	if (message_has_payload(message)) {
		jobs_gather(jobs, &message->payload, found);
		if (memcmp(found, message->expected, message->size) != 0)
			report(message, "payload");
	}
	jobs_gather(jobs, &message->tail, found);
	if (memcmp(found, message->tag, message_tail(message)) != 0)
		report(message, "tag or digest");
}

/* ---- lists of messages ---- */

static bool fits(const struct kind *kind, size_t size)
{
	return size >= kind->least && size % kind->unit == 0;
}

static bool has_key(const struct kind *kind, unsigned key)
{
	/* IEEE 1619 has no keys of 24 bytes, nor has libcrypto */
	return kind->mode != SILEX_AES_MODE_XTS || key != 24;
}

static bool has_decryption(const struct kind *kind)
{
	return !kind->hash && kind->mode != SILEX_AES_MODE_CMAC;
}

/* A short message of any kind */
static void choose_any(struct message *message, unsigned place)
{
	const struct kind *kind = &kinds[dice_roll(&dice, KINDS)];
	unsigned key = key_sizes[dice_roll(&dice, KEY_SIZES)];
	bool decrypt = has_decryption(kind) && dice_roll(&dice, 2);

	choose(message, kind, has_key(kind, key) ? key : 32, decrypt,
	       kind->least + dice_roll(&dice, 20) * kind->unit, place);
}

/* One list that begins with a message of the given kind and size; others may follow */
static void run_list(const struct kind *kind, unsigned key, bool decrypt, size_t size)
{
	static struct message chain[CHAIN];
	static struct jobs jobs;
	unsigned count = 1 + dice_roll(&dice, CHAIN);

	jobs_begin(&jobs, bus, &dice);
	jobs.wide = wide;
	jobs.split = dice_roll(&dice, 8) != 0;
	bus->mapped = dice_roll(&dice, 2);
	for (unsigned i = 0; i < count; i++) {
		if (i == 0)
			choose(&chain[i], kind, key, decrypt, size, i);
		else
			choose_any(&chain[i], i);
		message_add(&jobs, &chain[i], dice_roll(&dice, 2));
	}
	if (jobs_run(&jobs) & SILEX_CM_INT_ERRORS)
		report(&chain[0], "end: a bus error");
	for (unsigned i = 0; i < count; i++)
		check(&jobs, &chain[i]);
}

static void run_sizes(const struct kind *kind, unsigned key, bool decrypt)
{
	for (size_t size = 0; size <= SHORT_MAX; size++)
		if (fits(kind, size))
			run_list(kind, key, decrypt, size);
	for (unsigned i = 0; i < LONG_COUNT; i++) {
		size_t size = SHORT_MAX + dice_roll(&dice, LONG_MAX - SHORT_MAX);

		run_list(kind, key, decrypt, size / kind->unit * kind->unit);
	}
}

static void run_kind(const struct kind *kind)
{
	if (kind->hash) {
		run_sizes(kind, 0, false);
		return;
	}
	for (unsigned i = 0; i < KEY_SIZES; i++) {
		if (!has_key(kind, key_sizes[i]))
			continue;
		run_sizes(kind, key_sizes[i], false);
		if (has_decryption(kind))
			run_sizes(kind, key_sizes[i], true);
	}
}

static void run_all(const char *configuration)
{
	bus = bus_open(configuration);
	messages = 0;
	for (unsigned i = 0; i < KINDS; i++)
		run_kind(&kinds[i]);
	bus_close(bus);
	print_message("%u messages with %s\n", messages, configuration);
}

static void in_zero_time(void **state)
{
	(void)state;
	wide = false;
	run_all("hash=on,zero=on");
}

static void with_wide_descriptors_and_time(void **state)
{
	(void)state;
	wide = true;
	run_all("hash=on,address64=on");
}

static void with_the_key_size_from_the_configuration(void **state)
{
	(void)state;
	wide = false;
	run_all("hash=on,zero=on,aes_key_size_bits=on");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_zero_time),
		cmocka_unit_test(with_wide_descriptors_and_time),
		cmocka_unit_test(with_the_key_size_from_the_configuration),
	};

	seed = dice_seed();
	dice_begin(&dice, seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
