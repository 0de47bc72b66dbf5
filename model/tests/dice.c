/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* xorshift64*, Vigna 2016 */
#include "dice.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t dice_seed(void)
{
	const char *text = getenv("SILEX_SEED");
	uint64_t seed = DICE_SEED;
	char *end = NULL;

	errno = 0;
	if (text)
		seed = strtoull(text, &end, 0);
	if (text && (!isdigit((unsigned char)*text) || *end || errno)) {
		fprintf(stderr, "SILEX_SEED=\"%s\": must be a number of 64 bits\n", text);
		exit(1);
	}
	printf("SILEX_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

void dice_begin(struct dice *dice, uint64_t seed)
{
	dice->state = seed * 2654435769u + 1;
}

static uint64_t next(struct dice *dice)
{
	dice->state ^= dice->state >> 12;
	dice->state ^= dice->state << 25;
	dice->state ^= dice->state >> 27;
	return dice->state * 0x2545f4914f6cdd1du;
}

uint32_t dice_roll(struct dice *dice, uint32_t sides)
{
	return (uint32_t)(next(dice) >> 33) % sides;
}

void dice_fill(struct dice *dice, void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)bytes)[i] = (uint8_t)(next(dice) >> 40);
}
