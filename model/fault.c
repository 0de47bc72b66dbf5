/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "fault.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FACTOR_MIN 2u
#define FACTOR_MAX 1000000u
#define MS_MAX     1000000000u /* eleven days */
#define MS_NS      1000000u
#define TEXT_SIZE  256u /* of one fault; longer ones are cut in the sentence about them */

static const char *const names[SILEX_FAULT_KINDS] = {
	[SILEX_FAULT_DMA_ERROR] = "dma-error",
	[SILEX_FAULT_WRONG_TAG] = "wrong-tag",
	[SILEX_FAULT_STUCK_BUSY] = "stuck-busy",
	[SILEX_FAULT_LOST_INTERRUPT] = "lost-interrupt",
	[SILEX_FAULT_SPURIOUS_INTERRUPT] = "spurious-interrupt",
	[SILEX_FAULT_LATE] = "late",
	[SILEX_FAULT_FLIPPED_BIT] = "flipped-bit",
	[SILEX_FAULT_GONE] = "gone",
};

/* Where a text is read, and where the sentence goes when it is wrong */
struct reader {
	char text[TEXT_SIZE]; /* of the fault that is being read */
	char *error;
	size_t size;
};

const char *silex_fault_name(enum silex_fault_kind kind)
{
	return names[kind];
}

static int refuse_kind(const struct reader *reader)
{
	int used = snprintf(reader->error, reader->size, "fault \"%s\": no such kind; there are",
			    reader->text);

	for (unsigned i = 0; i < SILEX_FAULT_KINDS && used > 0 && (size_t)used < reader->size; i++)
		used += snprintf(reader->error + used, reader->size - (size_t)used, "%s %s",
				 i ? "," : "", names[i]);
	return -1;
}

static int refuse(const struct reader *reader, const char *what)
{
	snprintf(reader->error, reader->size,
		 "fault \"%s\": %s; it reads KIND:rate=N or KIND:nth=N with N from 1, "
		 "late:rate=N:factor=M with M from %u to %u, gone also :accesses=N, :within=NS and "
		 ":for=NS, each also :from=MS and :until=MS",
		 reader->text, what, FACTOR_MIN, FACTOR_MAX);
	return -1;
}

/* A number from 1, or 0 when it is none */
static uint64_t number(const char *text)
{
	char *end;
	uint64_t value;

	if (!isdigit((unsigned char)*text))
		return 0;
	errno = 0;
	value = strtoull(text, &end, 10);
	return *end || errno ? 0 : value;
}

/* What "gone" alone has; false: it is another option */
static bool set_gone(struct silex_fault *fault, const char *option, size_t length, uint64_t n)
{
	if (length == 8 && strncmp(option, "accesses", length) == 0)
		fault->accesses = n;
	else if (n > (uint64_t)MS_MAX * MS_NS)
		return false;
	else if (length == 6 && strncmp(option, "within", length) == 0)
		fault->within_ns = n;
	else if (length == 3 && strncmp(option, "for", length) == 0)
		fault->for_ns = n;
	else
		return false;
	return true;
}

/* The time in which it can strike; false: it is another option */
static bool set_time(struct silex_fault *fault, const char *option, size_t length, uint64_t ms)
{
	if (ms > MS_MAX)
		return false;
	if (length == 4 && strncmp(option, "from", length) == 0) {
		fault->from_ns = ms * MS_NS;
		return true;
	}
	if (length == 5 && strncmp(option, "until", length) == 0) {
		fault->until_ns = ms * MS_NS;
		return true;
	}
	return false;
}

static bool set_option(struct silex_fault *fault, enum silex_fault_kind kind, const char *option)
{
	const char *value = strchr(option, '=');
	size_t length = value ? (size_t)(value - option) : 0;
	uint64_t n = value ? number(value + 1) : 0;

	if (!n)
		return false;
	if (length == 4 && strncmp(option, "rate", length) == 0) {
		fault->rate = n;
		return true;
	}
	if (length == 3 && strncmp(option, "nth", length) == 0) {
		fault->nth = n;
		return true;
	}
	if (length == 6 && strncmp(option, "factor", length) == 0 && kind == SILEX_FAULT_LATE &&
	    n >= FACTOR_MIN && n <= FACTOR_MAX) {
		fault->factor = (unsigned)n;
		return true;
	}
	if (kind == SILEX_FAULT_GONE && set_gone(fault, option, length, n))
		return true;
	return set_time(fault, option, length, n);
}

/* Cuts the next word off a text whose words are separated by colons; NULL after the last */
static char *next_word(char **text)
{
	char *word = *text, *end = word ? strchr(word, ':') : NULL;

	if (end)
		*end++ = '\0';
	*text = end;
	return word;
}

static int read_fault(const struct reader *reader, struct silex_faults *faults)
{
	struct silex_fault fault = { .armed = true, .factor = SILEX_FAULT_LATE_FACTOR };
	char words[TEXT_SIZE], *rest = words, *word;
	unsigned kind = 0;

	memcpy(words, reader->text, sizeof(words));
	word = next_word(&rest);
	while (kind < SILEX_FAULT_KINDS && strcmp(word, names[kind]) != 0)
		kind++;
	if (kind == SILEX_FAULT_KINDS)
		return refuse_kind(reader);
	while ((word = next_word(&rest)))
		if (!set_option(&fault, kind, word))
			return refuse(reader, "wrong option");
	if (!!fault.rate + !!fault.nth + !!fault.accesses != 1)
		return refuse(reader, kind == SILEX_FAULT_GONE
					      ? "one of rate, nth and accesses is needed"
					      : "one of rate and nth is needed");
	if (fault.accesses && fault.within_ns)
		return refuse(reader, "within is of rate and nth");
	if (fault.until_ns && fault.until_ns <= fault.from_ns)
		return refuse(reader, "it ends before it begins");
	faults->fault[kind] = fault;
	return 0;
}

int silex_faults_parse(const char *text, struct silex_faults *faults, char *error, size_t size)
{
	struct silex_faults read = { .seed = faults->seed };
	struct reader reader = { .error = error, .size = size };

	while (*text) {
		size_t length = strcspn(text, ";");

		snprintf(reader.text, sizeof(reader.text), "%.*s", (int)length, text);
		if (length >= sizeof(reader.text))
			return refuse(&reader, "too long");
		if (read_fault(&reader, &read) < 0)
			return -1;
		text += length;
		text += *text == ';';
	}
	*faults = read;
	return 0;
}
