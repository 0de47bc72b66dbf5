/* SPDX-License-Identifier: Apache-2.0 */
/*
 * microbench: what one operation of the processor, the memory or the kernel takes.
 *
 *	microbench NAME [BYTES]	measures NAME and prints `NAME VALUE UNIT`; those of memory need a size
 *	microbench		lists the names
 *
 * The definitions are lmbench's, so that its published figures compare; the code is not.  Time is that of
 * CLOCK_MONOTONIC.  Batches of operations double until one takes BATCH_NS; the median of BATCHES of that
 * length counts.  A megabyte is 10^6 bytes.
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BATCH_NS     5000000
#define BATCHES      11
#define MOST_BYTES   (64 << 20)
#define LINE_STRIDE  64
#define CHAIN_STRIDE 128
#define CHAIN_LOADS  64
#define BLOCK        512
#define PAGE         4096
#define FILE_PAGES   256
#define FILE_BYTES   (FILE_PAGES * PAGE)
#define CHUNK_BYTES  (64 << 10)
#define STREAM_BYTES (1 << 20)
#define FILE_NAME    "/tmp/microbench.file"

/* What a benchmark works on; unused fields are zero. */
struct state {
	size_t bytes;
	char *from, *to;
	int in, out, file;
	pid_t peer;
};

/*
 * One benchmark.  run() does n operations of `parts` parts each, and without a size moves `moved` bytes in one.
 * With `bandwidth` the figure is bytes a second, else nanoseconds a part; what one operation of overhead() takes
 * is taken off each part.
 */
struct benchmark {
	const char *name;
	void (*prepare)(struct state *);
	void (*run)(struct state *, unsigned long n);
	void (*finish)(struct state *);
	void (*overhead)(struct state *, unsigned long n);
	unsigned int parts;
	size_t moved;
	bool bandwidth;
	bool sized;
};

/* Keep the compiler from leaving out what nobody reads, and from doing once what is done n times. */
static volatile uintptr_t sink;

static void again(void)
{
	__asm__ volatile("" : : : "memory");
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void check(bool holds, const char *what)
{
	if (!holds)
		err(1, "%s", what);
}

/* System calls */

static void run_null_call(struct state *state, unsigned long n)
{
	(void)state;
	while (n--)
		syscall(SYS_getppid);
}

static void open_files(struct state *state)
{
	state->in = open("/dev/zero", O_RDONLY);
	state->out = open("/dev/null", O_WRONLY);
	state->file = open(FILE_NAME, O_RDWR | O_CREAT | O_TRUNC, 0600);
	check(state->in >= 0 && state->out >= 0 && state->file >= 0,
	      "/dev/zero, /dev/null, " FILE_NAME);
}

static void run_read(struct state *state, unsigned long n)
{
	char byte;

	while (n--)
		check(read(state->in, &byte, 1) == 1, "read");
}

static void run_write(struct state *state, unsigned long n)
{
	char byte = 0;

	while (n--)
		check(write(state->out, &byte, 1) == 1, "write");
}

static void run_stat(struct state *state, unsigned long n)
{
	struct stat status;

	(void)state;
	while (n--)
		check(!stat(FILE_NAME, &status), "stat");
}

static void run_fstat(struct state *state, unsigned long n)
{
	struct stat status;

	while (n--)
		check(!fstat(state->file, &status), "fstat");
}

static void remove_file(struct state *state)
{
	(void)state;
	unlink(FILE_NAME);
}

/* Signals */

static void ignore_signal(int number)
{
	(void)number;
}

static void run_signal_install(struct state *state, unsigned long n)
{
	struct sigaction action = { .sa_handler = ignore_signal };

	(void)state;
	while (n--)
		check(!sigaction(SIGUSR1, &action, NULL), "sigaction");
}

static void run_signal_catch(struct state *state, unsigned long n)
{
	pid_t self = getpid();

	run_signal_install(state, 1);
	while (n--)
		check(!kill(self, SIGUSR1), "kill");
}

/* Processes */

static void run_fork(struct state *state, unsigned long n)
{
	(void)state;
	while (n--) {
		pid_t child = fork();

		check(child >= 0, "fork");
		if (!child)
			_exit(0);
		check(waitpid(child, NULL, 0) == child, "waitpid");
	}
}

/* Touches each page of a file that is mapped anew. */
static void run_page_fault(struct state *state, unsigned long n)
{
	while (n--) {
		const char *mapped = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, state->file, 0);
		size_t at;

		check(mapped != MAP_FAILED, "mmap");
		for (at = 0; at < FILE_BYTES; at += PAGE)
			sink += (unsigned char)mapped[at];
		munmap((void *)mapped, FILE_BYTES);
	}
}

