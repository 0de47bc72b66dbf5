/* SPDX-License-Identifier: Apache-2.0 */
/* Whether all that the library does with the cores is what all public drivers do: model/rules.h
 * has what they keep. */
#include "../../model/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../silex/cryptomaster.h"
#include "../../silex/soc.h"
#include "../device.h"
#include "aimed-cases.h"
#include "unit.h"

/* Enough that a factor that is only sometimes wrong is seen: of random ones half would be even */
#define ROUNDS 8u

/* ---- between device and cores ---- */

static struct fs_transport_ops traced;
static const struct fs_transport_ops *sound;
static struct silex_rules rules;
static unsigned operations, messages, factors;

static uint32_t traced_read(struct fs_transport *transport, enum fs_core core, uint32_t offset)
{
	uint32_t value = sound->read(transport, core, offset);

	silex_rules_read(&rules, offset, value);
	return value;
}

/* Drivers give it one length, so that it does not show in the time: Nordic blind.c, IOsonata */
static void check_length_of_factor(void)
{
	const bool big = rules.command & SILEX_PK_SWAP_BYTES;
	const uint8_t top = rules.factor[big][big ? 0 : SILEX_PK_BLINDING_BYTES - 1];

	if (!(rules.command & (SILEX_PK_PROTECT_EXP | SILEX_PK_PROTECT_ECC)))
		return;
	assert_int_equal(top >> 5, 1);
	factors++;
}

static void traced_write(struct fs_transport *transport, enum fs_core core, uint32_t offset,
			 uint32_t value)
{
	if (offset == SILEX_PK_BASE + SILEX_PK_CONTROL && value & SILEX_PK_CONTROL_START) {
		operations += (rules.command & SILEX_PK_OPCODE_MASK) != SILEX_PK_OP_CLEAR_MEMORY;
		check_length_of_factor();
	}
	if (core == FS_CM && offset == SILEX_CM_START)
		messages++;
	silex_rules_write(&rules, offset, value);
	sound->write(transport, core, offset, value);
}

static void traced_put(struct fs_transport *transport, uint32_t offset, const uint8_t *bytes,
		       size_t words)
{
	for (size_t i = 0; i < words; i++)
		silex_rules_write(&rules, offset + 4 * (uint32_t)i,
				  bytes[4 * i] | (uint32_t)bytes[4 * i + 1] << 8 |
					  (uint32_t)bytes[4 * i + 2] << 16 |
					  (uint32_t)bytes[4 * i + 3] << 24);
	sound->put(transport, offset, bytes, words);
}

static void traced_get(struct fs_transport *transport, uint32_t offset, uint8_t *bytes,
		       size_t words)
{
	for (size_t i = 0; i < words; i++)
		silex_rules_read(&rules, offset + 4 * (uint32_t)i, 0);
	sound->get(transport, offset, bytes, words);
}

static bool read_memory(void *opaque, uint64_t address, void *data, size_t size)
{
	const struct fs_transport *transport = opaque;

	if (address < transport->bus || address - transport->bus > transport->dma_size - size)
		return false;
	memcpy(data, transport->dma + (address - transport->bus), size);
	return true;
}

static void begin(struct firesteel *device)
{
	sound = device->transport->ops;
	traced = *sound;
	traced.read = traced_read;
	traced.write = traced_write;
	traced.put = traced_put;
	traced.get = traced_get;
	silex_rules_begin(&rules, SILEX_PK_STRIDE(device->capabilities.operand_bytes), false,
			  read_memory, device->transport);
	rules.config = SILEX_CM_CONFIG_SG; /* as opening has left it */
	operations = messages = factors = 0;
	device->transport->ops = &traced;
}

static void end(struct firesteel *device)
{
	struct firesteel_statistics statistics;

	device->transport->ops = sound;
	if (silex_rules_breaches(&rules, 0) > 0)
		fail_msg("%u breaches; the first one: %s", silex_rules_breaches(&rules, 0),
			 rules.first);
	/* a retry would hide a factor that the core rejects now and then */
	firesteel_statistics(device, &statistics);
	assert_int_equal(statistics.retries, 0);
	assert_int_equal(statistics.faults, 0);
}

/* ---- requests ---- */

/* Returns how many kinds of requests there were */
static size_t check_all(size_t (*make)(struct firesteel *device,
				       struct aimed_case cases[AIMED_CASES_MAX]),
			const char *options, unsigned flags)
{
	static struct aimed_case cases[AIMED_CASES_MAX];
	struct firesteel *device = unit_open(options);
	size_t count = make(device, cases);
	int error;

	assert_true(count > 0);
	begin(device);
	for (size_t i = 0; i < ROUNDS * count; i++) {
		struct aimed_case *at = &cases[i % count];

		at->request.flags |= flags;
		if (aimed_run(device, at, &error) != AIMED_ANSWERED)
			fail_msg("%s: %s", at->name, firesteel_error_text(error));
	}
	end(device);
	firesteel_close(device);
	return count;
}

static void public_key_operations_keep_the_rules(void **state)
{
	(void)state;
	check_all(aimed_cases, "model:zero=on", 0);
	assert_true(operations >= ROUNDS * 30 && factors >= ROUNDS * 15);
	check_all(aimed_cases, "model:zero=on,pk_max_bytes=1024", 0);
	assert_true(operations >= ROUNDS * 30 && factors >= ROUNDS * 15);
}

static void so_do_they_without_countermeasures(void **state)
{
	(void)state;
	check_all(aimed_cases, "model:zero=on", FIRESTEEL_UNPROTECTED);
	assert_true(operations >= ROUNDS * 30 && factors == 0);
}

