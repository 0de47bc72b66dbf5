/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* BA413 keeps no copy of a key or message: when it is over, when another begins, after a reset,
 * in memory that is freed. */
#include <malloc.h>
#include <string.h>

#include "../../silex/ba413.h"
#include "../hash.h"
#include "dice.h"
#include "unit.h"

#define SHORT_KEY 40u
#define LONG_KEY  150u /* longer than any block, so that it is hashed */
#define TEXT      100u
#define NEEDLE    16u /* bytes that are looked for: no chance finds as much */
#define INNER_PAD 0x36 /* FIPS 198-1 */
#define OUTER_PAD 0x5c
#define ORDINARY  (SILEX_HASH_HMAC | SILEX_HASH_PAD | SILEX_HASH_FINAL)

struct core {
	struct silex_config config;
	struct silex_work work;
	struct silex_statistics statistics;
	struct silex_engine engine;
	void *unused; /* another's state, as it was made */
};

static struct dice dice;
static uint8_t key[LONG_KEY], text[TEXT];

/* ---- looking ---- */

static bool holds(void *memory, const uint8_t *bytes, uint8_t mask)
{
	uint8_t needle[NEEDLE];

	for (unsigned i = 0; i < NEEDLE; i++)
		needle[i] = bytes[i] ^ mask;
	return memmem(memory, malloc_usable_size(memory), needle, NEEDLE) != NULL;
}

/* The key as it came or as HMAC takes it, its end, or the message */
static bool holds_secrets(void *memory)
{
	return holds(memory, key, 0) || holds(memory, key, INNER_PAD) ||
	       holds(memory, key, OUTER_PAD) || holds(memory, key + LONG_KEY - NEEDLE, 0) ||
	       holds(memory, text, 0);
}

static void *watched; /* memory that is about to be freed */
static bool freed;

/* In place of free(), to look at what is given back */
void __real_free(void *memory);
void __wrap_free(void *memory);
void __wrap_free(void *memory)
{
	if (memory && memory == watched) {
		freed = true;
		assert_false(holds_secrets(memory));
	}
	__real_free(memory);
}

/* ---- messages that are not over ---- */

static void configure(struct core *core, uint32_t word)
{
	const uint8_t config[4] = { (uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
				    (uint8_t)(word >> 24) };

	core->engine.ops->configure(core->engine.state, SILEX_HASH_CONFIG, config, sizeof(config));
}

static void give(struct core *core, unsigned type, const uint8_t *bytes, size_t size)
{
	core->engine.ops->data(core->engine.state, type, bytes, size, NULL);
}

static void end(struct core *core, unsigned type)
{
	uint8_t output[SILEX_ENGINE_TAIL];

	core->engine.ops->end(core->engine.state, type, true, output);
}

static void begin_key(struct core *core, uint32_t algorithm)
{
	configure(core, algorithm | ORDINARY);
	give(core, SILEX_HASH_DATA_KEY, key, LONG_KEY);
}

static void begin_short(struct core *core, uint32_t algorithm)
{
	configure(core, algorithm | ORDINARY);
	give(core, SILEX_HASH_DATA_KEY, key, SHORT_KEY);
	end(core, SILEX_HASH_DATA_KEY);
	give(core, SILEX_HASH_DATA_MESSAGE, text, TEXT);
}

static void begin_long(struct core *core, uint32_t algorithm)
{
	begin_key(core, algorithm);
	end(core, SILEX_HASH_DATA_KEY);
	/* of a key that was hashed nothing is needed any more */
	assert_false(holds_secrets(core->engine.state));
	give(core, SILEX_HASH_DATA_MESSAGE, text, NEEDLE);
}

static void begin_state(struct core *core, uint32_t algorithm)
{
	configure(core, algorithm | SILEX_HASH_FINAL);
	give(core, SILEX_HASH_DATA_STATE, text, NEEDLE);
}

static void (*const begins[])(struct core *core, uint32_t algorithm) = {
	begin_key,
	begin_short,
	begin_long,
	begin_state,
};

/* ---- and what stays of them ---- */

static void open_core(struct core *core)
{
	memset(core, 0, sizeof(*core));
	silex_config_default(&core->config);
	core->engine.ops = &silex_hash_engine;
	core->engine.state = silex_hash_engine.create(&core->config, &core->work,
						      &core->statistics);
	core->unused = silex_hash_engine.create(&core->config, &core->work, &core->statistics);
	assert_true(core->engine.state && core->unused);
	dice_fill(&dice, key, sizeof(key));
	dice_fill(&dice, text, sizeof(text));
}

static void close_core(struct core *core)
{
	watched = core->engine.state;
	freed = false;
	silex_hash_engine.destroy(core->engine.state);
	watched = NULL;
	assert_true(freed);
	silex_hash_engine.destroy(core->unused);
}

static void after_the_end(struct core *core)
{
	end(core, SILEX_HASH_DATA_MESSAGE);
	assert_false(holds_secrets(core->engine.state));
}

static void after_a_new_configuration(struct core *core)
{
	configure(core, SILEX_HASH_ALG_SHA1);
	assert_false(holds_secrets(core->engine.state));
}

static void after_reset(struct core *core)
{
	core->engine.ops->reset(core->engine.state);
	assert_memory_equal(core->engine.state, core->unused, malloc_usable_size(core->unused));
}

static void after_free(struct core *core)
{
	(void)core; /* close_core() looks */
}

static void nothing_stays(void (*after)(struct core *core))
{
	for (uint32_t bit = SILEX_HASH_ALG_SHA1; bit <= SILEX_HASH_ALG_SHA512; bit <<= 1)
		for (unsigned i = 0; i < sizeof(begins) / sizeof(*begins); i++) {
			struct core core;

			open_core(&core);
			begins[i](&core, bit);
			assert_true(holds_secrets(core.engine.state));
			after(&core);
			close_core(&core);
		}
}

static void nothing_stays_of_a_message_that_is_over(void **state)
{
	(void)state;
	nothing_stays(after_the_end);
}

static void nothing_stays_when_a_message_begins(void **state)
{
	(void)state;
	nothing_stays(after_a_new_configuration);
}

static void a_reset_core_is_like_a_new_one(void **state)
{
	(void)state;
	nothing_stays(after_reset);
}

static void nothing_stays_in_memory_that_is_freed(void **state)
{
	(void)state;
	nothing_stays(after_free);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_stays_of_a_message_that_is_over),
		cmocka_unit_test(nothing_stays_when_a_message_begins),
		cmocka_unit_test(a_reset_core_is_like_a_new_one),
		cmocka_unit_test(nothing_stays_in_memory_that_is_freed),
	};

	dice_begin(&dice, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
