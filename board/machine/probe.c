/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe: on a real machine what board/image/tools/probe.c is on a virtual board.
 *
 *	probe mark NAME			marks this instant
 *	probe data NAME [FILE]		logs FILE, or standard input, as the data item NAME
 *	probe run NAME COMMAND [ARG]…	marks NAME.begin, runs the command, marks NAME.end;
 *					exits as the command did
 *	probe lines NAME…		copies standard input to standard output and marks the
 *					next NAME when a line ends
 *	probe follow			marks every line of standard input, which is a NAME
 *	probe begin			begins the log
 *	probe end			ends the log
 *	probe watch SECONDS PID		kills that process when standard input ends, or is silent so long
 *
 * Called nc, it is what jobs need of busybox's program of that name, as machines have others or none:
 *
 *	nc -l -p PORT			takes one connection
 *	nc -w SECONDS ADDRESS PORT	connects to an IPv4 address
 *
 * The log, one JSON object a line, is docs/probe.md's.  Time is CLOCK_MONOTONIC_RAW.  What CPUs did
 * is /proc/stat's, in its ticks.  Nothing counts instructions, stalls or sizes of frames, so these
 * are 0.  What the cores did is the account of the driver firesteel.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOG      "/run/firesteel.jsonl"
#define NETWORK  "/sys/class/net"
#define REQUESTS "/sys/kernel/debug/firesteel/requests"

#define NS           1000000000ull
#define NAME_SIZE    256
#define LARGEST_DATA (64 << 20)

/* Columns of a line of /proc/stat */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, COLUMNS };

struct text {
	char *bytes;
	size_t length, room;
};

static void *grown(void *memory, size_t size)
{
	memory = realloc(memory, size);
	if (!memory)
		errx(1, "no memory");
	return memory;
}

static void text_room(struct text *text, size_t more)
{
	if (text->length + more <= text->room)
		return;
	text->room = 2 * (text->length + more);
	text->bytes = grown(text->bytes, text->room);
}

__attribute__((format(printf, 2, 3))) static void text_add(struct text *text, const char *format,
							   ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	text_room(text, (size_t)length + 1);
	va_start(arguments, format);
	vsnprintf(text->bytes + text->length, (size_t)length + 1, format, arguments);
	va_end(arguments);
	text->length += (size_t)length;
}

/* Appends what is left of a file, with a zero behind it that does not count */
static void text_read(struct text *text, int fd)
{
	ssize_t got;

	do {
		text_room(text, 1 << 16);
		got = read(fd, text->bytes + text->length, (1 << 16) - 1);
		if (got < 0 && errno != EINTR)
			err(1, "reading");
		if (got > 0)
			text->length += (size_t)got;
	} while (got);
	text->bytes[text->length] = '\0';
}

static struct text file_text(const char *path)
{
	struct text text = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err(1, "%s", path);
	text_read(&text, fd);
	close(fd);
	return text;
}

/* The log is locked, so that its times go forwards whoever writes */
static int log_open(void)
{
	int fd = open(LOG, O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd < 0 || flock(fd, LOCK_EX))
		err(1, LOG);
	return fd;
}

static void log_close(int fd, struct text *line)
{
	size_t done = 0;
	ssize_t put;

	text_add(line, "\n");
	for (; done < line->length; done += (size_t)put) {
		put = write(fd, line->bytes + done, line->length - done);
		if (put < 0)
			err(1, LOG);
	}
	close(fd);
	free(line->bytes);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (uint64_t)time.tv_sec * NS + (uint64_t)time.tv_nsec;
}

/* The name as the log may have it */
static void name_check(const char *name)
{
	if (!*name || strlen(name) >= NAME_SIZE)
		errx(1, "a name has 1 to %d characters", NAME_SIZE - 1);
	for (; *name; name++) {
		if (!isalnum((unsigned char)*name) && !strchr("._-", *name))
			errx(1, "a name has letters, digits and ._- only");
	}
}

struct cpu {
	uint64_t ns[COLUMNS];
};

/* What the line of /proc/stat says behind its word */
static struct cpu cpu_read(const char *line)
{
	uint64_t tick = NS / (uint64_t)sysconf(_SC_CLK_TCK);
	struct cpu cpu = { 0 };
	char *rest = strchr(line, ' ');
	int column;

