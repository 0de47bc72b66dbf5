/* SPDX-License-Identifier: Apache-2.0 */
/* firesteel-provider check PROGRAM: whether the cores are used, and if not, why. */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "check/files.h"
#include "check/report.h"
#include "check/run.h"

/* The program ended well, but no process of it loaded the provider */
#define NOT_LOADED 120

static const char usage[] =
	"usage: firesteel-provider check PROGRAM [ARGUMENT...]\n"
	"\n"
	"Runs a program, waits for it and for all processes that it has started, and says what of\n"
	"their work the cores did, what software did, and why.  See firesteel-provider(1).\n";

int main(int argc, char **argv)
{
	struct files files;
	int first = argc > 2 && strcmp(argv[2], "--") == 0 ? 3 : 2, status;

	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return fputs(usage, stdout) < 0 ? RUN_FAILED : 0;
	if (argc <= first || strcmp(argv[1], "check") != 0 || argv[first][0] == '-') {
		fputs(usage, stderr);
		return RUN_FAILED;
	}
	if (files_begin(&files) < 0)
		err(RUN_FAILED, "%s", files.directory);
	status = run(argv + first);
	files_end(&files);
	if (status == RUN_NOT_BEGUN || status == RUN_NOT_FOUND)
		return status;
	report(&files, argv[first]);
	return status == 0 && !files.processes ? NOT_LOADED : status;
}
