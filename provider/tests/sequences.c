/* SPDX-License-Identifier: Apache-2.0 */
#include "sequences.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>

#define LINES 160u
#define WIDTH 160u

static struct {
	const char *family;
	uint64_t seed, state;
	char calls[LINES][WIDTH];
	unsigned count;
} sequence;

static void part(const char *what)
{
	fprintf(stderr, "The providers part at %s in this sequence:\n", what);
	for (unsigned i = 0; i < sequence.count; i++)
		fprintf(stderr, "  %s\n", sequence.calls[i]);
	fprintf(stderr, "again: test-sequences %s %" PRIu64 "\n", sequence.family, sequence.seed);
	ERR_print_errors_fp(stderr);
	abort();
}

/* A crash names its sequence, too */
static void crashed(int number)
{
	(void)number;
	part("a crash");
}

void sequence_begin(const char *family, uint64_t seed)
{
	sequence.family = family;
	sequence.seed = seed;
	/* Seeds in a row are no neighbours then; 0 would stay 0 */
	sequence.state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	sequence.count = 0;
	signal(SIGSEGV, crashed);
	ERR_clear_error();
}

unsigned sequence_random(unsigned below)
{
	sequence.state ^= sequence.state << 13;
	sequence.state ^= sequence.state >> 7;
	sequence.state ^= sequence.state << 17;
	return (unsigned)(sequence.state >> 20) % below;
}

void sequence_fill(void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)bytes)[i] = (uint8_t)sequence_random(256);
}

bool sequence_once_in(unsigned many)
{
	return sequence_random(many) == 0;
}

int sequence_size(void)
{
	switch (sequence_random(6)) {
	case 0:
		return 0;
	case 1:
		return 16 * (int)sequence_random(20);
	case 2:
		return (int)sequence_random(1200);
	default:
		return 1 + (int)sequence_random(40);
	}
}

void sequence_note(const char *format, ...)
{
	va_list arguments;

	if (sequence.count == LINES)
		return;
	va_start(arguments, format);
	vsnprintf(sequence.calls[sequence.count++], WIDTH, format, arguments);
	va_end(arguments);
}

void sequence_same(long ours, long theirs, const char *what)
{
	if (ours == theirs)
		return;
	fprintf(stderr, "%ld by ours, %ld by the default provider\n", ours, theirs);
	part(what);
}

void sequence_same_bytes(const void *ours, const void *theirs, size_t size, const char *what)
{
	if (memcmp(ours, theirs, size) != 0)
		part(what);
}
