/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resets and losses of power aimed at requests of every kind, at any register access and at any
 * moment: each ends with the right answer, or with an error that means "do it in software".
 */
#include <stdio.h>
#include <string.h>

#include "../../silex/soc.h"
#include "../clock.h"
#include "../device.h"
#include "aimed-cases.h"
#include "unit.h"
#include "virtual-clock.h"

#define OPEN_MS  50u /* from then on faults strike: a device is open by then */
#define PAUSE_NS (2 * FS_MILLISECOND)

/* ---- requests ---- */

/* What happens from some access on */
enum event {
	ZEROS, /* all registers read zeros, and nothing is written */
	ONES, /* they read ones */
	RESET, /* it is reset by the driver, which takes the public-key core's lock from us */
	TAKEN, /* the driver takes the lock, and says so in its page */
	EVENTS,
};

static const char *const events[] = { "zeros", "ones", "reset", "taken" };

/* A core, and what it is asked */
struct target {
	const char *options; /* without the other core */
	const char *const *aims; /* up to NULL */
	size_t (*make)(struct firesteel *device, struct aimed_case cases[AIMED_CASES_MAX]);
	unsigned accesses; /* of registers: as many a request has at least */
	unsigned events; /* of those below, that concern it */
	struct aimed_case cases[AIMED_CASES_MAX];
	size_t count;
};

struct tally {
	unsigned shots, answered, withheld, wrong;
};

static void blame(const struct aimed_case *at, const char *aim, int error, struct tally *tally)
{
	if (tally->wrong++ == 0)
		printf("%s, %s: %s, not: %s\n", at->name, aim, firesteel_error_text(error),
		       error == at->answer ? "with this result" : firesteel_error_text(at->answer));
}

static void shoot(struct firesteel *device, const struct aimed_case *at, const char *aim,
		  struct tally *tally)
{
	int error;

	tally->shots++;
	switch (aimed_run(device, at, &error)) {
	case AIMED_ANSWERED:
		tally->answered++;
		break;
	case AIMED_WITHHELD:
		tally->withheld++;
		break;
	default:
		blame(at, aim, error, tally);
	}
	if (error && error != at->answer) {
		virtual_ns += PAUSE_NS; /* the core is back */
		aimed_recover(device);
	}
}

static struct firesteel *open_aimed(const char *options, const char *completion)
{
	struct firesteel *device;

	virtual_ns = 0;
	device = unit_open(options);
	firesteel_set(device, "completion", completion, NULL);
	/* blinding and canaries are those of every run */
	memset(device->random.key, 1, sizeof(device->random.key));
	device->random.left = 0;
	assert_true(virtual_ns < OPEN_MS * FS_MILLISECOND);
	virtual_ns = OPEN_MS * FS_MILLISECOND;
	return device;
}

/* ---- aimed by the model ---- */

static const char *const completions[] = { "adaptive", "poll", "irq" };

static const char *const public_key_aims[] = { "accesses=40", "accesses=150", "rate=1:within=10000",
					       "rate=2:within=200000", NULL };
static const char *const message_aims[] = { "accesses=20", "accesses=80", "rate=1:within=3000",
					    "rate=2:within=20000", NULL };

static struct target public_key = {
	.options = "pk_multipliers=256,clock_hz=1000000000,cryptomaster=off,aes=off,hash=off",
	.aims = public_key_aims,
	.make = aimed_cases,
	.accesses = 15,
	.events = EVENTS,
};
static struct target messages = {
	.options = "pk_multipliers=256",
	.aims = message_aims,
	.make = aimed_messages,
	.accesses = 6,
	.events = TAKEN, /* it has no lock */
};
/* With results that are stale until they are refreshed */
static struct target incoherent = {
	.options = "pk_multipliers=256,coherent=off",
	.aims = message_aims,
	.make = aimed_messages,
	.accesses = 6,
	.events = TAKEN,
};

/* A reset, and losses of power; ns */
static const unsigned lengths[] = { 1, 1000, 30000, 1000000 };

#define ROUNDS 20u

static void aim(const struct target *target, const char *where, unsigned length,
		const char *completion, struct tally tallies[AIMED_CASES_MAX])
{
	static unsigned seed;
	char options[256];
	struct firesteel *device;

	snprintf(options, sizeof(options), "model:%s,seed=%u,faults=gone:%s:for=%u:from=%u",
		 target->options, ++seed, where, length, OPEN_MS);
	device = open_aimed(options, completion);
	for (unsigned round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < target->count; i++)
			shoot(device, &target->cases[i], options, &tallies[i]);
	firesteel_close(device);
}

