/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The model in this process as a bus; time goes from one of its wishes to the next. */
#include "bus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../silex/soc.h"
#include "../silex-model.h"

#define WINDOW_BASE 0x20000000u
#define MEMORY_BASE 0x40000000u
#define MEMORY_SIZE (16u << 20)
#define EVENTS      8u /* kinds, at most */

struct board {
	struct bus bus;
	struct silex_model *model;
	uint64_t now;
	uint64_t wake;
	bool lines[SILEX_LINES];
	struct bus_event events[EVENTS];
	uint8_t *memory;
};

static void fail(const char *what)
{
	fprintf(stderr, "bus: %s\n", what);
	abort();
}

static struct board *board_of(struct bus *bus)
{
	return (struct board *)((char *)bus - offsetof(struct board, bus));
}

/* ---- what the model asks for ---- */

static uint8_t *translate(struct board *board, uint64_t address, size_t size)
{
	if (address < MEMORY_BASE || size > MEMORY_SIZE ||
	    address - MEMORY_BASE > MEMORY_SIZE - size)
		return NULL;
	return board->memory + (address - MEMORY_BASE);
}

static bool is_window(uint64_t address)
{
	return address >= WINDOW_BASE && address - WINDOW_BASE < SILEX_WINDOW_SIZE;
}

static int dma_read(void *opaque, uint64_t address, void *data, size_t size)
{
	const uint8_t *bytes = translate(opaque, address, size);
	struct board *board = opaque;

	if (is_window(address))
		return silex_model_dma_read(board->model, (uint32_t)(address - WINDOW_BASE), data,
					    size);
	if (!bytes)
		return -1;
	memcpy(data, bytes, size);
	return 0;
}

static int dma_write(void *opaque, uint64_t address, const void *data, size_t size)
{
	uint8_t *bytes = translate(opaque, address, size);
	struct board *board = opaque;

	if (is_window(address))
		return silex_model_dma_write(board->model, (uint32_t)(address - WINDOW_BASE), data,
					     size);
	if (!bytes)
		return -1;
	memcpy(bytes, data, size);
	return 0;
}

static void *dma_map(void *opaque, uint64_t address, size_t *size, bool write)
{
	struct board *board = opaque;
	uint8_t *bytes = translate(board, address, 1);

	(void)write;
	if (!board->bus.mapped || !bytes)
		return NULL;
	if (*size > (size_t)(board->memory + MEMORY_SIZE - bytes))
		*size = (size_t)(board->memory + MEMORY_SIZE - bytes);
	return bytes;
}

static void dma_unmap(void *opaque, void *pointer, size_t size, bool write, size_t written)
{
	(void)opaque;
	(void)pointer;
	if (written > size || (written > 0 && !write))
		abort();
}

static uint64_t time_now(void *opaque)
{
	return ((struct board *)opaque)->now;
}

static void wake_at(void *opaque, uint64_t when)
{
	((struct board *)opaque)->wake = when;
}

static void interrupt(void *opaque, unsigned line, bool level)
{
	((struct board *)opaque)->lines[line] = level;
}

/* Where events of a kind are counted; words are compared as such */
static struct bus_event *events_of(struct board *board, const char *what)
{
	for (unsigned i = 0; i < EVENTS; i++) {
		struct bus_event *event = &board->events[i];

		if (!event->what)
			event->what = what;
		if (strcmp(event->what, what) == 0)
			return event;
	}
	fail("too many kinds of events");
	return NULL;
}

static void event(void *opaque, const char *what, uint64_t value)
{
	struct bus_event *event = events_of(opaque, what);

	event->times++;
	event->value = value;
}

/* ---- the bus ---- */

static uint32_t bus_read(struct bus *bus, uint32_t offset)
{
	return silex_model_read(board_of(bus)->model, offset);
}

static void bus_write(struct bus *bus, uint32_t offset, uint32_t value)
{
	silex_model_write(board_of(bus)->model, offset, value);
}

