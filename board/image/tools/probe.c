/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe: tells the machine outside of this board about instants and results.
 *
 *	probe mark NAME			marks this instant
 *	probe data NAME [FILE]		sends FILE, or standard input, as the data item NAME
 *	probe run NAME COMMAND [ARG]…	marks NAME.begin, runs the command, marks NAME.end;
 *					exits as the command did
 *	probe lines NAME…		copies standard input to standard output and marks the
 *					next NAME when a line ends
 *	probe follow			marks every line of standard input, which is a NAME
 *	probe stall NS			holds the CPU for NS nanoseconds
 *	probe time			prints time, instructions, idle, stalled and user time
 *	probe ready			says that this board has booted
 *	probe job			copies the job's archive to standard output
 *
 * A NAME has 1 to 255 characters of a-z A-Z 0-9 . _ -
 *
 * Every mark made by run, lines and follow comes with a data item NAME.cpu: what /proc/cputime and
 * /proc/stat said.  They are read before a mark that ends in ".begin" and after any other, so that
 * reading them is not in the time between the two.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"

#define DEVICES "/sys/bus/pci/devices"

static volatile uint32_t *regs;

static uint32_t reg_read(unsigned int offset)
{
	return regs[offset / 4];
}

static void reg_write(unsigned int offset, uint32_t value)
{
	regs[offset / 4] = value;
}

static uint64_t reg_read64(unsigned int offset)
{
	uint32_t low = reg_read(offset);

	return low | (uint64_t)reg_read(offset + 4) << 32;
}

static bool device_is_probe(const char *name)
{
	char path[320], text[512], id[32];
	ssize_t length;
	int fd;

	snprintf(id, sizeof(id), "PCI_ID=%04X:%04X\n", PROBE_VENDOR, PROBE_DEVICE);
	snprintf(path, sizeof(path), DEVICES "/%s/uevent", name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return false;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length < 0)
		return false;
	text[length] = '\0';
	return strstr(text, id) != NULL;
}

static void device_enable(const char *name)
{
	char path[320];
	int fd;

	snprintf(path, sizeof(path), DEVICES "/%s/enable", name);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "1", 1) != 1)
		err(1, "%s", path);
	close(fd);
}

static void device_map(const char *name)
{
	char path[320];
	int fd;

	snprintf(path, sizeof(path), DEVICES "/%s/resource0", name);
	fd = open(path, O_RDWR | O_SYNC);
	if (fd < 0)
		err(1, "%s", path);
	regs = mmap(NULL, PROBE_BAR_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (regs == MAP_FAILED)
		err(1, "%s", path);
	close(fd);
}

/* Each call finds the device afresh; enabling it again does no harm while others use it. */
static void device_open(void)
{
	struct dirent *entry;
	DIR *dir = opendir(DEVICES);

	if (!dir)
		err(1, DEVICES);
	while ((entry = readdir(dir))) {
		if (!device_is_probe(entry->d_name))
			continue;
		device_enable(entry->d_name);
		device_map(entry->d_name);
		closedir(dir);
		if (reg_read(PROBE_REG_MAGIC) != PROBE_MAGIC)
			errx(1, "the probe device does not answer");
		return;
	}
	errx(1, "this board has no probe device");
}

static void name_set(const char *name, const char *suffix)
{
	char buffer[PROBE_NAME_SIZE] = { 0 };
	uint32_t word;
	int length;
	size_t i;

	length = snprintf(buffer, sizeof(buffer), "%s%s", name, suffix);
	if (length < 1 || length >= (int)sizeof(buffer))
		errx(1, "a name has 1 to %d characters", PROBE_NAME_SIZE - 1);
	for (i = 0; i <= (size_t)length; i += sizeof(word)) {
		memcpy(&word, buffer + i, sizeof(word));
		reg_write(PROBE_REG_NAME + i, word);
	}
}

static void mark(const char *name, const char *suffix)
{
	name_set(name, suffix);
	reg_write(PROBE_REG_MARK, 1);
}

/* Sends whole words; the length at the end says how much of the last one counts. */
static void data_send(const uint8_t *bytes, size_t length)
{
	uint32_t word;
	size_t i;

	for (i = 0; i < length; i += sizeof(word)) {
		word = 0;
		memcpy(&word, bytes + i, length - i < sizeof(word) ? length - i : sizeof(word));
		reg_write(PROBE_REG_DATA, word);
	}
}

/* Fills the buffer unless the file ends: a short read of a pipe must not end a word early. */
static size_t read_full(int fd, uint8_t *buffer, size_t size)
{
	size_t filled = 0;
	ssize_t got;

	while (filled < size) {
		got = read(fd, buffer + filled, size - filled);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			err(1, "reading the data");
		if (got == 0)
			break;
		filled += (size_t)got;
	}
	return filled;
}

static void data(const char *name, const char *suffix, int fd)
{
	static uint8_t buffer[1 << 16];
	size_t total = 0, length;

	name_set(name, suffix);
	reg_write(PROBE_REG_DATA_BEGIN, 1);
	do {
		length = read_full(fd, buffer, sizeof(buffer));
		data_send(buffer, length);
		total += length;
	} while (length == sizeof(buffer));
	reg_write(PROBE_REG_DATA_END, (uint32_t)total);
}

static int open_to_read(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static int command_data(const char *name, const char *path)
{
	data(name, "", path ? open_to_read(path) : STDIN_FILENO);
	return 0;
}

struct cpu {
	char text[1 << 15];
	size_t length;
};

static void cpu_append(struct cpu *cpu, const char *path)
{
	int fd = open_to_read(path);

	cpu->length += read_full(fd, (uint8_t *)cpu->text + cpu->length,
				 sizeof(cpu->text) - cpu->length);
	close(fd);
}

static void cpu_send(const struct cpu *cpu, const char *name, const char *suffix)
{
	char full[PROBE_NAME_SIZE];

	snprintf(full, sizeof(full), "%s%s", name, suffix);
	name_set(full, ".cpu");
	reg_write(PROBE_REG_DATA_BEGIN, 1);
	data_send((const uint8_t *)cpu->text, cpu->length);
	reg_write(PROBE_REG_DATA_END, (uint32_t)cpu->length);
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length >= end_length && !strcmp(text + length - end_length, end);
}

/* Marks with the processor's counters, which are sent outside of what the marks enclose. */
static void mark_with_cpu(const char *name, const char *suffix)
{
	bool begin = ends_with(*suffix ? suffix : name, ".begin");
	static struct cpu cpu;

	cpu.length = 0;
	if (!begin)
		mark(name, suffix);
	cpu_append(&cpu, "/proc/cputime");
	cpu_append(&cpu, "/proc/stat");
	cpu_send(&cpu, name, suffix);
	if (begin)
		mark(name, suffix);
}

static int command_run(const char *name, char **command)
{
	int status;
	pid_t pid;

	mark_with_cpu(name, ".begin");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		execvp(command[0], command);
		err(127, "%s", command[0]);
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			err(1, "waitpid");
	}
	mark_with_cpu(name, ".end");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int command_lines(char **names)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) >= 0) {
		if (*names)
			mark_with_cpu(*names++, "");
		fputs(line, stdout);
	}
	if (*names)
		errx(1, "lines: the input ended before %s", *names);
	return fflush(stdout) ? 1 : 0;
}

