/* SPDX-License-Identifier: Apache-2.0 */
/* What firesteel-selftest reads of the kernel's own self-tests. */
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

#include "../selftest/checks.h"
#include "unit.h"

#define ENTRY(driver, verdict)         \
	"name         : cbc(aes)\n"    \
	"driver       : " driver "\n"  \
	"module       : firesteel\n"   \
	"priority     : 5000\n"        \
	"selftest     : " verdict "\n" \
	"internal     : no\n"          \
	"\n"

/* The verdict on a file with that text */
static struct report read_from(const char *text)
{
	char path[] = "/tmp/selftest-XXXXXX";
	struct report report = { 0 };
	int file = mkstemp(path);

	assert_true(file >= 0);
	assert_int_equal(write(file, text, strlen(text)), strlen(text));
	close(file);
	check_kernel(&report, path);
	unlink(path);
	return report;
}

static void all_have_passed(void **state)
{
	struct report report = read_from(ENTRY("cbc-aes-firesteel", "passed")
						 ENTRY("ecb-aes-firesteel", "passed"));

	(void)state;
	assert_int_equal(report.passed, 1);
	assert_int_equal(report.failed, 0);
}

static void one_has_not(void **state)
{
	struct report report = read_from(ENTRY("cbc-aes-firesteel", "passed")
						 ENTRY("ecb-aes-firesteel", "unknown"));

	(void)state;
	assert_int_equal(report.passed, 0);
	assert_int_equal(report.failed, 1);
}

static void what_others_have_does_not_count(void **state)
{
	struct report report = read_from(ENTRY("cbc-aes-neonbs", "unknown")
						 ENTRY("firesteel-not", "unknown"));

	(void)state;
	assert_int_equal(report.passed + report.failed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_have_passed),
		cmocka_unit_test(one_has_not),
		cmocka_unit_test(what_others_have_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
