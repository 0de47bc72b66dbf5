/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libfiresteel on a board with several public-key engines: exponentiations, many at once.
 *
 *     engines COUNT	so many; /job/modexp has modulus, base, exponent and answer
 *
 * Prints a line for each thing that is looked at: "ok" or "not ok" and what it is, and behind "#"
 * what was counted.  Creates /run/ready when an eighth of them is done.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <firesteel/firesteel.h>

#define SIZE      128u
#define IN_FLIGHT 16u

static struct firesteel *device;
static uint8_t numbers[4][SIZE]; /* modulus, base, exponent, answer */

static void look(int good, const char *what)
{
	printf("%s %s\n", good ? "ok" : "not ok", what);
	fflush(stdout);
}

static void read_numbers(void)
{
	FILE *file = fopen("/job/modexp", "re");

	for (unsigned i = 0; file && i < 4; i++) {
		for (unsigned at = 0; at < SIZE; at++) {
			char digits[3] = "";

			if (fread(digits, 1, 2, file) != 2)
				exit(2);
			numbers[i][at] = (uint8_t)strtoul(digits, NULL, 16);
		}
		fgetc(file);
	}
	if (!file)
		exit(2);
	fclose(file);
}

static struct firesteel_job *submit(uint8_t *result)
{
	const struct firesteel_request request = {
		.operation = FIRESTEEL_MODEXP,
		.modexp = { .modulus = { numbers[0], SIZE },
			    .base = { numbers[1], SIZE },
			    .exponent = { numbers[2], SIZE },
			    .result = { result, SIZE } },
	};
	struct firesteel_job *job;

	return firesteel_submit(device, &request, &job) == FIRESTEEL_OK ? job : NULL;
}

/* How many of them end with the right answer */
static unsigned exponentiate(unsigned count)
{
	static uint8_t results[IN_FLIGHT][SIZE];
	struct firesteel_job *jobs[IN_FLIGHT];
	unsigned right = 0;

	for (unsigned i = 0; i < count + IN_FLIGHT; i++) {
		unsigned at = i % IN_FLIGHT;

		if (i >= IN_FLIGHT && jobs[at] && firesteel_job_finish(jobs[at]) == FIRESTEEL_OK)
			right += memcmp(results[at], numbers[3], SIZE) == 0;
		if (i == count / 8)
			close(open("/run/ready", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
		jobs[at] = i < count ? submit(results[at]) : NULL;
	}
	return right;
}

int main(int count, char *words[])
{
	unsigned wanted = count == 2 ? (unsigned)atoi(words[1]) : 0;
	struct firesteel_statistics statistics;
	struct firesteel_capabilities has;
	char message[FIRESTEEL_MESSAGE_SIZE];

	read_numbers();
	if (!wanted || firesteel_open("auto", &device, message)) {
		printf("not ok opening: %s\n", wanted ? message : "no count");
		return 1;
	}
	firesteel_set(device, "timeout_ms", "100", NULL);
	firesteel_capabilities(device, &has);
	printf("# engines %u\n", has.engines);
	look(exponentiate(wanted) == wanted, "every answer is there, and right");
	firesteel_statistics(device, &statistics);
	printf("# faults %llu\n", (unsigned long long)statistics.faults);
	look(statistics.errors[FIRESTEEL_MODEXP] == 0, "no request has failed");
	firesteel_close(device);
	look(1, "engines has ended");
	return 0;
}
