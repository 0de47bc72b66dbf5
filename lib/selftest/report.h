/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the self-test prints: a line for each check, then a sentence.
 *
 *	ok      WINDOW  CHECK  what was seen
 *	FAILED  WINDOW  CHECK  expected ..., came ...; see docs/silicon.md#SECTION
 *	absent  WINDOW  CHECK  why nothing was tried
 */
#ifndef SELFTEST_REPORT_H
#define SELFTEST_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct report {
	const char *window; /* that the next checks are of; "-": of none */
	unsigned passed, failed;
	unsigned untried; /* of engines that no longer answered */
};

/* One line each; `format` as of printf() */
__attribute__((format(printf, 3, 4))) void report_ok(struct report *report, const char *check,
						     const char *format, ...);
__attribute__((format(printf, 3, 4))) void report_absent(struct report *report, const char *check,
							 const char *format, ...);

/* `format` names the expected and the actual result; `section` is the anchor in docs/silicon.md */
__attribute__((format(printf, 4, 5))) void report_failed(struct report *report, const char *check,
							 const char *section, const char *format,
							 ...);

/* The last line; true if nothing failed, and something passed */
bool report_end(const struct report *report);

#endif
