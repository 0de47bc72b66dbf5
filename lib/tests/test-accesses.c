/* SPDX-License-Identifier: Apache-2.0 */
/* How often a message of CryptoMaster accesses registers.  Each access holds a processor up. */
#include <string.h>

#include "../device.h"
#include "unit.h"
#include "virtual-clock.h"

/* What a message cannot do without: clear what was signalled, two lists, START */
#define WRITES 4u

/* Enough to learn how long it takes */
#define LEARN 64u

static struct fs_transport_ops counting;
static const struct fs_transport_ops *sound;
static unsigned reads, writes;

static uint32_t counting_read(struct fs_transport *transport, enum fs_core core, uint32_t offset)
{
	reads++;
	return sound->read(transport, core, offset);
}

static void counting_write(struct fs_transport *transport, enum fs_core core, uint32_t offset,
			   uint32_t value)
{
	writes++;
	sound->write(transport, core, offset, value);
}

static struct firesteel *open_counting(const char *completion)
{
	struct firesteel *device = unit_open("model:clock_hz=100000000");

	firesteel_set(device, "completion", completion, NULL);
	sound = device->transport->ops;
	counting = *sound;
	counting.read = counting_read;
	counting.write = counting_write;
	device->transport->ops = &counting;
	return device;
}

static void close_counting(struct firesteel *device)
{
	device->transport->ops = sound;
	firesteel_close(device);
}

/* Encrypts so many bytes until the time is known, then once more; returns what that took, in ns */
static uint64_t count(struct firesteel *device, size_t size)
{
	static uint8_t bytes[16384];
	struct firesteel_request cbc = unit_cbc(bytes, size);
	uint64_t begin;

	for (unsigned i = 0; i < LEARN; i++)
		unit_run(device, &cbc, FIRESTEEL_OK);
	reads = writes = 0;
	begin = virtual_ns;
	unit_run(device, &cbc, FIRESTEEL_OK);
	return virtual_ns - begin;
}

static void a_message_writes_four_registers(void **state)
{
	static const size_t sizes[] = { 16, 1408, 16384 };
	struct firesteel *device = open_counting("poll");

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		count(device, sizes[i]);
		assert_int_equal(writes, WRITES);
	}
	close_counting(device);
}

/* Nobody looks before three quarters of the time.  A look takes two ticks, so that one who looked all
 * the time would read as often as half of the ticks, and one who waits an eighth. */
static void a_message_reads_in_its_last_quarter_alone(void **state)
{
	static const size_t sizes[] = { 1408, 16384 };
	struct firesteel *device = open_counting("poll");

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		uint64_t ns = count(device, sizes[i]);

		assert_in_range(reads, 1, ns / TICK_NS / 6);
	}
	close_counting(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_writes_four_registers),
		cmocka_unit_test(a_message_reads_in_its_last_quarter_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