	for (column = 0; rest && column < COLUMNS; column++)
		cpu.ns[column] = strtoull(rest, &rest, 10) * tick;
	return cpu;
}

static void cpu_add(struct text *line, const struct cpu *cpu)
{
	text_add(line,
		 "\"instructions\":0,\"idle_ns\":%" PRIu64 ",\"stalled_ns\":0,\"user_ns\":%" PRIu64,
		 cpu->ns[IDLE] + cpu->ns[IOWAIT], cpu->ns[USER] + cpu->ns[NICE]);
}

/* The sums of all CPUs, and the list of them if there are several */
static void cpus_add(struct text *line, struct text *list, uint64_t time)
{
	struct text stat = file_text("/proc/stat");
	const char *each, *between = "";
	struct cpu sum = { 0 }, cpu;
	int column, count = 0;

	for (each = strstr(stat.bytes, "\ncpu"); each; each = strstr(each + 1, "\ncpu")) {
		cpu = cpu_read(each + 1);
		for (column = 0; column < COLUMNS; column++)
			sum.ns[column] += cpu.ns[column];
		text_add(list, "%s{\"time_ns\":%" PRIu64 ",", between, time);
		cpu_add(list, &cpu);
		text_add(list, ",\"units\":0,\"waited_ns\":0}");
		between = ",";
		count++;
	}
	cpu_add(line, &sum);
	if (count < 2)
		list->length = 0;
	free(stat.bytes);
}

static uint64_t port_count(const char *port, const char *counter)
{
	char path[NAME_SIZE * 2];
	struct text text;
	uint64_t value;

	snprintf(path, sizeof(path), NETWORK "/%s/statistics/%s", port, counter);
	text = file_text(path);
	value = strtoull(text.bytes, NULL, 10);
	free(text.bytes);
	return value;
}

