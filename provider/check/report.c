/* SPDX-License-Identifier: Apache-2.0 */
#include "check/report.h"

#include <err.h>
#include <stdio.h>
#include <string.h>

#include <firesteel/firesteel.h>

#include "check/configuration.h"

#define SAY(...) fprintf(stderr, __VA_ARGS__)

/* ---- the table ---- */

static unsigned long long software_of(const struct fsp_counters *of)
{
	return of->small + of->queued + of->unfit + of->unprotected + of->busy + of->failed;
}

static void say_why(const struct fsp_counters *of)
{
	const struct {
		unsigned long long count;
		const char *why;
	} reasons[] = {
		{ of->small, "too small, or before the trial of the core" },
		{ of->queued, "faster than to wait for the requests before it" },
		{ of->unfit, "not done by the core" },
		{ of->unprotected, "with a secret, and the core has no countermeasures" },
		{ of->busy, "other processes had the core" },
		{ of->failed, "the core failed" },
	};
	const char *between = "  ";

	for (unsigned i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if (!reasons[i].count)
			continue;
		SAY("%s%llu %s", between, reasons[i].count, reasons[i].why);
		between = "; ";
	}
	if (of->failed)
		SAY(": %s",
		    of->last_error ? firesteel_error_text((int)of->last_error) : "wrong answers");
}

/* false: there was nothing */
static bool say_table(const struct files *files)
{
	bool any = false;

	for (unsigned i = 0; i < FSP_WORKS; i++) {
		const struct fsp_counters *of = &files->of[i];
		unsigned long long software = software_of(of);

		if (!of->hardware && !software)
			continue;
		if (!any)
			SAY("%-8s %10s %14s %10s  %s\n", "work", "cores", "bytes", "software",
			    "why");
		any = true;
		SAY("%-8s %10llu %14llu %10llu", of->name, (unsigned long long)of->hardware,
		    (unsigned long long)of->hardware_bytes, software);
		say_why(of);
		SAY("\n");
	}
	return any;
}

static void say_withheld(const struct files *files)
{
	const char *between = "never faster on the core, or switched off: ";

	for (unsigned i = 0; i < FSP_WORKS; i++) {
		if (files->of[i].break_even != FSP_STATISTICS_NEVER)
			continue;
		SAY("%s%s", between, files->of[i].name);
		between = ", ";
	}
	if (*between == ',')
		SAY("\n");
}

/* ---- what else there is to say ---- */

static void say_not_loaded(const char *program)
{
	char why[256];

	if (configuration_loads(why, sizeof(why))) {
		warnx("no process of %s loaded the provider, though the configuration activates it. "
		      "Programs go past it that read another section of the configuration, make a "
		      "library context of their own, bring a libcrypto of their own, do not use "
		      "OpenSSL, or run with another user's rights (firesteel-provider(7)).",
		      program);
		return;
	}
	warnx("no process of %s loaded the provider, as the configuration does not activate it: %s",
	      program, why);
}

void report(const struct files *files, const char *program)
{
	bool any;

	if (files->unread)
		warnx("%zu files of statistics are damaged or of another version of the provider",
		      files->unread);
	if (!files->processes) {
		say_not_loaded(program);
		return;
	}
	warnx("%zu %s the provider; device: %s", files->processes,
	      files->processes == 1 ? "process loaded" : "processes loaded",
	      *files->device ? files->device : "none");
	if (*files->reason)
		warnx("it serves nothing to a process: %s", files->reason);
	any = say_table(files);
	if (*files->device && !any)
		warnx("it was asked for nothing: %s has no such work, does it in a library context of "
		      "its own, names another provider for it, or default_properties does not prefer "
		      "the cores by ?firesteel.cores=yes",
		      program);
	if (*files->device)
		say_withheld(files);
}
