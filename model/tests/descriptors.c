/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "descriptors.h"

#include <string.h>

#include "unit.h"

#define FIRST_PLACE INPUT
#define GAP         16u

/* ---- memory ---- */

static uint32_t allocate(struct jobs *jobs, size_t size)
{
	uint32_t start = jobs->free + dice_roll(jobs->dice, GAP);

	jobs->free = start + (uint32_t)size;
	assert_true(jobs->free <= jobs->bus->memory_size);
	return start;
}

static struct pieces scatter(struct jobs *jobs, size_t size)
{
	struct pieces pieces = { .count = jobs->split ? 1 + dice_roll(jobs->dice, PIECES_MAX) : 1 };

	for (unsigned i = 0; i < pieces.count; i++) {
		bool last = i + 1 == pieces.count;
		uint32_t part = last ? (uint32_t)size : dice_roll(jobs->dice, (uint32_t)size + 1);

		pieces.piece[i].offset = allocate(jobs, part + GAP);
		pieces.piece[i].size = part;
		size -= part;
	}
	return pieces;
}

static void store(struct jobs *jobs, const struct pieces *pieces, const void *bytes)
{
	const uint8_t *from = bytes;

	for (unsigned i = 0; i < pieces->count; i++) {
		jobs->bus->memory_write(jobs->bus, jobs->bus->memory_base + pieces->piece[i].offset,
					from, pieces->piece[i].size);
		from += pieces->piece[i].size;
	}
}

void jobs_gather(struct jobs *jobs, const struct pieces *pieces, void *bytes)
{
	uint8_t *to = bytes;

	for (unsigned i = 0; i < pieces->count; i++) {
		jobs->bus->memory_read(jobs->bus, jobs->bus->memory_base + pieces->piece[i].offset,
				       to, pieces->piece[i].size);
		to += pieces->piece[i].size;
	}
}

/* ---- items ---- */

void jobs_begin(struct jobs *jobs, struct bus *bus, struct dice *dice)
{
	*jobs = (struct jobs){ .bus = bus, .dice = dice, .split = true, .free = FIRST_PLACE };
}

static void add(struct item *list, unsigned *count, uint32_t offset, uint32_t length, uint32_t tag)
{
	assert_true(*count < DESCRIPTORS_MAX);
	list[(*count)++] = (struct item){ offset, length, tag };
}

void jobs_config(struct jobs *jobs, uint32_t engine, unsigned offset, const void *bytes,
		 size_t size)
{
	uint32_t start = allocate(jobs, size);

	jobs->bus->memory_write(jobs->bus, jobs->bus->memory_base + start, bytes, size);
	add(jobs->fetch, &jobs->fetches, start, (uint32_t)size | SILEX_LEN_REALIGN,
	    engine | SILEX_TAG_CONFIG | SILEX_TAG_OFFSET(offset));
}

void jobs_word(struct jobs *jobs, uint32_t engine, uint32_t word)
{
	const silex_le32 bytes = silex_to_le32(word);

	jobs_config(jobs, engine, 0, &bytes, sizeof(bytes));
}

struct pieces jobs_data(struct jobs *jobs, uint32_t tag, const void *bytes, size_t size,
			unsigned unit)
{
	struct pieces pieces = scatter(jobs, size);
	uint32_t invalid = silex_item_padding(size, unit);

	store(jobs, &pieces, bytes);
	for (unsigned i = 0; i + 1 < pieces.count; i++)
		add(jobs->fetch, &jobs->fetches, pieces.piece[i].offset, pieces.piece[i].size,
		    tag & ~SILEX_TAG_LAST);
	add(jobs->fetch, &jobs->fetches, pieces.piece[pieces.count - 1].offset,
	    (pieces.piece[pieces.count - 1].size + invalid) | SILEX_LEN_REALIGN,
	    tag | SILEX_TAG_INVALID(invalid));
	return pieces;
}

void jobs_output_to(struct jobs *jobs, const struct pieces *pieces)
{
	for (unsigned i = 0; i < pieces->count; i++)
		add(jobs->push, &jobs->pushes, pieces->piece[i].offset, pieces->piece[i].size, 0);
}

struct pieces jobs_output(struct jobs *jobs, size_t size)
{
	struct pieces pieces = scatter(jobs, size);

	jobs_output_to(jobs, &pieces);
	return pieces;
}

void jobs_discard(struct jobs *jobs, size_t size)
{
	if (size > 0)
		add(jobs->push, &jobs->pushes, NOWHERE, (uint32_t)size | SILEX_LEN_DISCARD, 0);
}

/* ---- running ---- */

static void write_wide(struct jobs *jobs, uint32_t list, const struct item *items, unsigned count)
{
	const uint64_t base = jobs->bus->memory_base;

	for (unsigned i = 0; i < count; i++) {
		uint64_t where = base + list + i * sizeof(struct silex_descriptor64);
		const struct silex_descriptor64 descriptor = {
			.addr = base + items[i].offset,
			.next = i + 1 == count ? SILEX_NEXT_STOP : where + sizeof(descriptor),
			.length = items[i].length,
			.tag = items[i].tag,
		};

		jobs->bus->memory_write(jobs->bus, where, &descriptor, sizeof(descriptor));
	}
}

static void write_list(struct jobs *jobs, uint32_t list, const struct item *items, unsigned count)
{
	if (jobs->wide)
		write_wide(jobs, list, items, count);
	else
		driver_list(jobs->bus, list, items, count);
}

uint32_t jobs_run(struct jobs *jobs)
{
	write_list(jobs, FETCH_LIST, jobs->fetch, jobs->fetches);
	write_list(jobs, PUSH_LIST, jobs->push, jobs->pushes);
	return driver_run(jobs->bus);
}
