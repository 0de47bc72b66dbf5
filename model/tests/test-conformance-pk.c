/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Every operation that public drivers start on BA414E, with the slots that each of them uses. */
#include <string.h>

#include "../../silex/soc.h"
#include "conformance-operations.h"
#include "conformance.h"
#include "unit.h"

#define BYTES   64u
#define POLLS   100000u
#define POLL_NS 100000u

#define PK(offset) (SILEX_PK_BASE + (offset))
/* A number as it lies in operand RAM, filled up with zeros; returns its first byte's offset */
static uint32_t lay_out(const struct operation *operation, const struct operand *operand,
			uint8_t bytes[BYTES])
{
	size_t size = operation->size, count;
	uint8_t number[BYTES];

	memset(bytes, 0, BYTES);
	count = conformance_hex(operand->digits, number, size);
	for (size_t i = 0; i < count; i++)
		bytes[operation->little ? i : size - 1 - i] = number[count - 1 - i];
	return SILEX_PK_RAM_BASE + operand->slot * SILEX_PK_STRIDE(512) +
	       (operation->little ? 0 : SILEX_PK_STRIDE(512) - (uint32_t)size);
}

static void put(struct part *part, const struct operation *operation, const struct operand *operand)
{
	uint8_t bytes[BYTES];
	uint32_t offset = lay_out(operation, operand, bytes);

	for (size_t i = 0; i < operation->size; i += 4)
		conformance_write(part, offset + (uint32_t)i,
				  bytes[i] | (uint32_t)bytes[i + 1] << 8 |
					  (uint32_t)bytes[i + 2] << 16 |
					  (uint32_t)bytes[i + 3] << 24);
}

static void expect(struct part *part, const struct operation *operation,
		   const struct operand *operand)
{
	uint8_t bytes[BYTES];
	uint32_t offset = lay_out(operation, operand, bytes);

	for (size_t i = 0; i < operation->size; i += 4) {
		uint32_t word = conformance_read(part, offset + (uint32_t)i);

		for (unsigned k = 0; k < 4; k++)
			if ((word >> (8 * k) & 0xff) != bytes[i + k])
				fail_msg("%s: %s (%s): slot %u has not %s", part->profile,
					 operation->name, operation->source, operand->slot,
					 operand->digits);
	}
}

static uint32_t wait(struct part *part)
{
	for (unsigned i = 0; i < POLLS; i++) {
		uint32_t status = conformance_read(part, PK(SILEX_PK_STATUS));

		if (!(status & SILEX_PK_STATUS_BUSY))
			return status;
		part->bus->pass(part->bus, POLL_NS);
	}
	fail_msg("%s: the core stays busy", part->profile);
	return 0;
}

static uint32_t start(struct part *part)
{
	uint32_t status;

	conformance_write(part, PK(SILEX_PK_CONTROL), SILEX_PK_CONTROL_RUN);
	status = wait(part);
	assert_true(part->bus->line(part->bus, SILEX_LINE_PK));
	conformance_write(part, PK(SILEX_PK_CONTROL), SILEX_PK_CONTROL_CLEAR_IRQ);
	return status & SILEX_PK_STATUS_ERRORS;
}

/* Nothing of the operation before is left: what is not written is not there by chance */
static void clear(struct part *part)
{
	conformance_write(part, PK(SILEX_PK_COMMAND), SILEX_PK_OP_CLEAR_MEMORY);
	assert_int_equal(start(part), 0);
}

static void prepare(struct part *part, const struct operation *operation)
{
	clear(part);
	conformance_write(part, PK(SILEX_PK_COMMAND),
			  operation->command | SILEX_PK_SIZE(operation->size) |
				  (operation->little ? 0 : SILEX_PK_SWAP_BYTES));
	for (unsigned i = 0; i < OPERANDS && operation->operand[i].digits; i++)
		put(part, operation, &operation->operand[i]);
	conformance_write(part, PK(SILEX_PK_POINTERS), operation->pointers);
}

static void check_operations(struct part *part)
{
	for (unsigned i = 0; i < conformance_operation_count; i++) {
		const struct operation *operation = &conformance_operations[i];
		uint32_t errors;

		prepare(part, operation);
		errors = start(part);
		if (errors != operation->errors)
			fail_msg("%s: %s (%s): errors %04x", part->profile, operation->name,
				 operation->source, errors);
		for (unsigned k = 0; k < RESULTS && operation->result[k].digits; k++)
			expect(part, operation, &operation->result[k]);
	}
}

