/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>

static void line(const struct report *report, const char *verdict, const char *check,
		 const char *format, va_list values)
{
	printf("%-7s %-13s %-18s ", verdict, report->window, check);
	vprintf(format, values);
}

/* A machine that hangs at the next check leaves the lines before it */
static void end_line(void)
{
	putchar('\n');
	fflush(stdout);
}

void report_ok(struct report *report, const char *check, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	line(report, "ok", check, format, values);
	va_end(values);
	end_line();
	report->passed++;
}

void report_absent(struct report *report, const char *check, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	line(report, "absent", check, format, values);
	va_end(values);
	end_line();
}

void report_failed(struct report *report, const char *check, const char *section,
		   const char *format, ...)
{
	va_list values;

	va_start(values, format);
	line(report, "FAILED", check, format, values);
	va_end(values);
	printf("; see docs/silicon.md#%s", section);
	end_line();
	report->failed++;
}

bool report_end(const struct report *report)
{
	unsigned tried = report->passed + report->failed;

	if (report->failed == 0 && tried > 0)
		printf("All %u checks of the engines that are present passed.\n", tried);
	else if (report->untried > 0)
		printf("%u of %u checks failed; %u more were not tried, because their engine no longer answered.\n",
		       report->failed, tried, report->untried);
	else
		printf("%u of %u checks failed.\n", report->failed, tried);
	return report->failed == 0 && tried > 0;
}
