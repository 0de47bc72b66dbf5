/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The window: what its registers tell of it, and those of the public-key engine as a driver uses
 * them. */
#include "../../silex/ba413.h"
#include "bus-test.h"
#include "driver.h"
#include "public-key.h"

#define LONG_AGO_NS 1000000000u

static uint32_t read_at(const char *configuration, uint32_t offset)
{
	struct bus *bus = bus_open(configuration);
	uint32_t value = bus->read(bus, offset);

	bus_close(bus);
	return value;
}

/* ---- presence ---- */

static void presence_follows_the_configuration(void **state)
{
	(void)state;
	assert_int_equal(read_at(NULL, SILEX_PRESENCE), SILEX_PRESENCE_AES | SILEX_PRESENCE_PK);
	assert_int_equal(read_at("hash=on", SILEX_PRESENCE),
			 SILEX_PRESENCE_AES | SILEX_PRESENCE_HASH | SILEX_PRESENCE_PK);
	assert_int_equal(read_at("hash=on,aes=off,pk=off", SILEX_PRESENCE), SILEX_PRESENCE_HASH);
	assert_int_equal(read_at("cryptomaster=off,aes=off", SILEX_PRESENCE), SILEX_PRESENCE_PK);
}

static void capabilities_follow_the_configuration(void **state)
{
	(void)state;
	assert_int_equal(read_at(NULL, SILEX_AES_CAPS), 0x070101ff);
	assert_int_equal(read_at("aes_caps=0x01000003", SILEX_AES_CAPS), 0x01000003);
	assert_int_equal(read_at("aes=off", SILEX_AES_CAPS), 0);
	assert_int_equal(read_at(NULL, SILEX_AES_COUNTER_BITS), 128);
	assert_int_equal(read_at(NULL, SILEX_HASH_CAPS), 0);
	assert_int_equal(read_at("hash=on", SILEX_HASH_CAPS), 0x0003003e);
	assert_int_equal(read_at("hash=on,hash_caps=0x00010008", SILEX_HASH_CAPS),
			 SILEX_HASH_CAPS_PAD | SILEX_HASH_ALG_SHA256);
	assert_int_equal(read_at("pk_max_bytes=256,pk_multipliers=16", PK(SILEX_PK_HWCONFIG)) &
				 (SILEX_PK_HWCONFIG_BYTES | 0xf000),
			 256 | SILEX_PK_HWCONFIG_MULTIPLIERS(2));
}

/* ---- public key, by the book ---- */

#define SIZE 64u /* bytes of the operands below */

static void pk_command(struct pk *pk, uint32_t opcode)
{
	pk_begin(pk, opcode | SILEX_PK_CALC_R2, SIZE, false);
}

static void public_key_is_busy_after_power_on(void **state)
{
	struct pk pk = { .bus = *state };
	struct bus *bus = pk.bus;

	assert_true(pk_is_busy(&pk));
	assert_int_equal(bus->read(bus, PK(SILEX_PK_COMMAND)), SILEX_PK_OP_CLEAR_MEMORY);
	assert_false(bus->line(bus, SILEX_LINE_PK));
	assert_int_equal(pk_wait(&pk), SILEX_PK_STATUS_IRQ);
	assert_true(bus->line(bus, SILEX_LINE_PK));
	bus->write(bus, PK(SILEX_PK_CONTROL), SILEX_PK_CONTROL_CLEAR_IRQ);
	assert_int_equal(pk_status(&pk), 0);
	assert_false(bus->line(bus, SILEX_LINE_PK));
}

