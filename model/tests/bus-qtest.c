/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * The cores inside QEMU as a bus, through QEMU's protocol for tests of devices (qtest): lines of
 * text over a socket, one answer for each request, and between them a line for each change of an
 * interrupt.  No guest runs; virtual time moves when a test lets it pass.
 *
 * The program named by SILEX_QEMU runs a virt machine with one window of cores on its platform
 * bus, where both interrupt lines can be watched apart.
 */
#include "bus.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../silex/soc.h"

#define WINDOW     0x0c000000u /* the first address of virt's platform bus */
#define MEMORY     0x40000000u /* where virt's memory begins */
#define MEMORY_MIB 64u
#define PIECE      1024u /* bytes of memory in one request */
#define LINE       (2 * PIECE + 64)

struct qtest {
	struct bus bus;
	pid_t qemu;
	FILE *to;
	FILE *from;
	uint64_t now;
	bool lines[SILEX_LINES];
	char answer[LINE];
};

static void fail(const char *what, const char *detail)
{
	fprintf(stderr, "qtest: %s: %s\n", what, detail);
	abort();
}

static struct qtest *qtest_of(struct bus *bus)
{
	return (struct qtest *)((char *)bus - offsetof(struct qtest, bus));
}

/* Whether the answer is a change of an interrupt, which can come at any time */
static bool take_interrupt(struct qtest *qtest)
{
	unsigned line;
	char way[8];

	if (sscanf(qtest->answer, "IRQ %7s %u", way, &line) != 2)
		return false;
	if (line < SILEX_LINES)
		qtest->lines[line] = strcmp(way, "raise") == 0;
	return true;
}

/* Sends a request and returns what comes behind "OK" */
__attribute__((format(printf, 2, 3))) static const char *ask(struct qtest *qtest,
							     const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(qtest->to, format, arguments);
	va_end(arguments);
	putc('\n', qtest->to);
	fflush(qtest->to);
	do {
		if (!fgets(qtest->answer, sizeof(qtest->answer), qtest->from))
			fail("QEMU has ended after", format);
	} while (take_interrupt(qtest));
	if (strncmp(qtest->answer, "OK", 2) != 0)
		fail(format, qtest->answer);
	return qtest->answer + 2;
}

static uint32_t bus_read(struct bus *bus, uint32_t offset)
{
	return (uint32_t)strtoul(ask(qtest_of(bus), "readl 0x%x", WINDOW + offset), NULL, 0);
}

static void bus_write(struct bus *bus, uint32_t offset, uint32_t value)
{
	ask(qtest_of(bus), "writel 0x%x 0x%x", WINDOW + offset, value);
}

/* The letter of qtest's words for accesses of 1, 2 and 4 bytes */
static char letter(unsigned size)
{
	return size == 1 ? 'b' : size == 2 ? 'w' : 'l';
}

static uint32_t bus_read_part(struct bus *bus, uint32_t offset, unsigned size)
{
	return (uint32_t)strtoul(ask(qtest_of(bus), "read%c 0x%x", letter(size), WINDOW + offset),
				 NULL, 0);
}

static void bus_write_part(struct bus *bus, uint32_t offset, uint32_t value, unsigned size)
{
	ask(qtest_of(bus), "write%c 0x%x 0x%x", letter(size), WINDOW + offset, value);
}

static void piece_read(struct qtest *qtest, uint64_t address, uint8_t *bytes, size_t size)
{
	const char *digits = ask(qtest, "read 0x%" PRIx64 " %zu", address, size) + strlen(" 0x");

	for (size_t i = 0; i < size; i++) {
		char byte[3] = { digits[2 * i], digits[2 * i + 1] };

		bytes[i] = (uint8_t)strtoul(byte, NULL, 16);
	}
}

static void piece_write(struct qtest *qtest, uint64_t address, const uint8_t *bytes, size_t size)
{
	char digits[2 * PIECE + 1];

	for (size_t i = 0; i < size; i++)
		sprintf(digits + 2 * i, "%02x", bytes[i]);
	ask(qtest, "write 0x%" PRIx64 " %zu 0x%s", address, size, digits);
}

static size_t piece(size_t size)
{
	return size < PIECE ? size : PIECE;
}

static void memory_read(struct bus *bus, uint64_t address, void *data, size_t size)
{
	for (size_t done = 0; done < size; done += piece(size - done))
		piece_read(qtest_of(bus), address + done, (uint8_t *)data + done,
			   piece(size - done));
}

static void memory_write(struct bus *bus, uint64_t address, const void *data, size_t size)
{
	for (size_t done = 0; done < size; done += piece(size - done))
		piece_write(qtest_of(bus), address + done, (const uint8_t *)data + done,
			    piece(size - done));
}

static void pass(struct bus *bus, uint64_t ns)
{
	struct qtest *qtest = qtest_of(bus);

	if (ns)
		qtest->now = strtoull(ask(qtest, "clock_step %" PRIu64, ns), NULL, 0);
}

static uint64_t now(struct bus *bus)
{
	return qtest_of(bus)->now;
}

/* A change is told before the answer to what caused it, so what was heard last still holds */
static bool line_level(struct bus *bus, unsigned line)
{
	return line < SILEX_LINES && qtest_of(bus)->lines[line];
}

static void run_qemu(int socket, const char *configuration)
{
	const char *program = getenv("SILEX_QEMU");
	char device[1024], memory[16];

	if (!program)
		fail("SILEX_QEMU", "must be the path of qemu-system-arm");
	snprintf(memory, sizeof(memory), "%u", MEMORY_MIB);
	snprintf(device, sizeof(device), "silex-sysbus,id=cores%s%s", configuration ? "," : "",
		 configuration ? configuration : "");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(socket, STDIN_FILENO);
	dup2(socket, STDOUT_FILENO);
	execl(program, program, "-machine", "virt,highmem=off", "-m", memory, "-nodefaults",
	      "-display", "none", "-accel", "qtest", "-qtest", "stdio", "-qtest-log", "/dev/null",
	      "-device", device, NULL);
	fail(program, "cannot be run");
}

static void start_qemu(struct qtest *qtest, const char *configuration)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		fail("socketpair", "failed");
	qtest->qemu = fork();
	if (qtest->qemu < 0)
		fail("fork", "failed");
	if (qtest->qemu == 0)
		run_qemu(ends[1], configuration);
	close(ends[1]);
	qtest->to = fdopen(ends[0], "w");
	qtest->from = fdopen(dup(ends[0]), "r");
	if (!qtest->to || !qtest->from)
		fail("fdopen", "failed");
}

struct bus *bus_open(const char *configuration)
{
	struct qtest *qtest = calloc(1, sizeof(*qtest));

	if (!qtest)
		fail("memory", "there is none");
	qtest->bus = (struct bus){
		.read = bus_read,
		.write = bus_write,
		.read_part = bus_read_part,
		.write_part = bus_write_part,
		.memory_read = memory_read,
		.memory_write = memory_write,
		.pass = pass,
		.now = now,
		.line = line_level,
		.window_base = WINDOW,
		.memory_base = MEMORY,
		.memory_size = (size_t)MEMORY_MIB << 20,
	};
	start_qemu(qtest, configuration);
	ask(qtest, "irq_intercept_out /machine/peripheral/cores sysbus-irq");
	return &qtest->bus;
}

void bus_close(struct bus *bus)
{
	struct qtest *qtest = qtest_of(bus);

	fclose(qtest->to);
	fclose(qtest->from);
	kill(qtest->qemu, SIGKILL);
	waitpid(qtest->qemu, NULL, 0);
	free(qtest);
}
