/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Fuzzes what a guest reaches: registers, operand RAM, descriptors and the data behind them.
 *
 * An input is a byte of configuration and then actions, each a byte that names it and its
 * arguments (`actions` below; seeds.py writes them).  Besides what the sanitizers see, the
 * harness holds the model to its promises: no access larger than it may ask for, mappings given
 * back before a call ends, a bound on the work of one call, and a wake-up that lies ahead.
 */
#include <stdlib.h>
#include <string.h>

#include "silex/ba414.h"
#include "silex/cryptomaster.h"
#include "silex/soc.h"

#include "../silex-model.h"

#define MEMORY_BASE   0x10000u
#define WINDOW_BASE   0x20000u /* where DMA sees the window */
#define MEMORY_SIZE   0x8000u
#define WAKES         40u /* of one PASS: more than any list of use needs */
#define ACTIONS       200u
/* Work of one call of the model: what its steps promise, with room for descriptors */
#define CALL_ACCESSES 8192u

struct input {
	const uint8_t *next;
	const uint8_t *end;
};

/* A piece of memory that the model holds, as a copy of its own: what lies beyond is seen */
struct mapping {
	uint8_t *start; /* NULL: none */
	uint8_t *copy; /* what begins at `start`; NULL: it lies in the other one */
	size_t offset;
	size_t size;
};

struct guest {
	struct silex_model *model;
	uint64_t now;
	uint64_t wake;
	unsigned accesses; /* of the running call */
	struct mapping mapped[2]; /* for reading, for writing */
	bool mapping; /* the host maps memory */
	unsigned pk_max_bytes;
	uint8_t memory[MEMORY_SIZE];
};

/* ---- input: ends in zeros ---- */

static uint8_t byte(struct input *in)
{
	return in->next < in->end ? *in->next++ : 0;
}

static uint32_t number(struct input *in, unsigned bytes)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint32_t)byte(in) << (8 * i);
	return value;
}

/* ---- the host ---- */

static void demand(bool kept)
{
	if (!kept)
		abort();
}

static bool inside(uint64_t address, size_t size)
{
	return address >= MEMORY_BASE && size <= MEMORY_SIZE &&
	       address - MEMORY_BASE <= MEMORY_SIZE - size;
}

static void count(struct guest *guest, size_t size)
{
	demand(size > 0);
	demand(guest->accesses++ < CALL_ACCESSES);
}

static int memory_read(void *opaque, uint64_t address, void *data, size_t size)
{
	struct guest *guest = opaque;

	count(guest, size);
	demand(size <= SILEX_MODEL_CHUNK);
	if (address >= WINDOW_BASE && address - WINDOW_BASE < SILEX_WINDOW_SIZE)
		return silex_model_dma_read(guest->model, (uint32_t)address - WINDOW_BASE, data,
					    size);
	if (!inside(address, size))
		return -1;
	memcpy(data, guest->memory + (address - MEMORY_BASE), size);
	return 0;
}

static int memory_write(void *opaque, uint64_t address, const void *data, size_t size)
{
	struct guest *guest = opaque;

	count(guest, size);
	demand(size <= SILEX_MODEL_CHUNK);
	if (address >= WINDOW_BASE && address - WINDOW_BASE < SILEX_WINDOW_SIZE)
		return silex_model_dma_write(guest->model, (uint32_t)address - WINDOW_BASE, data,
					     size);
	if (!inside(address, size))
		return -1;
	memcpy(guest->memory + (address - MEMORY_BASE), data, size);
	return 0;
}

/* What is mapped for writing and for reading is one piece of memory where they meet: the end of
 * what is written must not come into it from before */
static bool share(struct mapping *writing, const struct mapping *reading)
{
	size_t end = reading->offset + reading->size;

	if (!reading->start || writing->offset >= end)
		return false;
	if (writing->offset < reading->offset) {
		if (writing->size > reading->offset - writing->offset)
			writing->size = reading->offset - writing->offset;
		return false;
	}
	if (writing->size > end - writing->offset)
		writing->size = end - writing->offset;
	writing->start = reading->start + (writing->offset - reading->offset);
	return true;
}

