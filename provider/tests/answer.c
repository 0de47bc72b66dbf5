/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>

static unsigned compared, differences;

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

static void finish(unsigned least)
{
	printf("%u calls compared, %u answered differently\n", compared, differences);
	if (differences > 0 || compared < least)
		abort();
}

void answers_of_settings(struct unit *unit, void (*make)(const struct setting *setting),
			 unsigned least)
{
	static const struct setting settings[] = {
		{ .device = "model", .thresholds = "all=1", .first = true },
		{ .device = "model", .thresholds = "all=never", .never = true },
		{ .device = "model:faults=gone:nth=4", .thresholds = "all=1" },
		/* a core so slow that software gets signatures without an estimate, with their messages */
		{ .device = "model:clock_hz=1000000,pk_multipliers=256",
		  .thresholds = "all=never,ecdsa=auto",
		  .never = true },
	};

	for (unsigned i = 0; i < COUNT(settings); i++) {
		*unit = unit_open(settings[i].device, settings[i].thresholds);
		make(&settings[i]);
		unit_close(unit);
	}
	finish(least);
}

struct pair pair_of(const struct unit *unit, EVP_PKEY *theirs)
{
	CHECK(theirs);
	return (struct pair){ .ours = unit_key(unit, theirs, OURS), .theirs = theirs };
}

void pair_free(const struct pair *pair)
{
	EVP_PKEY_free(pair->ours);
	EVP_PKEY_free(pair->theirs);
}

EVP_PKEY *pair_key(const struct pair *pair, bool here)
{
	return here ? pair->ours : pair->theirs;
}

EVP_PKEY_CTX *pair_context(const struct unit *unit, const struct pair *pair, bool here)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit->library, pair_key(pair, here),
							   WHOSE(here));

	CHECK(context);
	return context;
}

int answer_verify(EVP_MD_CTX *context, bool whole, const uint8_t *signature, size_t size,
		  const uint8_t *in, size_t in_size)
{
	int verdict;

	if (whole)
		return EVP_DigestVerify(context, signature, size, in, in_size);
	verdict = EVP_DigestVerifyUpdate(context, in, in_size);
	return verdict > 0 ? EVP_DigestVerifyFinal(context, signature, size) : verdict;
}