static void fill_file(struct state *state)
{
	char *zeros = calloc(1, FILE_BYTES);

	check(zeros != NULL, "no memory");
	open_files(state);
	check(write(state->file, zeros, FILE_BYTES) == FILE_BYTES, FILE_NAME);
	free(zeros);
}

/* Two processes */

/* Sends back each token that comes, until none comes. */
static void echo(int in, int out)
{
	char token;

	while (read(in, &token, 1) > 0)
		if (write(out, &token, 1) < 0)
			break;
	_exit(0);
}

static char chunk[CHUNK_BYTES];

/* Sends STREAM_BYTES in chunks for each token that comes. */
static void pour(int in, int out)
{
	size_t left;
	char token;

	while (read(in, &token, 1) > 0)
		for (left = STREAM_BYTES; left; left -= CHUNK_BYTES)
			check(write(out, chunk, CHUNK_BYTES) == CHUNK_BYTES, "write");
	_exit(0);
}

/* Starts a peer that serves over two pipes, or both directions of a socket. */
static void start_peer(struct state *state, bool socket, void (*serve)(int, int))
{
	int to[2], back[2];

	if (socket) {
		check(!socketpair(AF_UNIX, SOCK_STREAM, 0, to), "socketpair");
		back[0] = dup(to[1]);
		back[1] = dup(to[0]);
	} else {
		check(!pipe(to) && !pipe(back), "pipe");
	}
	state->peer = fork();
	check(state->peer >= 0, "fork");
	if (!state->peer) {
		close(to[1]);
		close(back[0]);
		serve(to[0], back[1]);
	}
	close(to[0]);
	close(back[1]);
	state->in = back[0];
	state->out = to[1];
}

static void pipe_echo(struct state *state)
{
	start_peer(state, false, echo);
}

static void socket_echo(struct state *state)
{
	start_peer(state, true, echo);
}

static void pipe_pour(struct state *state)
{
	start_peer(state, false, pour);
}

static void socket_pour(struct state *state)
{
	start_peer(state, true, pour);
}

static void stop_peer(struct state *state)
{
	close(state->in);
	close(state->out);
	waitpid(state->peer, NULL, 0);
}

static void run_round_trip(struct state *state, unsigned long n)
{
	char token = 0;

	while (n--) {
		check(write(state->out, &token, 1) == 1, "write");
		check(read(state->in, &token, 1) == 1, "read");
	}
}

/* The same through a pipe of this process alone: what the two cost without a switch. */
static void run_round_trip_alone(struct state *state, unsigned long n)
{
	char token = 0;
	int own[2];

	(void)state;
	check(!pipe(own), "pipe");
	while (n--) {
		check(write(own[1], &token, 1) == 1, "write");
		check(read(own[0], &token, 1) == 1, "read");
	}
	close(own[0]);
	close(own[1]);
}

static void run_stream(struct state *state, unsigned long n)
{
	while (n--) {
		size_t left = STREAM_BYTES;

		check(write(state->out, "", 1) == 1, "write");
		while (left) {
			ssize_t got = read(state->in, chunk, CHUNK_BYTES);

			check(got > 0, "read");
			left -= (size_t)got;
		}
	}
}

/* Memory */

static char *pages(size_t bytes)
{
	char *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);

	check(mapped != MAP_FAILED, "no memory");
	memset(mapped, 1, bytes);
	return mapped;
}

static void map_one(struct state *state)
{
	state->from = pages(state->bytes);
}

static void map_two(struct state *state)
{
	state->from = pages(state->bytes);
	state->to = pages(state->bytes);
}

static void link_to(char *from, char *to)
{
	*(char **)(void *)from = to;
}

static void chain_in_order(struct state *state)
{
	size_t at;

	map_one(state);
	for (at = 0; at < state->bytes; at += CHAIN_STRIDE)
		link_to(state->from + at, state->from + (at + CHAIN_STRIDE) % state->bytes);
}