static int command_follow(void)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		mark_with_cpu(line, "");
	}
	return 0;
}

static int command_stall(const char *text)
{
	char *end;
	unsigned long ns = strtoul(text, &end, 10);

	if (end == text || *end)
		errx(1, "stall: %s is not a number of nanoseconds", text);
	reg_write(PROBE_REG_STALL, (uint32_t)ns);
	return 0;
}

static int command_time(void)
{
	printf("time_ns %" PRIu64 "\n", reg_read64(PROBE_REG_TIME));
	printf("instructions %" PRIu64 "\n", reg_read64(PROBE_REG_INSTRUCTIONS));
	printf("idle_ns %" PRIu64 "\n", reg_read64(PROBE_REG_IDLE));
	printf("stalled_ns %" PRIu64 "\n", reg_read64(PROBE_REG_STALLED));
	printf("user_ns %" PRIu64 "\n", reg_read64(PROBE_REG_USER));
	return 0;
}

static int command_ready(void)
{
	reg_write(PROBE_REG_READY, 1);
	return 0;
}

static int command_job(void)
{
	size_t left = reg_read(PROBE_REG_JOB_LENGTH), filled;
	static uint8_t buffer[1 << 16];
	uint32_t word;

	while (left) {
		for (filled = 0; filled < left && filled < sizeof(buffer); filled += sizeof(word)) {
			word = reg_read(PROBE_REG_JOB);
			memcpy(buffer + filled, &word, sizeof(word));
		}
		if (filled > left)
			filled = left;
		if (fwrite(buffer, 1, filled, stdout) != filled)
			err(1, "writing the job");
		left -= filled;
	}
	return fflush(stdout) ? 1 : 0;
}

static int usage(void)
{
	fprintf(stderr, "probe mark NAME\n"
			"probe data NAME [FILE]\n"
			"probe run NAME COMMAND [ARG]...\n"
			"probe lines NAME...\n"
			"probe follow\n"
			"probe stall NS\n"
			"probe time\n"
			"probe ready\n"
			"probe job\n");
	return 2;
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";

	if (argc == 3 && !strcmp(command, "mark")) {
		device_open();
		mark(argv[2], "");
		return 0;
	}
	if ((argc == 3 || argc == 4) && !strcmp(command, "data")) {
		device_open();
		return command_data(argv[2], argv[3]);
	}
	if (argc >= 4 && !strcmp(command, "run")) {
		device_open();
		return command_run(argv[2], argv + 3);
	}
	if (argc >= 3 && !strcmp(command, "lines")) {
		device_open();
		return command_lines(argv + 2);
	}
	if (argc == 2 && !strcmp(command, "follow")) {
		device_open();
		return command_follow();
	}
	if (argc == 3 && !strcmp(command, "stall")) {
		device_open();
		return command_stall(argv[2]);
	}
	if (argc == 2 && !strcmp(command, "time")) {
		device_open();
		return command_time();
	}
	if (argc == 2 && !strcmp(command, "ready")) {
		device_open();
		return command_ready();
	}
	if (argc == 2 && !strcmp(command, "job")) {
		device_open();
		return command_job();
	}
	return usage();
}
