/* SPDX-License-Identifier: Apache-2.0 */
/* The rate of datagrams that came at known times. */
#define main count_frames_main
#include "count-frames.c"
#undef main
#include <math.h>

#define FRAMES 6400
#define STEP   23000
#define RATE   (1e12 / STEP)

static uint64_t times[FRAMES];

static void expect(const char *what, size_t count, double value)
{
	double found = rate(times, count);

	if (fabs(found - value) > value / 1000)
		errx(1, "%s: %.0f mHz instead of %.0f", what, found, value);
}

/* One each STEP, noted when all of its batch are there */
static void come(size_t batch)
{
	size_t i;

	for (i = 0; i < FRAMES; i++)
		times[i] = 1000000000 + (i / batch + 1) * batch * STEP;
}

int main(void)
{
	size_t i;

	come(1);
	expect("one by one", FRAMES, RATE);
	expect("a few", 4, RATE);
	expect("too few to tell", 3, 0);
	expect("none", 0, 0);
	come(64);
	expect("in batches", FRAMES, RATE);
	come(1);
	for (i = 0; i < FRAMES / 4; i++)
		times[i] = times[0];
	expect("after a first quarter that waited", FRAMES, RATE);
	for (i = 0; i < FRAMES; i++)
		times[i] = 1000000000;
	expect("all at once", FRAMES, 0);
	return 0;
}
