/* SPDX-License-Identifier: Apache-2.0 */
#include "checks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CHECK   "proc-crypto"
#define SECTION "the-driver"
#define SUFFIX  "-firesteel" /* of the driver's names of its algorithms */

/* What the file says of the driver's algorithms */
struct algorithms {
	unsigned passed;
	char failed[64]; /* the first one that has not passed; empty: all have */
	char verdict[32]; /* on it */
};

/* The value of a line "KEY : VALUE", without its end; NULL: it has another key */
static const char *value_of(char *line, const char *key)
{
	char *value = strchr(line, ':');

	if (strncmp(line, key, strlen(key)) != 0 || !value)
		return NULL;
	value[strcspn(value, "\n")] = '\0';
	return value + 1 + strspn(value + 1, " ");
}

static bool is_ours(const char *driver)
{
	size_t length = strlen(driver), suffix = strlen(SUFFIX);

	return length > suffix && strcmp(driver + length - suffix, SUFFIX) == 0;
}

/* An algorithm's lines have the name of its driver before the verdict of the self-test */
static void read_algorithms(FILE *file, struct algorithms *algorithms)
{
	char line[256], driver[64] = "";
	const char *value;

	while (fgets(line, sizeof(line), file)) {
		if ((value = value_of(line, "driver "))) {
			snprintf(driver, sizeof(driver), "%.63s", value);
		} else if ((value = value_of(line, "selftest ")) && is_ours(driver)) {
			if (strcmp(value, "passed") == 0) {
				algorithms->passed++;
			} else if (!*algorithms->failed) {
				strcpy(algorithms->failed, driver);
				snprintf(algorithms->verdict, sizeof(algorithms->verdict), "%.31s",
					 value);
			}
		}
	}
}

void check_kernel(struct report *report, const char *path)
{
	struct algorithms algorithms = { 0 };
	FILE *file = fopen(path, "re");

	report->window = "-";
	if (!file) {
		report_absent(report, CHECK, "%s: %s", path, strerror(errno));
		return;
	}
	read_algorithms(file, &algorithms);
	fclose(file);
	if (*algorithms.failed)
		report_failed(report, CHECK, SECTION,
			      "expected that the kernel's self-test of %s has passed, came \"%s\"",
			      algorithms.failed, algorithms.verdict);
	else if (algorithms.passed > 0)
		report_ok(report, CHECK, "the kernel's self-tests of %u algorithms have passed",
			  algorithms.passed);
	else
		report_absent(
			report, CHECK,
			"the kernel has no algorithm of the driver: no CryptoMaster is its own");
}
