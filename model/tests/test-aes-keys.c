/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Which keys and modes BA411E takes, and that it forgets keys. */
#include <malloc.h>
#include <string.h>

#include "../../silex/soc.h"
#include "aes-shape.h"

/* ---- refusals ---- */

static void refuses(const struct shape *shape)
{
	uint8_t output[STREAM];

	memset(&aes_counted, 0, sizeof(aes_counted));
	assert_int_equal(aes_run(shape, output), 0);
	assert_int_equal(aes_counted.aes_jobs, 0);
	assert_int_equal(aes_counted.aes_bytes, 0);
}

static void modes_that_are_not_built_in_give_nothing(void **state)
{
	const uint32_t caps = aes_config.aes_caps;

	(void)state;
	for (unsigned i = 0; i < AES_MODES; i++) {
		struct shape shape = aes_shape(aes_modes[i], 16);

		aes_config.aes_caps = caps & ~(1u << i);
		refuses(&shape);
		aes_config.aes_caps = caps & (1u << i | ~SILEX_AES_CAPS_MODES);
		aes_run(&shape, (uint8_t[STREAM]){ 0 });
		assert_int_equal(aes_counted.aes_jobs, 1);
		aes_config.aes_caps = caps;
	}
}

static void keys_that_are_not_built_in_give_nothing(void **state)
{
	const uint32_t caps = aes_config.aes_caps;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct shape shape = aes_shape(SILEX_AES_MODE_CTR, 16 + 8 * i);

		aes_config.aes_caps = caps & ~(SILEX_AES_CAPS_KEY_128 << i);
		refuses(&shape);
		aes_config.aes_caps = caps;
		aes_run(&shape, (uint8_t[STREAM]){ 0 });
		assert_int_equal(aes_counted.aes_jobs, 1);
	}
}

static void what_makes_no_sense_gives_nothing(void **state)
{
	struct shape no_mode = aes_shape(0, 16);
	struct shape two_modes = aes_shape(SILEX_AES_MODE_ECB | SILEX_AES_MODE_CBC, 16);
	struct shape odd_key = aes_shape(SILEX_AES_MODE_ECB, 20);
	struct shape no_second_key = aes_shape(SILEX_AES_MODE_XTS, 16);
	struct shape unlike_keys = aes_shape(SILEX_AES_MODE_XTS, 32);

	(void)state;
	no_second_key.key2 = 0;
	unlike_keys.key2 = 16;
	refuses(&no_mode);
	refuses(&two_modes);
	refuses(&odd_key);
	refuses(&no_second_key);
	refuses(&unlike_keys);
}

static void the_configuration_can_tell_the_key_size(void **state)
{
	static const uint32_t bits[] = { SILEX_AES_KEY_128, SILEX_AES_KEY_192, SILEX_AES_KEY_256 };
	uint8_t expected[STREAM], found[STREAM];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct shape by_length = aes_shape(SILEX_AES_MODE_ECB, 16 + 8 * i);
		struct shape by_bits = aes_shape(SILEX_AES_MODE_ECB | bits[i], 32);
		size_t size;

		aes_config.aes_key_size_bits = false;
		size = aes_run(&by_length, expected);
		aes_config.aes_key_size_bits = true;
		assert_int_equal(aes_run(&by_bits, found), size);
		assert_memory_equal(found, expected, size);
	}
}

/* ---- keys ---- */

/* Whether the engine's memory holds any 8 bytes of a secret */
static bool knows(const uint8_t *secret, size_t size)
{
	const uint8_t *memory = aes_engine.state;
	size_t capacity = malloc_usable_size(aes_engine.state);

	for (size_t k = 0; k + 8 <= size; k += 8)
		for (size_t i = 0; i + 8 <= capacity; i++)
			if (memcmp(memory + i, secret + k, 8) == 0)
				return true;
	return false;
}

/* Bytes of the engine's memory that are not as they are in an engine that was never used */
static size_t traces(void)
{
	struct silex_engine unused = aes_new();
	const uint8_t *a = aes_engine.state, *b = unused.state;
	size_t capacity = malloc_usable_size(aes_engine.state), count = 0;

	assert_int_equal(malloc_usable_size(unused.state), capacity);
	for (size_t i = 0; i < capacity; i++)
		count += a[i] != b[i];
	unused.ops->destroy(unused.state);
	return count;
}

static void *watched; /* memory that is about to be freed */
static size_t left; /* bytes of it that are not zero then */

/* In place of free(), to look at what is given back */
void __real_free(void *memory);
void __wrap_free(void *memory);
void __wrap_free(void *memory)
{
	if (memory && memory == watched) {
		watched = NULL;
		for (size_t i = 0; i < malloc_usable_size(memory); i++)
			left += ((uint8_t *)memory)[i] != 0;
	}
	__real_free(memory);
}

static void begin_message(uint32_t word)
{
	struct shape shape = aes_shape(word, 32);
	uint8_t output[STREAM];
	size_t written;

	aes_put_registers(&shape);
	written = aes_put_header(&shape, output);
	aes_put_payload(&shape, output + written);
	assert_true(knows(aes_bytes, 32));
}

static void a_reset_leaves_no_trace(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * AES_MODES; i++) {
		begin_message(aes_modes[i / 2] | (i % 2 ? SILEX_AES_DECRYPT : 0));
		aes_engine.ops->reset(aes_engine.state);
		assert_int_equal(traces(), 0);
	}
}

static void the_end_of_a_message_leaves_no_trace(void **state)
{
	uint8_t output[STREAM];

	(void)state;
	for (unsigned i = 0; i < 2 * AES_MODES; i++) {
		begin_message(aes_modes[i / 2] | (i % 2 ? SILEX_AES_DECRYPT : 0));
		aes_end(SILEX_AES_PAYLOAD, true, output);
		assert_int_equal(traces(), 0);
	}
}

static void a_refused_message_leaves_no_trace(void **state)
{
	struct shape shape = aes_shape(SILEX_AES_MODE_XTS, 32);

	(void)state;
	shape.key2 = 16;
	refuses(&shape);
	assert_int_equal(traces(), 0);
}

static void a_new_message_forgets_the_keys_of_the_last(void **state)
{
	(void)state;
	for (unsigned i = 0; i < AES_MODES; i++) {
		begin_message(aes_modes[i]);
		aes_put_word(SILEX_AES_MODE_ECB);
		assert_false(knows(aes_bytes, 96));
	}
}

static void freed_memory_holds_no_trace(void **state)
{
	const struct silex_engine kept = aes_engine;

	(void)state;
	for (unsigned i = 0; i < AES_MODES; i++) {
		aes_engine = aes_new();
		begin_message(aes_modes[i]);
		watched = aes_engine.state;
		left = 0;
		aes_engine.ops->destroy(aes_engine.state);
		assert_null(watched);
		assert_int_equal(left, 0);
	}
	aes_engine = kept;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		AES_TEST(modes_that_are_not_built_in_give_nothing),
		AES_TEST(keys_that_are_not_built_in_give_nothing),
		AES_TEST(what_makes_no_sense_gives_nothing),
		AES_TEST(the_configuration_can_tell_the_key_size),
		AES_TEST(a_reset_leaves_no_trace),
		AES_TEST(the_end_of_a_message_leaves_no_trace),
		AES_TEST(a_refused_message_leaves_no_trace),
		AES_TEST(a_new_message_forgets_the_keys_of_the_last),
		AES_TEST(freed_memory_holds_no_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
