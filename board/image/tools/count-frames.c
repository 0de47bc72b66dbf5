/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count-frames: how many UDP datagrams come, and how fast.
 *
 *	count-frames PORT	reads lines SOURCE FRAMES from standard input until it ends.  For each it prints
 *				`ready`, and when so many have come from the port SOURCE to PORT, or no more
 *				do, their number and their rate in mHz
 *
 * Datagrams from other ports are those that an earlier line was about, and came late.  PORT is open all the
 * time, so that none is answered by ICMP.
 *
 * The rate is that of those after the first quarter: what waits in queues meanwhile makes the start
 * of a stream look slower or faster than its end.  It goes from the mean time of the second quarter
 * to that of the last one, as datagrams come in batches.
 */
#include <arpa/inet.h>
#include <err.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define MOST_PORT    65535
#define MOST_FRAMES  10000000
#define BATCH        256
#define BUFFER_BYTES (256 << 20)

/* Until the first datagram, and after the last one */
#define FIRST_PATIENCE_NS 500000000
#define PATIENCE_NS       300000000

static unsigned long parse(const char *text, unsigned long most)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (end == text || *end || value < 1 || value > most)
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

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* Whether there are datagrams before `deadline`; at least one look is had */
static bool await(int fd, uint64_t deadline)
{
	struct pollfd waiting = { .fd = fd, .events = POLLIN };
	uint64_t now = now_ns(), left = deadline > now ? deadline - now : 0;
	struct timespec patience = { .tv_sec = left / 1000000000, .tv_nsec = left % 1000000000 };
	int count = ppoll(&waiting, 1, &patience, NULL);

	if (count < 0)
		err(1, "no datagram");
	return count > 0;
}

/* Takes datagrams that are there, of which bytes are not looked at.  Returns how many are from `source`. */
static size_t take(int fd, uint16_t source)
{
	struct sockaddr_in from[BATCH];
	struct mmsghdr messages[BATCH];
	size_t ours = 0;
	int count, i;

	memset(messages, 0, sizeof(messages));
	for (i = 0; i < BATCH; i++) {
		messages[i].msg_hdr.msg_name = &from[i];
		messages[i].msg_hdr.msg_namelen = sizeof(from[i]);
	}
	count = recvmmsg(fd, messages, BATCH, MSG_DONTWAIT, NULL);
	if (count < 0)
		err(1, "no datagram");
	for (i = 0; i < count; i++)
		ours += from[i].sin_port == htons(source);
	return ours;
}

/* When each of up to `most` datagrams from `source` came, in ns; returns their number */
static size_t collect(int fd, uint16_t source, uint64_t *times, size_t most)
{
	uint64_t time, deadline = now_ns() + FIRST_PATIENCE_NS;
	size_t count = 0, more;

	while (count < most && await(fd, deadline)) {
		more = take(fd, source);
		time = now_ns();
		if (more)
			deadline = time + PATIENCE_NS;
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

/* In mHz; 0 if they are too few to tell */
static double rate(const uint64_t *times, size_t count)
{
	double span = count < 4 ? 0 : mean(times, count, 3) - mean(times, count, 1);

	return span > 0 ? count / 4 * 2 * 1e12 / span : 0;
}

/* What a line asks for */
static void count_frames(int fd, uint16_t source, size_t most)
{
	uint64_t *times = calloc(most, sizeof(*times));
	size_t count;

	if (!times)
		err(1, "no memory");
	printf("ready\n");
	count = collect(fd, source, times, most);
	printf("%zu %.0f\n", count, rate(times, count));
	free(times);
}

int main(int argc, char **argv)
{
	char source[32], frames[32];
	int fd;

	if (argc != 2)
		errx(2, "count-frames PORT");
	setvbuf(stdout, NULL, _IOLBF, 0);
	fd = open_port(parse(argv[1], MOST_PORT));
	while (scanf("%31s %31s", source, frames) == 2)
		count_frames(fd, parse(source, MOST_PORT), parse(frames, MOST_FRAMES));
	return 0;
}