static void operations_do_what_drivers_expect(void **state)
{
	(void)state;
	conformance_each(check_operations);
}

static const struct operation *find(const char *name)
{
	for (unsigned i = 0; i < conformance_operation_count; i++)
		if (strcmp(conformance_operations[i].name, name) == 0)
			return &conformance_operations[i];
	fail_msg("no %s", name);
	return NULL;
}

/* Silicon Labs, IOsonata: operands survive an operation, and only the opcode changes */
static void check_kept(struct part *part)
{
	const struct operation *multiplication = find("point multiplication");
	uint32_t command;

	prepare(part, multiplication);
	assert_int_equal(start(part), 0);
	command = conformance_read(part, PK(SILEX_PK_COMMAND));
	conformance_write(part, PK(SILEX_PK_COMMAND),
			  (command & ~SILEX_PK_OPCODE_MASK) | SILEX_PK_OP_ECC_ON_CURVE);
	assert_int_equal(start(part), 0);
	conformance_write(part, PK(SILEX_PK_COMMAND), command);
	assert_int_equal(start(part), 0);
	expect(part, multiplication, &multiplication->result[1]);
}

static void operands_are_kept(void **state)
{
	(void)state;
	conformance_each(check_kept);
}

/* IOsonata cracen_intrf.cpp, Microchip iomem.c; Nordic iomem.c for the part that wants words */
static void check_bytes(struct part *part)
{
	const struct operation *addition = find("modular addition");
	uint32_t sevens = SILEX_PK_RAM_BASE + 9 * SILEX_PK_STRIDE(512) - 1;
	const struct operand sum = { 10, part->bytes ? "0d" : "0c" };

	prepare(part, addition);
	part->bus->write_part(part->bus, sevens, 8, 1);
	assert_int_equal(part->bus->read_part(part->bus, sevens, 1), part->bytes ? 8 : 0);
	part->bus->write_part(part->bus, sevens - 5, 0x0100, 2);
	part->bus->write_part(part->bus, sevens - 5, 0, 2);
	part->bus->write_part(part->bus, PK(SILEX_PK_POINTERS), 0, 1);
	assert_int_equal(part->bus->read_part(part->bus, PK(SILEX_PK_POINTERS), 1), 0);
	assert_int_equal(start(part), 0);
	expect(part, addition, &sum);
}

static void operands_are_written_in_bytes(void **state)
{
	(void)state;
	conformance_each(check_bytes);
}

/* Nordic: the microcode is written after each reset, Silicon Labs compares what it has written */
static void microcode_is_demanded(void **state)
{
	struct bus *bus = bus_open("profile=nrf54l15");
	struct part part = { .profile = "nrf54l15", .bus = bus };

	(void)state;
	silex_rules_begin(&part.rules, SILEX_PK_STRIDE(512), false, NULL, NULL);
	wait(&part);
	for (uint32_t i = 0; i < 5120; i += 4) {
		if (i % 1024 == 0) {
			prepare(&part, &conformance_operations[0]);
			assert_int_equal(start(&part), SILEX_PK_STATUS_NOT_IMPLEMENTED);
		}
		bus->write(bus, SILEX_PK_CODE_BASE + i, ~i);
	}
	prepare(&part, &conformance_operations[0]);
	assert_int_equal(start(&part), 0);
	expect(&part, &conformance_operations[0], &conformance_operations[0].result[0]);
	for (uint32_t i = 0; i < 5120; i += 4)
		assert_int_equal(bus->read(bus, SILEX_PK_CODE_BASE + i), ~i);
	if (bus->reset) {
		bus->reset(bus);
		assert_int_equal(bus->read(bus, SILEX_PK_CODE_BASE), 0);
		silex_rules_reset(&part.rules);
		wait(&part);
		prepare(&part, &conformance_operations[0]);
		assert_int_equal(start(&part), SILEX_PK_STATUS_NOT_IMPLEMENTED);
	}
	bus_close(bus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_do_what_drivers_expect),
		cmocka_unit_test(operands_are_kept),
		cmocka_unit_test(operands_are_written_in_bytes),
		cmocka_unit_test(microcode_is_demanded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