static void no_answer_is_wrong_when_the_core_is_reset(void **state)
{
	const struct target *target = *state;
	struct tally tallies[AIMED_CASES_MAX] = { 0 };
	unsigned shots = 0, wrong = 0, poor = 0;

	for (const char *const *where = target->aims; *where; where++)
		for (size_t length = 0; length < COUNT(lengths); length++)
			for (size_t c = 0; c < COUNT(completions); c++)
				aim(target, *where, lengths[length], completions[c], tallies);
	for (size_t i = 0; i < target->count; i++) {
		printf("%s: %u shots, %u answered, %u withheld, %u wrong\n", target->cases[i].name,
		       tallies[i].shots, tallies[i].answered, tallies[i].withheld,
		       tallies[i].wrong);
		/* both must occur often, or nothing was tried */
		poor += 6 * tallies[i].withheld < tallies[i].shots ||
			20 * tallies[i].answered < tallies[i].shots;
		shots += tallies[i].shots;
		wrong += tallies[i].wrong;
	}
	printf("%u shots, %u wrong\n", shots, wrong);
	assert_int_equal(wrong, 0);
	assert_int_equal(poor, 0);
	assert_true(shots >= 20000);
}

/* ---- what happens from some access on, for every access of a request ---- */

static struct fs_transport_ops failing;
static const struct fs_transport_ops *sound;
static enum event event;
static unsigned accesses, last_sound;

/* Counts an access; whether it fails */
static bool fails(struct fs_transport *transport)
{
	accesses++;
	if (event <= ONES)
		return accesses > last_sound;
	if (accesses == last_sound + 1 && event == TAKEN)
		transport->share->generation++;
	else if (accesses == last_sound + 1)
		sound->give_up(transport);
	return false;
}

static uint32_t failing_read(struct fs_transport *transport, enum fs_core core, uint32_t offset)
{
	if (fails(transport))
		return event == ONES ? SILEX_GONE : 0;
	return sound->read(transport, core, offset);
}

static void failing_write(struct fs_transport *transport, enum fs_core core, uint32_t offset,
			  uint32_t value)
{
	if (!fails(transport))
		sound->write(transport, core, offset, value);
}

static void failing_put(struct fs_transport *transport, uint32_t offset, const uint8_t *bytes,
			size_t words)
{
	if (!fails(transport))
		sound->put(transport, offset, bytes, words);
}

static void failing_get(struct fs_transport *transport, uint32_t offset, uint8_t *bytes,
			size_t words)
{
	if (fails(transport))
		memset(bytes, event == ONES ? 0xff : 0, 4 * words);
	else
		sound->get(transport, offset, bytes, words);
}

static struct firesteel *open_failing(const struct target *target)
{
	char options[256];
	struct firesteel *device;

	snprintf(options, sizeof(options), "model:%s,zero=on", target->options);
	device = open_aimed(options, "poll");
	sound = device->transport->ops;
	failing = *sound;
	failing.read = failing_read;
	failing.write = failing_write;
	failing.put = failing_put;
	failing.get = failing_get;
	device->transport->ops = &failing;
	return device;
}

/* At each access in turn, until the request is over before */
static void shoot_everywhere(struct firesteel *device, const struct aimed_case *at,
			     struct tally *tally)
{
	last_sound = 0;
	do {
		accesses = 0;
		shoot(device, at, events[event], tally);
	} while (accesses > last_sound++);
}

static void shoot_with(struct firesteel *device, const struct target *target)
{
	struct tally tally = { 0 };

	for (size_t i = 0; i < target->count; i++)
		shoot_everywhere(device, &target->cases[i], &tally);
	printf("%s: %u shots, %u answered, %u withheld, %u wrong\n", events[event], tally.shots,
	       tally.answered, tally.withheld, tally.wrong);
	assert_int_equal(tally.wrong, 0);
	assert_true(tally.withheld > target->accesses * target->count);
	/* what comes when the evidence is seen changes nothing any more */
	assert_true(tally.answered >= target->count && tally.answered < 8 * target->count);
}

static void no_answer_is_wrong_wherever_the_core_is_lost(void **state)
{
	const struct target *target = *state;
	struct firesteel *device = open_failing(target);

	for (unsigned i = 0; i < target->events; i++) {
		event = i;
		shoot_with(device, target);
	}
	device->transport->ops = sound;
	firesteel_close(device);
}

static int make(struct target *target)
{
	struct firesteel *device = unit_open("model");

	target->count = target->make(device, target->cases);
	firesteel_close(device);
	return target->count ? 0 : -1;
}

static int begin(void **state)
{
	(void)state;
	return make(&public_key) || make(&messages) || make(&incoherent) ? -1 : 0;
}

#define TEST(function, target) { #function ", " #target, function, NULL, NULL, &(target) }

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_answer_is_wrong_when_the_core_is_reset, public_key),
		TEST(no_answer_is_wrong_wherever_the_core_is_lost, public_key),
		TEST(no_answer_is_wrong_when_the_core_is_reset, messages),
		TEST(no_answer_is_wrong_wherever_the_core_is_lost, messages),
		TEST(no_answer_is_wrong_when_the_core_is_reset, incoherent),
		TEST(no_answer_is_wrong_wherever_the_core_is_lost, incoherent),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}