static void port_add(struct text *line, const char *port)
{
	static const char *const counters[][2] = {
		{ "tx_frames", "tx_packets" },  { "tx_bytes", "tx_bytes" },
		{ "rx_frames", "rx_packets" },  { "rx_bytes", "rx_bytes" },
		{ "rx_dropped", "rx_dropped" }, { "tx_dropped", "tx_dropped" },
	};
	size_t i;

	text_add(line, "\"%s\":{", port);
	for (i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		text_add(line, "\"%s\":%" PRIu64 ",", counters[i][0],
			 port_count(port, counters[i][1]));
	text_add(line, "\"tx_stalls\":0,\"tx_sizes\":[0,0,0,0,0,0,0,0,0],"
		       "\"rx_sizes\":[0,0,0,0,0,0,0,0,0]}");
}

static void ports_add(struct text *line)
{
	const char *between = "";
	struct dirent *entry;
	DIR *directory = opendir(NETWORK);

	while (directory && (entry = readdir(directory))) {
		if (strncmp(entry->d_name, "eth", 3))
			continue;
		text_add(line, "%s", between);
		port_add(line, entry->d_name);
		between = ",";
	}
	if (directory)
		closedir(directory);
}

/* Bytes by the engines that worked on them: an algorithm has both where it authenticates, too */
static void cores_add(struct text *line)
{
	uint64_t aes = 0, hash = 0, requests = 0, count, bytes;
	char algorithm[NAME_SIZE], path[NAME_SIZE], *each, *rest;
	struct text text;

	if (access(REQUESTS, R_OK))
		return;
	text = file_text(REQUESTS);
	for (each = strtok_r(text.bytes, "\n", &rest); each; each = strtok_r(NULL, "\n", &rest)) {
		if (sscanf(each, "%255s %255s %" SCNu64 " %" SCNu64, algorithm, path, &count,
			   &bytes) != 4 ||
		    strcmp(path, "hardware"))
			continue;
		requests += count;
		aes += strstr(algorithm, "aes") ? bytes : 0;
		hash += strstr(algorithm, "sha") || strstr(algorithm, "md5") ? bytes : 0;
	}
	text_add(line,
		 "\"firesteel\":{\"requests\":%" PRIu64 ",\"aes_bytes\":%" PRIu64
		 ",\"hash_bytes\":%" PRIu64 "}",
		 requests, aes, hash);
	free(text.bytes);
}

/* A mark, or the end of the log if there is no name */
static void mark(const char *name)
{
	struct text line = { 0 }, cpus = { 0 };
	int fd = log_open();
	uint64_t time = now();

	if (name)
		text_add(&line, "{\"kind\":\"mark\",\"name\":\"%s\",", name);
	else
		text_add(&line, "{\"kind\":\"end\",");
	text_add(&line, "\"time_ns\":%" PRIu64 ",", time);
	cpus_add(&line, &cpus, time);
	text_add(&line, ",\"ports\":{");
	ports_add(&line);
	text_add(&line, "},\"cores\":{");
	cores_add(&line);
	text_add(&line, "}");
	if (cpus.length)
		text_add(&line, ",\"cpus\":[%.*s]", (int)cpus.length, cpus.bytes);
	text_add(&line, "}");
	free(cpus.bytes);
	log_close(fd, &line);
}

static void base64_add(struct text *line, const uint8_t *bytes, size_t length)
{
	static const char
		digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t word;
	size_t i, left;
	char *to;

	text_room(line, length / 3 * 4 + 8);
	for (i = 0; i < length; i += 3) {
		left = length - i;
		word = (uint32_t)bytes[i] << 16 | (left > 1 ? bytes[i + 1] << 8 : 0) |
		       (left > 2 ? bytes[i + 2] : 0);
		to = line->bytes + line->length;
		to[0] = digits[word >> 18];
		to[1] = digits[word >> 12 & 63];
		to[2] = left > 1 ? digits[word >> 6 & 63] : '=';
		to[3] = left > 2 ? digits[word & 63] : '=';
		line->length += 4;
	}
}

static void data(const char *name, const char *suffix, const struct text *content)
{
	struct text line = { 0 };
	int fd;

	if (content->length > LARGEST_DATA)
		errx(1, "data: %s%s has more than %d bytes", name, suffix, LARGEST_DATA);
	fd = log_open();
	text_add(&line,
		 "{\"kind\":\"data\",\"name\":\"%s%s\",\"time_ns\":%" PRIu64
		 ",\"bytes\":%zu,\"base64\":\"",
		 name, suffix, now(), content->length);
	base64_add(&line, (const uint8_t *)content->bytes, content->length);
	text_add(&line, "\"}");
	log_close(fd, &line);
}

static int command_data(const char *name, const char *path)
{
	struct text content = { 0 };

	if (path)
		content = file_text(path);
	else
		text_read(&content, STDIN_FILENO);
	data(name, "", &content);
	return 0;
}

/* What stands beside a mark: time in interrupts, and /proc/stat whole */
static struct text cpu_text(void)
{
	struct text text = { 0 }, stat = file_text("/proc/stat");
	struct cpu cpu = cpu_read(stat.bytes + strlen("cpu"));

	text_add(&text, "irq_ns %" PRIu64 "\nsoftirq_ns %" PRIu64 "\n%s", cpu.ns[IRQ],
		 cpu.ns[SOFTIRQ], stat.bytes);
	free(stat.bytes);
	return text;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length >= end_length && !strcmp(text + length - end_length, end);
}

/* The order keeps the reading of the counters out of what the marks enclose */
static void mark_with_cpu(const char *name)
{
	bool begin = ends_with(name, ".begin");
	struct text text;

	name_check(name);
	if (!begin)
		mark(name);
	text = cpu_text();
	data(name, ".cpu", &text);
	free(text.bytes);
	if (begin)
		mark(name);
}

static void mark_of(const char *name, const char *suffix)
{
	char full[NAME_SIZE];

	if (snprintf(full, sizeof(full), "%s%s", name, suffix) >= (int)sizeof(full))
		errx(1, "%s is too long a name", name);
	mark_with_cpu(full);
}

static int command_run(const char *name, char **command)
{
	int status;
	pid_t pid;

	mark_of(name, ".begin");
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
	mark_of(name, ".end");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int command_lines(char **names)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) >= 0) {
		if (*names)
			mark_with_cpu(*names++);
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
		mark_with_cpu(line);
	}
	return 0;
}

