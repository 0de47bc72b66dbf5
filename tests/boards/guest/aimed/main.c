/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of every kind to a core that is reset or loses power again and again, by each way of
 * waiting: each ends with the right answer, or with an error that means software.
 *
 *     aimed DEVICE CORE ROUNDS FROM_MS
 *
 * CORE is public-key or cryptomaster.  From FROM_MS on, by the monotonic clock, it fails.  Prints a line for each thing that is
 * looked at: "ok" or "not ok" and what it is.  The last one is "ok aimed has ended".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "aimed-cases.h"

#define PAUSE_US 2000u /* the core is back by then */

struct tally {
	unsigned answered, withheld, wrong;
};

static struct aimed_case cases[AIMED_CASES_MAX];
static size_t count;

static void look(int good, const char *what)
{
	printf("%s %s\n", good ? "ok" : "not ok", what);
	fflush(stdout);
}

static void prepare(struct firesteel *device, const char *core, long from_ms)
{
	const struct timespec from = { .tv_sec = from_ms / 1000,
				       .tv_nsec = from_ms % 1000 * 1000000 };
	struct timespec now;

	if (strcmp(core, "public-key") == 0)
		count = aimed_cases(device, cases);
	else if (strcmp(core, "cryptomaster") == 0)
		count = aimed_messages(device, cases);
	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("# the answers are known after %ld s\n", (long)now.tv_sec);
	look(count > 0, "a sound core answers");
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &from, NULL);
}

static void shoot(struct firesteel *device, const struct aimed_case *at, struct tally *tally)
{
	int error;

	switch (aimed_run(device, at, &error)) {
	case AIMED_ANSWERED:
		tally->answered++;
		return;
	case AIMED_WITHHELD:
		tally->withheld++;
		break;
	default:
		tally->wrong++;
		printf("# %s: %s, not: %s\n", at->name, firesteel_error_text(error),
		       firesteel_error_text(at->answer));
	}
	usleep(PAUSE_US);
	aimed_recover(device);
}

static void shoot_all(struct firesteel *device, unsigned long rounds)
{
	static const char *const completions[] = { "adaptive", "poll", "irq" };

	for (size_t way = 0; way < COUNT(completions); way++) {
		struct tally tally = { 0 };

		firesteel_set(device, "completion", completions[way], NULL);
		for (unsigned long round = 0; round < rounds; round++)
			for (size_t i = 0; i < count; i++)
				shoot(device, &cases[i], &tally);
		printf("# %s: %u answered, %u withheld, %u wrong\n", completions[way],
		       tally.answered, tally.withheld, tally.wrong);
		look(tally.wrong == 0, "no answer is wrong");
	}
}

int main(int argc, char **argv)
{
	char message[FIRESTEEL_MESSAGE_SIZE], name[64];
	struct firesteel *device;

	if (argc != 5) {
		fprintf(stderr, "usage: aimed DEVICE public-key|cryptomaster ROUNDS FROM_MS\n");
		return 2;
	}
	snprintf(name, sizeof(name), "uio:%s", argv[1]);
	if (firesteel_open(name, &device, message) < 0) {
		printf("not ok opening: %s\n", message);
		return 1;
	}
	prepare(device, argv[2], strtol(argv[4], NULL, 10));
	shoot_all(device, strtoul(argv[3], NULL, 10));
	firesteel_close(device);
	printf("ok aimed has ended\n");
	return 0;
}