static void an_operation_ends_with_its_interrupt(void **state)
{
	struct pk pk = { .bus = *state };
	struct bus *bus = pk.bus;

	pk_command(&pk, SILEX_PK_OP_MODEXP);
	pk_put_small(&pk, 0, 1000003); /* a prime */
	pk_put_small(&pk, 6, 2);
	pk_put_small(&pk, 8, 20);
	pk_start(&pk);
	assert_true(pk_is_busy(&pk));
	assert_false(bus->line(bus, SILEX_LINE_PK));
	bus->pass(bus, LONG_AGO_NS);
	assert_true(bus->line(bus, SILEX_LINE_PK));
	assert_false(bus->line(bus, SILEX_LINE_CM));
	assert_int_equal(pk_status(&pk), SILEX_PK_STATUS_IRQ);
	assert_true(bus->read(bus, PK(SILEX_PK_TIMER)) > 0);
	bus->write(bus, PK(SILEX_PK_CONTROL), SILEX_PK_CONTROL_CLEAR_IRQ);
	assert_false(bus->line(bus, SILEX_LINE_PK));
	pk_expect_small(&pk, 10, (1u << 20) % 1000003);
}

static void errors_are_told_and_cleared_by_the_next_start(void **state)
{
	struct pk pk = { .bus = *state };

	pk_command(&pk, SILEX_PK_OP_MODINV_ODD);
	pk_put_small(&pk, 0, 15);
	pk_put_small(&pk, 8, 5);
	pk_start(&pk);
	pk_wait(&pk);
	assert_true(pk_status(&pk) & SILEX_PK_STATUS_NOT_INVERTIBLE);
	pk_command(&pk, SILEX_PK_OP_MODINV_ODD);
	pk_put_small(&pk, 8, 7);
	pk_start(&pk);
	assert_int_equal(pk_status(&pk) & SILEX_PK_STATUS_ERRORS, 0);
	pk_wait(&pk);
	assert_int_equal(pk_status(&pk) & SILEX_PK_STATUS_ERRORS, 0);
	pk_expect_small(&pk, 10, 13);
}

static void opcodes_that_are_not_there_say_so(void **state)
{
	struct pk pk = { .bus = *state };

	pk_command(&pk, 0x50);
	pk_start(&pk);
	pk_wait(&pk);
	assert_int_equal(pk_status(&pk) & SILEX_PK_STATUS_ERRORS, SILEX_PK_STATUS_NOT_IMPLEMENTED);
}

static void operands_can_not_be_seen_or_changed_while_busy(void **state)
{
	struct pk pk = { .bus = *state };
	struct bus *bus = pk.bus;

	pk_command(&pk, SILEX_PK_OP_MODADD);
	pk_put_small(&pk, 0, 101);
	pk_put_small(&pk, 6, 100);
	pk_put_small(&pk, 8, 5);
	pk_start(&pk);
	assert_int_equal(bus->read(bus, pk_place(&pk, 6, SIZE / 4 - 1)), 0);
	bus->write(bus, pk_place(&pk, 6, SIZE / 4 - 1), 0xffffffff);
	bus->write(bus, PK(SILEX_PK_COMMAND), SILEX_PK_OP_CLEAR_MEMORY);
	pk_start(&pk);
	pk_wait(&pk);
	pk_expect_small(&pk, 10, 4);
	pk_expect_small(&pk, 6, 100);
}

static void operand_memory_can_be_cleared(void **state)
{
	struct pk pk = { .bus = *state };
	struct bus *bus = pk.bus;

	pk_command(&pk, SILEX_PK_OP_MODADD);
	for (unsigned slot = 0; slot < SILEX_PK_SLOTS; slot++)
		pk_put_small(&pk, slot, 0x01020304);
	pk_command(&pk, SILEX_PK_OP_CLEAR_MEMORY);
	pk_start(&pk);
	pk_wait(&pk);
	for (uint32_t at = 0; at < SILEX_PK_RAM_SIZE; at += 4)
		assert_int_equal(bus->read(bus, SILEX_PK_RAM_BASE + at), 0);
}

#define TEST(name) BUS_TEST(bus_set_up, name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(presence_follows_the_configuration),
		cmocka_unit_test(capabilities_follow_the_configuration),
		TEST(public_key_is_busy_after_power_on),
		TEST(an_operation_ends_with_its_interrupt),
		TEST(errors_are_told_and_cleared_by_the_next_start),
		TEST(opcodes_that_are_not_there_say_so),
		TEST(operands_can_not_be_seen_or_changed_while_busy),
		TEST(operand_memory_can_be_cleared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