static int command_begin(void)
{
	struct text line = { 0 };
	int fd = open(LOG, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0)
		err(1, LOG);
	text_add(&line, "{\"kind\":\"start\",\"version\":2}");
	log_close(fd, &line);
	return 0;
}

/* Whoever writes there is alive */
static int command_watch(int seconds, pid_t process)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	char buffer[4096];

	while (poll(&input, 1, seconds * 1000) > 0) {
		if (read(STDIN_FILENO, buffer, sizeof(buffer)) <= 0)
			break;
	}
	return kill(process, SIGKILL) ? 1 : 0;
}

static void copy(int from, int to)
{
	char buffer[4096];
	ssize_t got = read(from, buffer, sizeof(buffer)), done = 0, put;

	if (got <= 0) {
		/* Nothing more will come from here; the other side hears so, or that is the end. */
		if (from != STDIN_FILENO)
			exit(got ? 1 : 0);
		shutdown(to, SHUT_WR);
		close(from);
		return;
	}
	for (; done < got; done += put) {
		put = write(to, buffer + done, (size_t)(got - done));
		if (put < 0)
			err(1, "nc");
	}
}

static int nc_copy(int connection)
{
	struct pollfd both[2] = { { .fd = connection, .events = POLLIN },
				  { .fd = STDIN_FILENO, .events = POLLIN } };

	alarm(0);
	while (poll(both, 2, -1) > 0) {
		if (both[0].revents)
			copy(connection, STDOUT_FILENO);
		if (both[1].revents & POLLNVAL)
			both[1].fd = -1;
		else if (both[1].revents)
			copy(STDIN_FILENO, connection);
	}
	return 1;
}

static int nc(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	if (argc == 4 && !strcmp(argv[1], "-l") && !strcmp(argv[2], "-p")) {
		at.sin_port = htons((uint16_t)atoi(argv[3]));
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 1))
			err(1, "nc: port %s", argv[3]);
		return nc_copy(accept(fd, NULL, NULL));
	}
	if (argc == 5 && !strcmp(argv[1], "-w") && inet_pton(AF_INET, argv[3], &at.sin_addr) == 1) {
		alarm((unsigned int)atoi(argv[2]));
		at.sin_port = htons((uint16_t)atoi(argv[4]));
		if (connect(fd, (struct sockaddr *)&at, sizeof(at)))
			err(1, "nc: %s port %s", argv[3], argv[4]);
		return nc_copy(fd);
	}
	errx(2, "nc -l -p PORT, or nc -w SECONDS ADDRESS PORT");
}

static int usage(void)
{
	fprintf(stderr, "probe mark NAME\n"
			"probe data NAME [FILE]\n"
			"probe run NAME COMMAND [ARG]...\n"
			"probe lines NAME...\n"
			"probe follow\n"
			"probe begin\n"
			"probe end\n"
			"probe watch SECONDS PID\n");
	return 2;
}

/* Those of a job name what they log */
static int named(int argc, char **argv)
{
	const char *command = argv[1];

	name_check(argv[2]);
	if (argc == 3 && !strcmp(command, "mark")) {
		mark(argv[2]);
		return 0;
	}
	if (argc <= 4 && !strcmp(command, "data"))
		return command_data(argv[2], argv[3]);
	if (argc >= 4 && !strcmp(command, "run"))
		return command_run(argv[2], argv + 3);
	if (!strcmp(command, "lines"))
		return command_lines(argv + 2);
	if (argc == 4 && !strcmp(command, "watch"))
		return command_watch(atoi(argv[2]), (pid_t)atoi(argv[3]));
	return usage();
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');

	if (!strcmp(name ? name + 1 : argv[0], "nc"))
		return nc(argc, argv);
	if (argc > 2)
		return named(argc, argv);
	if (argc < 2)
		return usage();
	if (!strcmp(argv[1], "follow"))
		return command_follow();
	if (!strcmp(argv[1], "begin"))
		return command_begin();
	if (!strcmp(argv[1], "end")) {
		mark(NULL);
		return 0;
	}
	return usage();
}
