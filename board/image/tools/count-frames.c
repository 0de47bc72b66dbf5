/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count-frames: how many UDP datagrams come, and how fast.
 *
 *	count-frames PORT	reads a number of datagrams from standard input, prints `ready`, and when
 *				so many have come to PORT, or no more do, prints their number and how
 *				many came in 1000 seconds
 *
 * The rate is that of those after the first quarter: what waits in queues meanwhile makes the start
 * of a stream look slower or faster than its end.  It goes from the mean time of the second quarter
 * to that of the last one, as datagrams come in batches.
 */
#include <arpa/inet.h>
#include <err.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define MOST_FRAMES  10000000
#define BATCH        256
#define BUFFER_BYTES (256 << 20)

/* Until the first datagram, and after the last one, in ms */
#define FIRST_PATIENCE 500
#define PATIENCE       300

static unsigned long parse(const char *text, unsigned long most)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if ((*end && *end != '\n') || value < 1 || value > most)
		errx(1, "%s: give a number from 1 to %lu", text, most);
	return value;
}

static int open_port(unsigned long port)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(port) };
	int bytes = BUFFER_BYTES;
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) ||
	    bind(fd, (struct sockaddr *)&any, sizeof(any)))
		err(1, "port %lu", port);
	return fd;
}

/* Bytes are not looked at.  Returns how many datagrams there were, after `patience` ms at most. */
static size_t take(int fd, int patience)
{
	struct mmsghdr messages[BATCH];
	struct pollfd waiting = { .fd = fd, .events = POLLIN };
	int count;

	if (!poll(&waiting, 1, patience))
		return 0;
	memset(messages, 0, sizeof(messages));
	count = recvmmsg(fd, messages, BATCH, MSG_DONTWAIT, NULL);
	if (count < 0)
		err(1, "no datagram");
	return count;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* When each of up to `most` datagrams came, in ns; returns their number */
static size_t collect(int fd, uint64_t *times, size_t most)
{
	size_t count = 0, more;
	uint64_t time;

	while (count < most && (more = take(fd, count ? PATIENCE : FIRST_PATIENCE))) {
		time = now_ns();
		while (more-- && count < most)
			times[count++] = time;
	}
	return count;
}

/* Of a quarter of `count` datagrams; in ns after the first one */
static double mean(const uint64_t *times, size_t count, size_t quarter)
{
	size_t length = count / 4, i;
	double sum = 0;

	for (i = 0; i < length; i++)
		sum += times[quarter * length + i] - times[0];
	return sum / length;
}

/* In 1000 seconds */
static double rate(const uint64_t *times, size_t count)
{
	double span = count < 4 ? 0 : mean(times, count, 3) - mean(times, count, 1);

	return span > 0 ? count / 4 * 2 * 1e12 / span : 0;
}

int main(int argc, char **argv)
{
	size_t most, count;
	uint64_t *times;
	char line[32];
	int fd;

	if (argc != 2)
		errx(2, "count-frames PORT");
	fd = open_port(parse(argv[1], 65535));
	if (!fgets(line, sizeof(line), stdin))
		errx(1, "no number of datagrams");
	most = parse(line, MOST_FRAMES);
	times = calloc(most, sizeof(*times));
	if (!times)
		err(1, "no memory");
	printf("ready\n");
	fflush(stdout);
	count = collect(fd, times, most);
	printf("%zu %.0f\n", count, rate(times, count));
	free(times);
	return 0;
}
