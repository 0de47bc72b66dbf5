/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* What silex/message.h makes: lists of descriptors, and what the host computes for AES. */
#include <string.h>

#include "../../silex/message.h"
#include "unit.h"

#define ADDRESS  0x1000u
#define PADDING  0x9000u
#define CAPACITY 3u
#define SIZE     ((uint32_t)sizeof(struct silex_descriptor))

static struct silex_descriptor descriptors[CAPACITY + 1];

static struct silex_list new_list(void)
{
	struct silex_list list;

	memset(descriptors, 0xa5, sizeof(descriptors));
	silex_list_begin(&list, descriptors, ADDRESS, CAPACITY);
	return list;
}

/* Memory is the model's: least significant byte first */
static void expect(unsigned number, uint32_t addr, uint32_t next, uint32_t length, uint32_t tag)
{
	assert_int_equal(silex_to_le32(descriptors[number].addr), addr);
	assert_int_equal(silex_to_le32(descriptors[number].next), next);
	assert_int_equal(silex_to_le32(descriptors[number].length), length);
	assert_int_equal(silex_to_le32(descriptors[number].tag), tag);
}

/* ---- lists ---- */

static void descriptors_follow_one_another(void **state)
{
	struct silex_list list = new_list();

	(void)state;
	silex_list_config(&list, SILEX_ENGINE_AES, SILEX_AES_KEY, 0x5000, 32);
	silex_list_add(&list, 0x6000, 48, SILEX_ENGINE_AES);
	assert_true(silex_list_stop(&list, SILEX_LEN_IRQ));
	expect(0, 0x5000, ADDRESS + SIZE, 32 | SILEX_LEN_REALIGN,
	       SILEX_ENGINE_AES | SILEX_TAG_CONFIG | SILEX_TAG_OFFSET(SILEX_AES_KEY));
	expect(1, 0x6000, SILEX_NEXT_STOP, 48 | SILEX_LEN_REALIGN | SILEX_LEN_IRQ,
	       SILEX_ENGINE_AES | SILEX_TAG_LAST);
}

static void a_list_that_stopped_goes_on_without_an_interrupt(void **state)
{
	struct silex_list list = new_list();

	(void)state;
	silex_list_add(&list, 0x6000, 48, 0);
	silex_list_stop(&list, SILEX_LEN_IRQ);
	silex_list_chain(&list, 0x7000);
	expect(0, 0x6000, 0x7000, 48 | SILEX_LEN_REALIGN, SILEX_TAG_LAST);
}

/* Where DMA is not coherent, reading them would take a hundred cycles each time */
static void descriptors_are_never_read(void **state)
{
	struct silex_list list = new_list();

	(void)state;
	silex_list_add(&list, 0x6000, 48, SILEX_ENGINE_AES);
	memset(descriptors, 0xa5, sizeof(descriptors));
	silex_list_end_item(&list, 48, 16, PADDING, SILEX_ENGINE_AES | SILEX_TAG_LAST);
	assert_int_equal(silex_to_le32(descriptors[0].tag), SILEX_ENGINE_AES | SILEX_TAG_LAST);
	memset(descriptors, 0xa5, sizeof(descriptors));
	silex_list_stop(&list, SILEX_LEN_IRQ);
	assert_int_equal(silex_to_le32(descriptors[0].length),
			 48 | SILEX_LEN_REALIGN | SILEX_LEN_IRQ);
	memset(descriptors, 0xa5, sizeof(descriptors));
	silex_list_chain(&list, 0x7000);
	assert_int_equal(silex_to_le32(descriptors[0].length), 48 | SILEX_LEN_REALIGN);
}

static void what_is_kept_goes_on(void **state)
{
	struct silex_list list = new_list();

	(void)state;
	for (unsigned i = 0; i <= CAPACITY; i++)
		silex_list_add(&list, 0x6000, 48, 0);
	silex_list_keep(&list, 1);
	assert_false(list.overflow);
	silex_list_add(&list, 0x8000, 16, SILEX_ENGINE_HASH);
	assert_true(silex_list_stop(&list, 0));
	expect(0, 0x6000, ADDRESS + SIZE, 48, 0);
	expect(1, 0x8000, SILEX_NEXT_STOP, 16 | SILEX_LEN_REALIGN,
	       SILEX_ENGINE_HASH | SILEX_TAG_LAST);
}

