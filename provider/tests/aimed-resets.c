/* SPDX-License-Identifier: Apache-2.0 */
#include "aimed-resets.h"

#include <stdio.h>
#include <stdlib.h>

#include <openssl/err.h>

#include "virtual-time.h"

#define ROUNDS 16u
#define LEAST  5000u /* operations, or too little was tried */

#define FROM_MS  50000u /* from then on faults strike: by then all has been tried */
#define PAUSE_NS (2 * VIRTUAL_SECOND)

/* What is wrong, or refused as it should be, leaves errors that are not the next task's */
static bool is_right(const struct aimed_core *core, unsigned task)
{
	bool right = core->right(task);

	ERR_clear_error();
	return right;
}

static void shoot(const struct aimed_core *core, unsigned task)
{
	struct aimed_tally *tally = core->tally(task);
	unsigned long long done = unit_count(tally->work, UNIT_HARDWARE);
	unsigned long long failed = unit_count(tally->work, UNIT_FAILED);

	if (!is_right(core, task) && tally->wrong++ == 0)
		fprintf(stderr, "%s: wrong, by %s\n", tally->name, getenv("FIRESTEEL_DEVICE"));
	tally->done++;
	tally->core += unit_count(tally->work, UNIT_HARDWARE) - done;
	tally->failed += unit_count(tally->work, UNIT_FAILED) - failed;
	virtual_ns += PAUSE_NS;
}

static void aim(const struct aimed_core *core, const char *where, unsigned length,
		const char *completion)
{
	char device[256];
	static unsigned seed;

	snprintf(device, sizeof(device), "model:%s,seed=%u,faults=gone:%s:for=%u:from=%u",
		 core->options, ++seed, where, length, FROM_MS);
	setenv("FIRESTEEL_COMPLETION", completion, 1);
	virtual_ns = VIRTUAL_SECOND;
	*core->unit = unit_open(device, "all=1");
	for (unsigned task = 0; task < core->tasks; task++) {
		core->prepare(task);
		CHECK(is_right(core, task));
	}
	CHECK(virtual_ns < FROM_MS * INT64_C(1000000));
	virtual_ns = FROM_MS * INT64_C(1000000);
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned task = 0; task < core->tasks; task++)
			shoot(core, task);
	for (unsigned task = 0; core->release && task < core->tasks; task++)
		core->release(task);
	unit_close(core->unit);
}

/* Prints the tallies; whether nothing was wrong, and enough was tried */
static bool report(const struct aimed_core *core)
{
	unsigned done = 0, wrong = 0, poor = 0;

	for (unsigned task = 0; task < core->tasks; task++) {
		const struct aimed_tally *tally = core->tally(task);

		printf("%s: %u times, %llu requests done by the core, %llu failed there, %u wrong\n",
		       tally->name, tally->done, tally->core, tally->failed, tally->wrong);
		/* both must be frequent, or nothing was tried */
		poor += tally->core * 10 < tally->done || tally->failed * 10 < tally->done;
		done += tally->done;
		wrong += tally->wrong;
	}
	printf("%u operations, %u wrong\n", done, wrong);
	return wrong == 0 && poor == 0 && done >= LEAST;
}

int aimed_resets(const struct aimed_core *core)
{
	static const char *const completions[] = { "adaptive", "poll", "irq" };
	/* resets, which no access sees, and a loss of power that some see, for good; ns */
	static const unsigned lengths[] = { 1, 20, 59, 30000 };

	for (unsigned i = 0; i < COUNT(core->aims); i++)
		for (unsigned length = 0; length < COUNT(lengths); length++)
			for (unsigned way = 0; way < COUNT(completions); way++)
				aim(core, core->aims[i], lengths[length], completions[way]);
	return report(core) ? 0 : 1;
}
