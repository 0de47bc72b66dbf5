/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include <string.h>

#include "driver.h"
#include "fault-job.h"
#include "unit.h"

#define BYPASS (SILEX_ENGINE_BYPASS | SILEX_TAG_LAST)
#define MS_NS  1000000u

void fault_job_write(struct bus *bus)
{
	const struct item fetch[] = { { INPUT, JOB_BYTES | SILEX_LEN_REALIGN, BYPASS } };
	const struct item push[] = { { OUTPUT, JOB_BYTES, 0 } };

	driver_fill(bus, JOB_BYTES);
	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, 1);
	driver_prepare(bus);
}

struct bus *fault_job_open(const char *faults)
{
	char configuration[256] = "hash=on,faults=";
	struct bus *bus = bus_open(strncat(configuration, faults, 200));

	fault_job_write(bus);
	return bus;
}

void fault_job_run_well(struct bus *bus)
{
	uint8_t expected[JOB_BYTES];

	bus->memory_read(bus, bus->memory_base + INPUT, expected, JOB_BYTES);
	assert_int_equal(driver_run(bus), SILEX_CM_INT_FETCH_STOPPED | SILEX_CM_INT_PUSH_STOPPED);
	driver_expect(bus, OUTPUT, expected, JOB_BYTES);
}

void fault_wait_until(struct bus *bus, uint64_t ms)
{
	assert_true(bus->now(bus) < ms * MS_NS);
	bus->pass(bus, ms * MS_NS - bus->now(bus));
}

void fault_pk_add(struct pk *pk)
{
	pk_begin(pk, SILEX_PK_OP_MODADD | SILEX_PK_CALC_R2, SIZE, false);
	pk_put_small(pk, SILEX_PK_SLOT_N, 101);
	pk_put_small(pk, SILEX_PK_SLOT_A, 5);
	pk_put_small(pk, SILEX_PK_SLOT_B, 7);
	pk_start(pk);
}