static void what_does_not_fit_is_not_written_and_told(void **state)
{
	static const uint8_t untouched[sizeof(*descriptors)] = { 0 };
	struct silex_list list = new_list();

	(void)state;
	memset(&descriptors[CAPACITY], 0, SIZE);
	for (unsigned i = 0; i <= CAPACITY; i++) {
		assert_false(list.overflow);
		silex_list_add(&list, 0x6000, 48, 0);
	}
	assert_true(list.overflow);
	assert_int_equal(list.count, CAPACITY);
	assert_memory_equal(&descriptors[CAPACITY], untouched, SIZE);
	assert_false(silex_list_stop(&list, 0));
	list = new_list();
	assert_false(silex_list_stop(&list, 0));
}

static void a_descriptor_has_less_than_16_mib(void **state)
{
	struct silex_list list = new_list();

	(void)state;
	silex_list_add(&list, 0x6000, SILEX_LIST_BYTES_MAX | SILEX_LEN_DISCARD, 0);
	assert_false(list.overflow);
	silex_list_add(&list, 0x6000, SILEX_LIST_BYTES_MAX + 1, 0);
	assert_true(list.overflow);
	assert_int_equal(list.count, 1);
	assert_false(silex_list_stop(&list, 0));
}

static void items_are_padded_to_their_unit(void **state)
{
	static const struct {
		uint32_t size, unit, invalid;
	} cases[] = { { 1, 16, 15 }, { 15, 16, 1 }, { 17, 16, 15 },
		      { 5, 4, 3 },   { 0, 16, 16 }, { 0, 4, 4 } };

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct silex_list list = new_list();

		silex_list_add(&list, 0x6000, cases[i].size, SILEX_ENGINE_AES);
		silex_list_end_item(&list, cases[i].size, cases[i].unit, PADDING,
				    SILEX_ENGINE_AES | SILEX_TAG_LAST);
		expect(0, 0x6000, ADDRESS + SIZE, cases[i].size, SILEX_ENGINE_AES);
		expect(1, PADDING, ADDRESS + 2 * SIZE, cases[i].invalid | SILEX_LEN_REALIGN,
		       SILEX_ENGINE_AES | SILEX_TAG_LAST | SILEX_TAG_INVALID(cases[i].invalid));
	}
}

static void whole_items_end_with_their_last_piece(void **state)
{
	struct silex_list list = new_list();

	(void)state;
	silex_list_add(&list, 0x6000, 16, SILEX_ENGINE_AES);
	silex_list_add(&list, 0x7000, 16, SILEX_ENGINE_AES);
	silex_list_end_item(&list, 32, 16, PADDING, SILEX_ENGINE_AES | SILEX_TAG_LAST);
	assert_int_equal(list.count, 2);
	expect(0, 0x6000, ADDRESS + SIZE, 16, SILEX_ENGINE_AES);
	expect(1, 0x7000, ADDRESS + 2 * SIZE, 16 | SILEX_LEN_REALIGN,
	       SILEX_ENGINE_AES | SILEX_TAG_LAST);
}

/* ---- AES ---- */

static void sizes_of_keys_have_their_bits(void **state)
{
	static const struct {
		size_t size;
		uint32_t bits, capability;
	} keys[] = { { 16, SILEX_AES_KEY_128, SILEX_AES_CAPS_KEY_128 },
		     { 24, SILEX_AES_KEY_192, SILEX_AES_CAPS_KEY_192 },
		     { 32, SILEX_AES_KEY_256, SILEX_AES_CAPS_KEY_256 } };
	unsigned valid = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		assert_int_equal(silex_aes_key_bits(keys[i].size), keys[i].bits);
		assert_int_equal(silex_aes_key_size(keys[i].bits | ~SILEX_AES_KEY_SIZE_MASK),
				 keys[i].size);
		assert_int_equal(silex_aes_key_capability(keys[i].size), keys[i].capability);
		assert_true(silex_aes_is_key_size(keys[i].size));
	}
	assert_int_equal(silex_aes_key_size(SILEX_AES_KEY_SIZE_MASK), 0);
	for (size_t size = 0; size < 64; size++)
		valid += silex_aes_is_key_size(size);
	assert_int_equal(valid, 3);
}