/* Numbers that are shorter than a blinding factor */
static void short_operands_keep_the_rules(void **state)
{
	static const uint8_t modulus[3] = { 0xff, 0x00, 0x01 }, base[1] = { 3 };
	static const uint8_t exponent[2] = { 1, 1 };
	struct firesteel *device = unit_open("model:zero=on");
	uint8_t result[3];
	const struct firesteel_request request = {
		.operation = FIRESTEEL_MODEXP,
		.modexp = { BYTES(modulus), BYTES(base), BYTES(exponent), OUTPUT(result) },
	};

	(void)state;
	begin(device);
	for (unsigned i = 0; i < ROUNDS; i++)
		unit_run(device, &request, FIRESTEEL_OK);
	end(device);
	assert_true(operations == ROUNDS && factors == ROUNDS);
	firesteel_close(device);
}

static void messages_keep_the_rules(void **state)
{
	(void)state;
	check_all(aimed_messages, "model:zero=on", 0);
	assert_true(messages >= ROUNDS * 25);
	check_all(aimed_messages, "model:zero=on,coherent=off", 0);
	assert_true(messages >= ROUNDS * 25);
}

/* ---- parts ---- */

/* Bytes of the test's own, in the place of microcode that may not be given away */
static char *make_microcode(size_t size)
{
	static char file[] = "/tmp/firesteel-microcode-XXXXXX";
	uint8_t bytes[8192];
	int descriptor;

	strcpy(strrchr(file, '-'), "-XXXXXX");
	descriptor = mkstemp(file);
	assert_true(descriptor >= 0 && size <= sizeof(bytes));
	unit_fill(bytes, size, 7);
	assert_int_equal(write(descriptor, bytes, size), size);
	close(descriptor);
	return file;
}

/* What a part lacks it says, and it does all else by the rules */
static void every_part_is_served(void **state)
{
	static const struct {
		const char *profile;
		size_t microcode, lacks; /* bytes; kinds of messages */
	} parts[] = {
		{ "firesteel", 0, 0 },    { "nrf54l15", 5120, 0 }, { "nrf54lm20a", 0, 0 },
		{ "efr32mg22", 8192, 1 }, { "lan969x", 0, 0 },
	};
	size_t keys, all;

	(void)state;
	keys = check_all(aimed_cases, "model:zero=on", 0);
	all = check_all(aimed_messages, "model:zero=on", 0);
	for (size_t i = 0; i < COUNT(parts); i++) {
		char *file = parts[i].microcode ? make_microcode(parts[i].microcode) : NULL;
		char options[200];

		snprintf(options, sizeof(options), "model:profile=%s,zero=on%s%s", parts[i].profile,
			 file ? ",microcode=" : "", file ? file : "");
		assert_int_equal(check_all(aimed_cases, options, 0), keys);
		assert_int_equal(check_all(aimed_messages, options, 0), all - parts[i].lacks);
		if (file)
			unlink(file);
	}
}

static void without_microcode_software_does_it(void **state)
{
	struct firesteel *device = unit_open("model:profile=nrf54l15,zero=on");
	uint8_t result[64];
	const struct firesteel_request modexp = unit_modexp(result);

	(void)state;
	unit_run(device, &modexp, FIRESTEEL_ERROR_ABSENT);
	firesteel_close(device);
}

/* A reset loses it; in a child of fork() the model is a new one */
static void microcode_is_loaded_after_each_reset(void **state)
{
	char *file = make_microcode(5120), options[200];
	uint8_t result[64];
	const struct firesteel_request modexp = unit_modexp(result);
	struct firesteel *device;
	int status;

	(void)state;
	snprintf(options, sizeof(options), "model:profile=nrf54l15,zero=on,microcode=%s", file);
	device = unit_open(options);
	unlink(file);
	unit_run(device, &modexp, FIRESTEEL_OK);
	device->transport->ops->give_up(device->transport);
	unit_run(device, &modexp, FIRESTEEL_OK);
	unit_check_modexp(result);
	if (fork() == 0)
		_exit(firesteel_run(device, &modexp) != FIRESTEEL_OK);
	assert_true(wait(&status) > 0);
	assert_int_equal(status, 0);
	firesteel_close(device);
}

static void a_file_without_microcode_is_refused(void **state)
{
	char *file = make_microcode(5), options[200], message[FIRESTEEL_MESSAGE_SIZE];
	struct firesteel *device;

	(void)state;
	snprintf(options, sizeof(options), "model:microcode=%s", file);
	assert_int_equal(firesteel_open(options, &device, message), FIRESTEEL_ERROR_INVALID);
	assert_non_null(strstr(message, "a multiple of 4"));
	unlink(file);
	assert_int_equal(firesteel_open(options, &device, message), FIRESTEEL_ERROR_INVALID);
	assert_non_null(strstr(message, "No such file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(public_key_operations_keep_the_rules),
		cmocka_unit_test(so_do_they_without_countermeasures),
		cmocka_unit_test(short_operands_keep_the_rules),
		cmocka_unit_test(messages_keep_the_rules),
		cmocka_unit_test(every_part_is_served),
		cmocka_unit_test(without_microcode_software_does_it),
		cmocka_unit_test(microcode_is_loaded_after_each_reset),
		cmocka_unit_test(a_file_without_microcode_is_refused),
	};

	/* it goes through the parts by itself, as they are */
	unsetenv("FIRESTEEL_MODEL");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