static void *memory_map(void *opaque, uint64_t address, size_t *size, bool write)
{
	struct guest *guest = opaque;

	count(guest, *size);
	if (!guest->mapping || !inside(address, 1))
		return NULL;
	struct mapping *mapping = &guest->mapped[write];

	demand(!mapping->start && !guest->mapped[true].start);
	mapping->offset = address - MEMORY_BASE;
	mapping->size = *size < MEMORY_SIZE - mapping->offset ? *size
							      : MEMORY_SIZE - mapping->offset;
	if (!write || !share(mapping, &guest->mapped[false])) {
		mapping->start = mapping->copy = malloc(mapping->size);
		demand(mapping->copy != NULL);
		memcpy(mapping->copy, guest->memory + mapping->offset, mapping->size);
	}
	*size = mapping->size;
	return mapping->start;
}

static void memory_unmap(void *opaque, void *pointer, size_t size, bool write, size_t written)
{
	struct guest *guest = opaque;
	struct mapping *mapping = &guest->mapped[write];

	demand(mapping->start && mapping->start == pointer && mapping->size == size);
	demand(written <= size && (write || written == 0));
	memcpy(guest->memory + mapping->offset, mapping->start, written);
	free(mapping->copy);
	*mapping = (struct mapping){ 0 };
}

static uint64_t time_now(void *opaque)
{
	return ((struct guest *)opaque)->now;
}

static void wake_at(void *opaque, uint64_t when)
{
	((struct guest *)opaque)->wake = when;
}

static void interrupt(void *opaque, unsigned line, bool level)
{
	(void)opaque;
	(void)level;
	demand(line < SILEX_LINES);
}

static struct silex_model *new_model(struct guest *guest, const struct silex_config *config)
{
	const struct silex_host host = {
		.opaque = guest,
		.read = memory_read,
		.write = memory_write,
		.map = memory_map,
		.unmap = memory_unmap,
		.now = time_now,
		.wake_at = wake_at,
		.interrupt = interrupt,
	};
	char error[SILEX_MODEL_ERROR_SIZE];

	return silex_model_new(config, &host, error);
}

/* ---- what a guest does; every call into the model starts with a fresh count ---- */

static void enter(struct guest *guest)
{
	guest->accesses = 0;
}

static void leave(struct guest *guest)
{
	demand(!guest->mapped[false].start && !guest->mapped[true].start);
}

static void write_register(struct guest *guest, uint32_t offset, uint32_t value)
{
	enter(guest);
	silex_model_write(guest->model, offset, value);
	leave(guest);
}

static void action_write(struct guest *guest, struct input *in)
{
	uint32_t offset = number(in, 2);

	write_register(guest, offset, number(in, 4));
}

static void action_read(struct guest *guest, struct input *in)
{
	enter(guest);
	silex_model_read(guest->model, number(in, 2));
	leave(guest);
}

static void action_memory(struct guest *guest, struct input *in)
{
	uint32_t offset = number(in, 2);
	uint8_t size = byte(in);

	for (unsigned i = 0; i < size; i++)
		guest->memory[(offset + i) % MEMORY_SIZE] = byte(in);
}

/* Sets both lists and starts both sides, as drivers do */
static void action_job(struct guest *guest, struct input *in)
{
	uint32_t fetch = MEMORY_BASE + number(in, 2);
	uint32_t push = MEMORY_BASE + number(in, 2);

	write_register(guest, SILEX_CM_INT_STAT_CLR, SILEX_CM_INT_ALL);
	write_register(guest, SILEX_CM_FETCH_ADDR, fetch);
	write_register(guest, SILEX_CM_PUSH_ADDR, push);
	write_register(guest, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SG);
	write_register(guest, SILEX_CM_START, SILEX_CM_START_BOTH);
}

/* Lets time go by until the model wants nothing more, or for long enough */
static void action_pass(struct guest *guest, struct input *in)
{
	(void)in;
	for (unsigned i = 0; i < WAKES && guest->wake != SILEX_MODEL_NEVER; i++) {
		demand(guest->wake >= guest->now);
		guest->now = guest->wake;
		enter(guest);
		silex_model_advance(guest->model);
		leave(guest);
		demand(guest->wake == SILEX_MODEL_NEVER || guest->wake > guest->now);
	}
}