static void expect_head(unsigned nonce, unsigned tag, uint32_t associated, uint64_t payload,
			const uint8_t *right, unsigned size)
{
	uint8_t head[SILEX_CCM_HEAD_MAX];

	memset(head, 0xa5, sizeof(head));
	assert_int_equal(silex_ccm_head(head, nonce, tag, associated, payload), size);
	for (unsigned i = 0; i < nonce; i++)
		head[1 + i] = (uint8_t)(0x10 + i);
	assert_memory_equal(head, right, size);
}

/* NIST SP 800-38C, examples 1 to 3; and the next longer encoding of associated data, A.2.2 */
static void ccm_begins_as_nist_has_it(void **state)
{
	static const uint8_t first[] = { 0x4f, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0,
					 0,    0,    0,    0,    0,    0,    4,    0,    8 };
	static const uint8_t second[] = { 0x56, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,
					  0,    0,    0,    0,    0,    0,    0x10, 0,    0x10 };
	static const uint8_t third[] = { 0x5a, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,
					 0x18, 0x19, 0x1a, 0x1b, 0,    0,    0x18, 0,    0x14 };
	static const uint8_t longer[] = { 0x5a, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16,
					  0x17, 0x18, 0x19, 0x1a, 0x1b, 0,    0,    0x18,
					  0xff, 0xfe, 0,    1,    0,    0 };
	static const uint8_t none[] = { 0x3a, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16,
					0x17, 0x18, 0x19, 0x1a, 0x1b, 0xff, 0xff, 0xff };

	(void)state;
	expect_head(7, 4, 8, 4, first, sizeof(first));
	expect_head(8, 6, 16, 16, second, sizeof(second));
	expect_head(12, 8, 20, 24, third, sizeof(third));
	expect_head(12, 8, 0x10000, 24, longer, sizeof(longer));
	expect_head(12, 16, 0, 0xffffff, none, sizeof(none));
	assert_int_equal(SILEX_CCM_LENGTH_OF(third[0]), 3);
	assert_int_equal(SILEX_CCM_TAG_OF(third[0]), 8);
	assert_int_equal(SILEX_CCM_TAG_OF(2), 0);
}

static void ccm_refuses_a_payload_that_is_too_long_for_the_nonce(void **state)
{
	uint8_t head[SILEX_CCM_HEAD_MAX];

	(void)state;
	assert_int_equal(silex_ccm_head(head, 12, 16, 0, 0x1000000), 0);
	assert_int_equal(silex_ccm_head(head, 13, 16, 0, 0x10000), 0);
	assert_int_equal(silex_ccm_head(head, 7, 16, 0, UINT64_MAX), SILEX_AES_BLOCK);
}

static void gcm_ends_with_both_lengths_in_bits(void **state)
{
	static const uint8_t right[] = { 0, 0, 0, 0, 0, 0, 1, 8, 0, 0, 0, 8, 0, 0, 0, 0x10 };
	uint8_t trailer[SILEX_AES_TRAILER];

	(void)state;
	silex_gcm_trailer(trailer, 33, 0x100000002);
	assert_memory_equal(trailer, right, sizeof(right));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptors_follow_one_another),
		cmocka_unit_test(a_list_that_stopped_goes_on_without_an_interrupt),
		cmocka_unit_test(descriptors_are_never_read),
		cmocka_unit_test(what_is_kept_goes_on),
		cmocka_unit_test(what_does_not_fit_is_not_written_and_told),
		cmocka_unit_test(a_descriptor_has_less_than_16_mib),
		cmocka_unit_test(items_are_padded_to_their_unit),
		cmocka_unit_test(whole_items_end_with_their_last_piece),
		cmocka_unit_test(sizes_of_keys_have_their_bits),
		cmocka_unit_test(ccm_begins_as_nist_has_it),
		cmocka_unit_test(ccm_refuses_a_payload_that_is_too_long_for_the_nonce),
		cmocka_unit_test(gcm_ends_with_both_lengths_in_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
