/* SPDX-License-Identifier: Apache-2.0 */
/* firesteel-selftest: tries all that a machine's cores can do, and says what does not work. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../uio-list.h"
#include "checks.h"

#define WINDOWS 64u

#define CLOCK_MIN 1e6
#define CLOCK_MAX 1e10

enum { PASSED, FAILED, USAGE };

struct options {
	const char *device; /* NULL: all windows that the kernel exports */
	uint64_t clock_hz;
};

static const char usage[] =
	"usage: firesteel-selftest [--device NAME] [--clock FREQUENCY]\n"
	"\n"
	"  --device NAME      one device: uio:WINDOW, or a model where the library has one;\n"
	"                     default: all windows of cores that the kernel exports\n"
	"  --clock FREQUENCY  of the cores, as 100MHz: times are printed in cycles, next to the\n"
	"                     model's\n"
	"\n"
	"Prints a line for each check and then a sentence.  Exit status: 0 if every engine that is\n"
	"present passed, 1 if one failed or there is none, 2 for a wrong option.\n";

/* ---- options ---- */

/* 0: it is none */
static uint64_t frequency_of(const char *text)
{
	static const struct {
		const char *unit;
		double factor;
	} units[] = { { "Hz", 1 }, { "kHz", 1e3 }, { "MHz", 1e6 }, { "GHz", 1e9 } };
	char *unit;
	double number = strtod(text, &unit);

	for (unsigned i = 0; unit > text && i < sizeof(units) / sizeof(*units); i++) {
		double hertz = number * units[i].factor;

		if (strcmp(unit, units[i].unit) == 0 && hertz >= CLOCK_MIN && hertz <= CLOCK_MAX)
			return (uint64_t)hertz;
	}
	return 0;
}

static void refuse(const char *text)
{
	fprintf(stderr, "firesteel-selftest: %s\n", text);
	exit(USAGE);
}

static void set_clock(struct options *options, const char *text)
{
	char message[128];

	options->clock_hz = frequency_of(text);
	snprintf(message, sizeof(message),
		 "--clock %.40s: allowed is 1MHz to 10GHz, with Hz, kHz, MHz or GHz", text);
	if (!options->clock_hz)
		refuse(message);
}

static struct options read_options(int count, char **words)
{
	static const struct option known[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "clock", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct options options = { 0 };
	int option;

	while ((option = getopt_long(count, words, "", known, NULL)) != -1) {
		if (option == 'd') {
			options.device = optarg;
		} else if (option == 'c') {
			set_clock(&options, optarg);
		} else if (option == 'h') {
			fputs(usage, stdout);
			exit(PASSED);
		} else {
			exit(USAGE); /* getopt_long() has said why */
		}
	}
	if (optind < count)
		refuse("it takes no words besides its options; --help has these");
	return options;
}

/* ---- windows ---- */

static void run_checks(struct window *window)
{
	check_presence(window);
	check_registers(window);
	check_dma(window);
	check_microcode(window);
	check_interrupts(window);
	check_symmetric(window);
	check_rsa(window);
	check_curves(window);
	check_curve25519(window);
	check_timing(window);
}

static const char *label_of(const char *name)
{
	if (strncmp(name, "uio:", strlen("uio:")) == 0)
		return name + strlen("uio:");
	return strncmp(name, "model", strlen("model")) == 0 ? "model" : name;
}

static void check_window(struct report *report, const struct options *options, const char *name)
{
	struct window window = { .report = report, .clock_hz = options->clock_hz };
	char message[FIRESTEEL_MESSAGE_SIZE];

	report->window = label_of(name);
	if (firesteel_open(name, &window.device, message) < 0) {
		report_failed(report, "device", "the-driver",
			      "expected a window of cores, came \"%s\"", message);
		return;
	}
	firesteel_capabilities(window.device, &window.has);
	run_checks(&window);
	firesteel_close(window.device);
}

/* A window has up to two devices */
static bool is_first(const struct fs_uio_entry *entries, unsigned number)
{
	for (unsigned i = 0; i < number; i++)
		if (strcmp(entries[i].window, entries[number].window) == 0)
			return false;
	return true;
}

static void check_all(struct report *report, const struct options *options)
{
	static struct fs_uio_entry entries[WINDOWS];
	unsigned count = fs_uio_list(NULL, entries, WINDOWS);

	for (unsigned i = 0; i < count; i++) {
		char name[FS_UIO_NAME + 8];

		if (!is_first(entries, i))
			continue;
		snprintf(name, sizeof(name), "uio:%s", entries[i].window);
		check_window(report, options, name);
	}
	if (count > 0)
		return;
	report->window = "-";
	report_failed(report, "device", "the-driver", "expected a window of cores in %s, came none",
		      fs_uio_sysfs);
}

int main(int count, char **words)
{
	const struct options options = read_options(count, words);
	struct report report = { .window = "-" };

	if (options.device)
		check_window(&report, &options, options.device);
	else
		check_all(&report, &options);
	check_kernel(&report, "/proc/crypto");
	return report_end(&report) ? PASSED : FAILED;
}
