/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sieve: a program that only computes, and always as much.
 *
 *	sieve LIMIT ROUNDS	finds all primes below LIMIT by the sieve of Eratosthenes, ROUNDS times,
 *				and prints how many there are
 *
 * It has a byte for each odd number.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long parse(const char *text, unsigned long least)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || value < least || value > 100000000)
		errx(1, "%s: give a number from %lu to 100000000", text, least);
	return value;
}

/* Element i stands for 2i + 1. */
static unsigned long sieve(char *composite, unsigned long limit)
{
	unsigned long odd = limit / 2, primes = 1, i, j;

	memset(composite, 0, odd);
	for (i = 1; i < odd; i++) {
		if (composite[i])
			continue;
		primes++;
		if (2ULL * i * (i + 1) >= odd)
			continue;
		for (j = 2 * i * (i + 1); j < odd; j += 2 * i + 1)
			composite[j] = 1;
	}
	return primes;
}

int main(int argc, char **argv)
{
	unsigned long limit, rounds, primes = 0;
	char *composite;

	if (argc != 3)
		errx(2, "sieve LIMIT ROUNDS");
	limit = parse(argv[1], 3);
	composite = malloc(limit / 2);
	if (!composite)
		err(1, "no memory");
	for (rounds = parse(argv[2], 1); rounds; rounds--)
		primes = sieve(composite, limit);
	printf("%lu\n", primes);
	free(composite);
	return 0;
}