/* One cycle through all places, by Sattolo's algorithm with a fixed sequence. */
static void chain_at_random(struct state *state)
{
	size_t count = state->bytes / LINE_STRIDE, i;
	uint32_t *order = malloc(count * sizeof(*order));
	uint64_t seed = 88172645463325252;

	check(order != NULL, "no memory");
	map_one(state);
	for (i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	for (i = count - 1; i > 0; i--) {
		uint32_t other = order[i];
		size_t j;

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		j = (size_t)(seed % i);
		order[i] = order[j];
		order[j] = other;
	}
	for (i = 0; i < count; i++)
		link_to(state->from + i * LINE_STRIDE, state->from + order[i] * LINE_STRIDE);
	free(order);
}

#define FOLLOW   at = *(char **)(void *)at
#define FOLLOW_8 FOLLOW, FOLLOW, FOLLOW, FOLLOW, FOLLOW, FOLLOW, FOLLOW, FOLLOW

/* CHAIN_LOADS loads, each of which needs the one before */
static void run_chain(struct state *state, unsigned long n)
{
	char *at = state->from;

	while (n--) {
		FOLLOW_8, FOLLOW_8, FOLLOW_8, FOLLOW_8;
		FOLLOW_8, FOLLOW_8, FOLLOW_8, FOLLOW_8;
	}
	sink = (uintptr_t)at;
}

#define SUM(i)      p[(i)]
#define SUM_4(i)    SUM(i) + SUM((i) + 1) + SUM((i) + 2) + SUM((i) + 3)
#define SUM_16(i)   SUM_4(i) + SUM_4((i) + 4) + SUM_4((i) + 8) + SUM_4((i) + 12)
#define SPARSE_4(i) SUM(i) + SUM((i) + 4) + SUM((i) + 8) + SUM((i) + 12)
#define IN_BLOCK(of, step)                                                                     \
	of(0) + of(step) + of(2 * (step)) + of(3 * (step)) + of(4 * (step)) + of(5 * (step)) + \
		of(6 * (step)) + of(7 * (step))

/* Every word */
static void run_memory_read(struct state *state, unsigned long n)
{
	uint32_t sum = 0;
	size_t at;

	for (; n; n--, again())
		for (at = 0; at < state->bytes; at += BLOCK) {
			const uint32_t *p = (const uint32_t *)(const void *)(state->from + at);

			sum += IN_BLOCK(SUM_16, 16);
		}
	sink = sum;
}

/* Every fourth word; all bytes count. */
static void run_memory_read_sparse(struct state *state, unsigned long n)
{
	uint32_t sum = 0;
	size_t at;

	for (; n; n--, again())
		for (at = 0; at < state->bytes; at += BLOCK) {
			const uint32_t *p = (const uint32_t *)(const void *)(state->from + at);

			sum += IN_BLOCK(SPARSE_4, 16);
		}
	sink = sum;
}

#define SET_4(i)  (p[(i)] = 1, p[(i) + 1] = 1, p[(i) + 2] = 1, p[(i) + 3] = 1)
#define SET_16(i) (SET_4(i), SET_4((i) + 4), SET_4((i) + 8), SET_4((i) + 12))

static void run_memory_write(struct state *state, unsigned long n)
{
	size_t at;

	for (; n; n--, again())
		for (at = 0; at < state->bytes; at += BLOCK) {
			/* Volatile, or the compiler calls memset. */
			volatile uint32_t *p = (volatile uint32_t *)(void *)(state->from + at);

			SET_16(0), SET_16(16), SET_16(32), SET_16(48);
			SET_16(64), SET_16(80), SET_16(96), SET_16(112);
		}
}

static void run_memory_zero(struct state *state, unsigned long n)
{
	for (; n; n--, again())
		memset(state->from, 0, state->bytes);
}

static void run_memory_copy(struct state *state, unsigned long n)
{
	for (; n; n--, again())
		memcpy(state->to, state->from, state->bytes);
}

/* Of one operation of the kernel; of both directions; of a size of memory */
#define CALL(name, prepare, run, finish, parts) \
	{ name, prepare, run, finish, NULL, parts, 0, false, false }
#define STREAM(name, prepare) \
	{ name, prepare, run_stream, stop_peer, NULL, 1, STREAM_BYTES, true, false }
#define CHAIN(name, prepare) { name, prepare, run_chain, NULL, NULL, CHAIN_LOADS, 0, false, true }
#define MEMORY(name, prepare, run) { name, prepare, run, NULL, NULL, 1, 0, true, true }

static const struct benchmark BENCHMARKS[] = {
	CALL("null-call", NULL, run_null_call, NULL, 1),
	CALL("read", open_files, run_read, remove_file, 1),
	CALL("write", open_files, run_write, remove_file, 1),
	CALL("stat", open_files, run_stat, remove_file, 1),
	CALL("fstat", open_files, run_fstat, remove_file, 1),
	CALL("signal-install", NULL, run_signal_install, NULL, 1),
	CALL("signal-catch", NULL, run_signal_catch, NULL, 1),
	CALL("pipe", pipe_echo, run_round_trip, stop_peer, 1),
	CALL("unix-socket", socket_echo, run_round_trip, stop_peer, 1),
	{ "context-switch", pipe_echo, run_round_trip, stop_peer, run_round_trip_alone, 2, 0, false,
	  false },
	CALL("fork", NULL, run_fork, NULL, 1),
	CALL("page-fault", fill_file, run_page_fault, remove_file, FILE_PAGES),
	STREAM("pipe-bandwidth", pipe_pour),
	STREAM("unix-socket-bandwidth", socket_pour),
	CHAIN("read-latency", chain_in_order),
	CHAIN("read-latency-random", chain_at_random),
	MEMORY("memory-read", map_one, run_memory_read),
	MEMORY("memory-read-sparse", map_one, run_memory_read_sparse),
	MEMORY("memory-write", map_one, run_memory_write),
	MEMORY("memory-zero", map_one, run_memory_zero),
	MEMORY("memory-copy", map_two, run_memory_copy),
};

#define COUNT (sizeof(BENCHMARKS) / sizeof(BENCHMARKS[0]))

static uint64_t time_of(void (*run)(struct state *, unsigned long), struct state *state,
			unsigned long n)
{
	uint64_t begin = now_ns();

	run(state, n);
	return now_ns() - begin;
}

static int by_value(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Nanoseconds of one operation. */
static double measure(void (*run)(struct state *, unsigned long), struct state *state)
{
	double each[BATCHES];
	unsigned long n = 1;
	unsigned int i;

	while (time_of(run, state, n) < BATCH_NS)
		n *= 2;
	for (i = 0; i < BATCHES; i++)
		each[i] = (double)time_of(run, state, n) / (double)n;
	qsort(each, BATCHES, sizeof(each[0]), by_value);
	return each[BATCHES / 2];
}

static void report(const struct benchmark *of, struct state *state)
{
	double taken;

	if (of->prepare)
		of->prepare(state);
	taken = measure(of->run, state) / of->parts;
	if (of->overhead)
		taken -= measure(of->overhead, state);
	if (of->finish)
		of->finish(state);
	if (of->bandwidth)
		printf("%s %.6g MB/s\n", of->name,
		       (double)(of->moved ? of->moved : state->bytes) * 1e3 / taken);
	else
		printf("%s %.6g ns\n", of->name, taken);
}

static const struct benchmark *find(const char *name)
{
	size_t i;

	for (i = 0; i < COUNT; i++)
		if (!strcmp(BENCHMARKS[i].name, name))
			return &BENCHMARKS[i];
	errx(2, "%s: no such benchmark; microbench alone lists them", name);
}

static size_t parse(const char *text)
{
	char *end;
	unsigned long bytes = strtoul(text, &end, 10);

	if (end == text || *end || bytes < BLOCK || bytes > MOST_BYTES || bytes % BLOCK)
		errx(2, "%s: give a multiple of %d from %d to %d", text, BLOCK, BLOCK, MOST_BYTES);
	return bytes;
}

int main(int argc, char **argv)
{
	struct state state = { 0 };
	const struct benchmark *of;
	size_t i;

	if (argc < 2) {
		for (i = 0; i < COUNT; i++)
			printf("%s%s\n", BENCHMARKS[i].name, BENCHMARKS[i].sized ? " BYTES" : "");
		return 0;
	}
	of = find(argv[1]);
	if (argc != (of->sized ? 3 : 2))
		errx(2, "microbench %s%s", of->name, of->sized ? " BYTES" : "");
	if (of->sized)
		state.bytes = parse(argv[2]);
	report(of, &state);
	return 0;
}
