/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../silex-model.h"

#define ROUNDS        9 /* of which the median counts */
#define ROUND_SECONDS 0.05

_Alignas(16) uint8_t bench_memory[BENCH_MEMORY_SIZE];

/* ---- a host whose memory is an array ---- */

static void *map(void *opaque, uint64_t address, size_t *size, bool write)
{
	uint64_t offset = address - BENCH_MEMORY_BASE;

	(void)opaque;
	(void)write;
	if (address < BENCH_MEMORY_BASE || offset >= BENCH_MEMORY_SIZE)
		return NULL;
	if (*size > BENCH_MEMORY_SIZE - offset)
		*size = BENCH_MEMORY_SIZE - offset;
	return bench_memory + offset;
}

static void unmap(void *opaque, void *pointer, size_t size, bool write, size_t written)
{
	(void)opaque;
	(void)pointer;
	(void)size;
	(void)write;
	(void)written;
}

static int read_memory(void *opaque, uint64_t address, void *data, size_t size)
{
	size_t available = size;
	const uint8_t *memory = map(opaque, address, &available, false);

	if (!memory || available < size)
		return -1;
	for (size_t i = 0; i < size; i++)
		((uint8_t *)data)[i] = memory[i];
	return 0;
}

static int write_memory(void *opaque, uint64_t address, const void *data, size_t size)
{
	size_t available = size;
	uint8_t *memory = map(opaque, address, &available, true);

	if (!memory || available < size)
		return -1;
	for (size_t i = 0; i < size; i++)
		memory[i] = ((const uint8_t *)data)[i];
	return 0;
}

static uint64_t no_time(void *opaque)
{
	(void)opaque;
	return 0;
}

static void no_wish(void *opaque, uint64_t when)
{
	(void)opaque;
	(void)when;
}

static void no_interrupt(void *opaque, unsigned line, bool level)
{
	(void)opaque;
	(void)line;
	(void)level;
}

struct silex_model *bench_model(void)
{
	static const struct silex_host host = {
		.read = read_memory,
		.write = write_memory,
		.map = map,
		.unmap = unmap,
		.now = no_time,
		.wake_at = no_wish,
		.interrupt = no_interrupt,
	};
	struct silex_config config;
	char error[SILEX_MODEL_ERROR_SIZE];
	struct silex_model *model;

	silex_config_default(&config);
	config.hash = true;
	config.timing.zero = true;
	model = silex_model_new(&config, &host, error);
	if (!model) {
		fprintf(stderr, "bench: %s\n", error);
		exit(2);
	}
	return model;
}

/* ---- comparing ---- */

static double seconds(bench_work work, void *state, unsigned count)
{
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	work(state, count);
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

static unsigned calibrate(bench_work work, void *state)
{
	unsigned count = 1;

	while (seconds(work, state, count) < ROUND_SECONDS)
		count *= 2;
	return count;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int bench_compare(const struct comparison *c)
{
	unsigned count = calibrate(c->direct, c->state);
	double ratios[ROUNDS], direct = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		double model = seconds(c->model, c->state, count);

		direct = seconds(c->direct, c->state, count);
		ratios[i] = direct / model;
	}
	qsort(ratios, ROUNDS, sizeof(*ratios), by_size);
	printf("%-44s %9.1f us %6.1f %%", c->name, 1e6 * direct / count, 100 * ratios[ROUNDS / 2]);
	if (c->wanted > 0)
		printf("   wanted %3.0f %%", 100 * c->wanted);
	printf("\n");
	return ratios[ROUNDS / 2] < c->wanted;
}

int main(void)
{
	int missed;

	printf("%-44s %12s %8s\n", "work", "library", "model");
	missed = bench_symmetric() + bench_public_key();
	if (missed)
		printf("%d of these ratios are less than wanted\n", missed);
	return missed ? 1 : 0;
}