/* Time goes by whatever the model wished */
static void action_late(struct guest *guest, struct input *in)
{
	guest->now += (uint64_t)1 << (byte(in) % 32);
	enter(guest);
	silex_model_advance(guest->model);
	leave(guest);
}

static void action_reset(struct guest *guest, struct input *in)
{
	(void)in;
	enter(guest);
	silex_model_reset(guest->model);
	leave(guest);
}

/* Fills the end of an operand's slot, where big-endian operands lie */
static void action_operand(struct guest *guest, struct input *in)
{
	uint32_t slot = byte(in) % SILEX_PK_SLOTS;
	uint32_t words = byte(in) % 64;
	uint32_t end = SILEX_PK_RAM_BASE + (slot + 1) * SILEX_PK_STRIDE(guest->pk_max_bytes);

	for (uint32_t i = 0; i < words; i++)
		write_register(guest, end - 4 * (words - i), number(in, 4));
}

/* Starts a public-key operation, as drivers do but without operands */
static void action_operation(struct guest *guest, struct input *in)
{
	write_register(guest, SILEX_PK_BASE + SILEX_PK_COMMAND, number(in, 4));
	write_register(guest, SILEX_PK_BASE + SILEX_PK_CONTROL, SILEX_PK_CONTROL_RUN);
}

/* As the microcode of a part that wants one, and as what is too much of it */
static void action_microcode(struct guest *guest, struct input *in)
{
	uint32_t words = 32u * byte(in);

	for (uint32_t i = 0; i < words; i++)
		write_register(guest, SILEX_PK_CODE_BASE + 4 * i, i);
}

/* An access of any width: 0 to 7 bytes */
static void action_part(struct guest *guest, struct input *in)
{
	uint32_t offset = number(in, 2);
	unsigned size = byte(in) % 8;

	enter(guest);
	silex_model_write_part(guest->model, offset, number(in, 4), size);
	silex_model_read_part(guest->model, offset, size);
	leave(guest);
}

static void (*const actions[])(struct guest *, struct input *) = {
	action_write, action_read,    action_memory,    action_job,       action_pass, action_late,
	action_reset, action_operand, action_operation, action_microcode, action_part,
};

/* ---- one input ---- */

/* The last byte chooses a part, if it is one that ends no action of seeds.py */
static void take_profile(struct silex_config *config, const struct input *in)
{
	uint8_t last = in->next < in->end ? in->end[-1] : 0;
	char error[SILEX_MODEL_ERROR_SIZE];
	const char *name = silex_config_profile(last & 0x0f);

	if (last >= 0xf0 && name)
		demand(silex_config_set(config, "profile", name, error, sizeof(error)) == 0);
}

static void configure(struct silex_config *config, struct guest *guest, struct input *in)
{
	uint8_t bits = byte(in);

	silex_config_default(config);
	take_profile(config, in);
	config->hash = bits & 1;
	config->address64 = bits & 2;
	config->timing.zero = bits & 4;
	config->aes_key_size_bits = bits & 8;
	config->timing.fetcher = bits & 8 ? SILEX_FETCHER_SERIAL : SILEX_FETCHER_AHEAD;
	guest->mapping = bits & 16;
	config->pk_max_bytes = bits & 32 ? 64 : bits & 128 ? 1024 : 256;
	if (bits & 32)
		config->pk_curves &= ~SILEX_PK_HWCONFIG_P521;
	guest->pk_max_bytes = config->pk_max_bytes;
	if (bits & 64) {
		for (unsigned kind = 0; kind < SILEX_FAULT_KINDS; kind++) {
			config->faults.fault[kind].armed = true;
			config->faults.fault[kind].rate = kind == SILEX_FAULT_GONE ? 20 : 5;
			config->faults.fault[kind].factor = SILEX_FAULT_LATE_FACTOR;
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct guest guest;
	struct input in = { data, data + size };
	struct silex_config config;

	memset(&guest, 0, sizeof(guest));
	guest.wake = SILEX_MODEL_NEVER;
	configure(&config, &guest, &in);
	guest.model = new_model(&guest, &config);
	demand(guest.model != NULL);
	for (unsigned i = 0; i < ACTIONS && in.next < in.end; i++)
		actions[byte(&in) % (sizeof(actions) / sizeof(*actions))](&guest, &in);
	silex_model_free(guest.model);
	return 0;
}
