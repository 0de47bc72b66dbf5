/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* What the model tells its host for a trace: docs/cores.md has the events and their figures. */
#include "../fault.h"
#include "driver.h"
#include "public-key.h"
#include "unit.h"

#define REALIGN SILEX_LEN_REALIGN
#define BYPASS  (SILEX_ENGINE_BYPASS | SILEX_TAG_LAST)

static void expect_event(struct bus *bus, const char *what, unsigned times, uint64_t value)
{
	struct bus_event event = bus->event(bus, what);

	if (event.times != times || event.value != value)
		fail_msg("%s: %u times, last %llu, not %u times, last %llu", what, event.times,
			 (unsigned long long)event.value, times, (unsigned long long)value);
}

static void run_copy(struct bus *bus, uint32_t from, uint32_t to)
{
	const struct item fetch[] = { { from, 64 | REALIGN, BYPASS } };
	const struct item push[] = { { to, 64, 0 } };

	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, 1);
	driver_run(bus);
}

static void cryptomaster_tells_what_it_does(void **state)
{
	struct bus *bus = bus_open(NULL);

	(void)state;
	for (unsigned i = 1; i <= 3; i++) {
		run_copy(bus, INPUT, OUTPUT);
		expect_event(bus, "cm-start", i, i);
		expect_event(bus, "cm-job", i, i);
	}
	run_copy(bus, NOWHERE, OUTPUT);
	expect_event(bus, "cm-start", 4, 4);
	expect_event(bus, "cm-job", 3, 3);
	expect_event(bus, "cm-bus-error", 1, SILEX_CM_INT_FETCH_ERROR);
	driver_recover(bus);
	expect_event(bus, "cm-reset", 1, 1);
	run_copy(bus, INPUT, NOWHERE);
	expect_event(bus, "cm-bus-error", 2, SILEX_CM_INT_PUSH_ERROR);
	driver_recover(bus);
	expect_event(bus, "cm-reset", 2, 2);
	expect_event(bus, "fault", 0, 0);
	bus_close(bus);
}

/* The push descriptor of a copy lacks LAST */
static void a_broken_rule_is_told_where_rules_are_checked(void **state)
{
	struct bus *bus = bus_open("rules=on");

	(void)state;
	run_copy(bus, INPUT, OUTPUT);
	expect_event(bus, "rule-broken", 1, SILEX_CM_START);
	bus_close(bus);

	bus = bus_open(NULL);
	run_copy(bus, INPUT, OUTPUT);
	expect_event(bus, "rule-broken", 0, 0);
	bus_close(bus);
}

static void public_key_tells_what_it_does(void **state)
{
	struct pk pk;
	uint32_t command;

	(void)state;
	pk_open(&pk, NULL);
	pk_wait(&pk);
	expect_event(pk.bus, "pk-start", 0, 0);
	expect_event(pk.bus, "pk-end", 1, 0); /* of clearing memory after power-on */
	pk_begin(&pk, SILEX_PK_OP_MODINV_ODD, 64, false);
	command = pk.bus->read(pk.bus, PK(SILEX_PK_COMMAND));
	pk_put_small(&pk, SILEX_PK_SLOT_N, 15);
	pk_put_small(&pk, SILEX_PK_SLOT_B, 5);
	pk_start(&pk);
	expect_event(pk.bus, "pk-start", 1, command);
	expect_event(pk.bus, "pk-end", 1, 0);
	pk_wait(&pk);
	expect_event(pk.bus, "pk-end", 2, SILEX_PK_STATUS_NOT_INVERTIBLE | SILEX_PK_SLOT_B << 24);
	pk_close(&pk);
}

static void faults_are_told(void **state)
{
	struct bus *bus = bus_open("faults=late:nth=2;flipped-bit:nth=3");

	(void)state;
	run_copy(bus, INPUT, OUTPUT);
	expect_event(bus, "fault", 0, 0);
	run_copy(bus, INPUT, OUTPUT);
	expect_event(bus, "fault", 1, SILEX_FAULT_LATE);
	run_copy(bus, INPUT, OUTPUT);
	expect_event(bus, "fault", 2, SILEX_FAULT_FLIPPED_BIT);
	bus_close(bus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cryptomaster_tells_what_it_does),
		cmocka_unit_test(a_broken_rule_is_told_where_rules_are_checked),
		cmocka_unit_test(public_key_tells_what_it_does),
		cmocka_unit_test(faults_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