static uint32_t bus_read_part(struct bus *bus, uint32_t offset, unsigned size)
{
	return silex_model_read_part(board_of(bus)->model, offset, size);
}

static void bus_write_part(struct bus *bus, uint32_t offset, uint32_t value, unsigned size)
{
	silex_model_write_part(board_of(bus)->model, offset, value, size);
}

static void memory_read(struct bus *bus, uint64_t address, void *data, size_t size)
{
	if (dma_read(board_of(bus), address, data, size) != 0)
		abort();
}

static void memory_write(struct bus *bus, uint64_t address, const void *data, size_t size)
{
	if (dma_write(board_of(bus), address, data, size) != 0)
		abort();
}

static void pass(struct bus *bus, uint64_t ns)
{
	struct board *board = board_of(bus);
	uint64_t end = board->now + ns;

	while (board->wake <= end) {
		if (board->now < board->wake)
			board->now = board->wake;
		silex_model_advance(board->model);
	}
	board->now = end;
}

static uint64_t now(struct bus *bus)
{
	return board_of(bus)->now;
}

static bool line_level(struct bus *bus, unsigned line)
{
	return board_of(bus)->lines[line];
}

static uint64_t counter(struct bus *bus, const char *name)
{
	const struct silex_statistics *statistics = silex_model_statistics(board_of(bus)->model);
	struct silex_counter found;

	for (unsigned i = 0; silex_statistics_counter(statistics, i, &found); i++)
		if (strcmp(found.name, name) == 0)
			return found.value;
	fail(name);
	return 0;
}

static struct bus_event event_of(struct bus *bus, const char *what)
{
	return *events_of(board_of(bus), what);
}

static void oversleep(struct bus *bus, uint64_t ns)
{
	board_of(bus)->now += ns;
}

static void reset(struct bus *bus)
{
	silex_model_reset(board_of(bus)->model);
}

/* ---- opening ---- */

static void configure(struct silex_config *config, const char *configuration)
{
	char error[SILEX_MODEL_ERROR_SIZE], words[1024], *rest = words, *word;

	silex_config_default(config);
	snprintf(words, sizeof(words), "%s", configuration ? configuration : "");
	while ((word = strsep(&rest, ","))) {
		char *value = strchr(word, '=');

		if (!*word)
			continue;
		if (!value)
			fail("a configuration is key=value,...");
		*value++ = '\0';
		if (silex_config_set(config, word, value, error, sizeof(error)) != 0)
			fail(error);
	}
}

static struct silex_model *open_model(struct board *board, const char *configuration)
{
	const struct silex_host host = {
		.opaque = board,
		.read = dma_read,
		.write = dma_write,
		.map = dma_map,
		.unmap = dma_unmap,
		.now = time_now,
		.wake_at = wake_at,
		.interrupt = interrupt,
		.event = event,
	};
	char error[SILEX_MODEL_ERROR_SIZE];
	struct silex_config config;
	struct silex_model *model;

	configure(&config, configuration);
	model = silex_model_new(&config, &host, error);
	if (!model)
		fail(error);
	return model;
}

struct bus *bus_open(const char *configuration)
{
	struct board *board = calloc(1, sizeof(*board));

	if (!board || !(board->memory = calloc(1, MEMORY_SIZE)))
		fail("no memory");
	board->wake = SILEX_MODEL_NEVER;
	board->bus = (struct bus){
		.read = bus_read,
		.write = bus_write,
		.read_part = bus_read_part,
		.write_part = bus_write_part,
		.memory_read = memory_read,
		.memory_write = memory_write,
		.pass = pass,
		.now = now,
		.line = line_level,
		.window_base = WINDOW_BASE,
		.memory_base = MEMORY_BASE,
		.memory_size = MEMORY_SIZE,
		.counter = counter,
		.event = event_of,
		.reset = reset,
		.oversleep = oversleep,
	};
	board->model = open_model(board, configuration);
	return &board->bus;
}

void bus_close(struct bus *bus)
{
	struct board *board = board_of(bus);

	silex_model_free(board->model);
	free(board->memory);
	free(board);
}
