/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "page.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

#define LINE_MAX_SIZE 512u

static bool has_line(FILE *file, const char *line)
{
	char found[LINE_MAX_SIZE];

	while (fgets(found, sizeof(found), file)) {
		found[strcspn(found, "\n")] = '\0';
		if (strcmp(found, line) == 0)
			return true;
	}
	return false;
}

void page_expect(const char *page, const char *format, ...)
{
	char path[LINE_MAX_SIZE], line[LINE_MAX_SIZE];
	va_list values;
	FILE *file;
	bool found;

	va_start(values, format);
	vsnprintf(line, sizeof(line), format, values);
	va_end(values);
	snprintf(path, sizeof(path), "%s/%s", PAGES, page);
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s is not there", path);
	found = has_line(file, line);
	fclose(file);
	if (!found)
		fail_msg("docs/%s should have the line:\n%s", page, line);
}
