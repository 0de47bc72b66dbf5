/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>

static unsigned compared, differences;

const struct setting answer_settings[] = {
	{ "model", "all=1" },
	{ "model", "all=never" },
	{ "model:faults=gone:nth=4", "all=1" },
	{ NULL, NULL },
};

void answer_begin(struct answer *answer)
{
	memset(answer, 0, sizeof(*answer));
	ERR_clear_error();
}

void answer_end(struct answer *answer, int returned)
{
	answer->returned = returned;
	answer->first = ERR_peek_error();
	answer->last = ERR_peek_last_error();
	ERR_clear_error();
	if (returned <= 0)
		answer->size = 0;
}

static bool same_error(unsigned long one, unsigned long other)
{
	return ERR_GET_LIB(one) == ERR_GET_LIB(other) &&
	       ERR_GET_REASON(one) == ERR_GET_REASON(other);
}

static void print(const char *whose, const struct answer *answer)
{
	char first[200] = "none", last[200] = "none";

	if (answer->first)
		ERR_error_string_n(answer->first, first, sizeof(first));
	if (answer->last)
		ERR_error_string_n(answer->last, last, sizeof(last));
	fprintf(stderr, "  %s: returned %d, %zu bytes; first error %s, last error %s\n", whose,
		answer->returned, answer->size, first, last);
}

void answers_compare(const struct answer *ours, const struct answer *theirs, const char *what, ...)
{
	va_list arguments;

	compared++;
	if (ours->returned == theirs->returned && same_error(ours->first, theirs->first) &&
	    same_error(ours->last, theirs->last) && ours->size == theirs->size &&
	    memcmp(ours->out, theirs->out, ours->size) == 0)
		return;
	differences++;
	va_start(arguments, what);
	vfprintf(stderr, what, arguments);
	va_end(arguments);
	fputs(":\n", stderr);
	print("ours", ours);
	print("theirs", theirs);
}

void answers_finish(unsigned least)
{
	printf("%u calls compared, %u answered differently\n", compared, differences);
	if (differences > 0 || compared < least)
		abort();
}
