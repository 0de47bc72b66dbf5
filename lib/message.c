/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "barrier.h"
#include "clock.h"
#include "health.h"
#include "wait.h"

#define BUSY_BITS \
	(SILEX_CM_STATUS_FETCH_BUSY | SILEX_CM_STATUS_PUSH_BUSY | SILEX_CM_STATUS_PUSH_WAITING)
#define ERROR_BITS (SILEX_CM_INT_FETCH_ERROR | SILEX_CM_INT_PUSH_ERROR)

/* Of a message that is done: both sides have stopped, and its last output is in memory */
#define END_BITS \
	(SILEX_CM_INT_FETCH_STOPPED | SILEX_CM_INT_PUSH_STOPPED | SILEX_CM_INT_PUSH_BLOCK_END)

/* Of the tail, at its end: too many bytes to be those of the preset by chance */
#define WITNESS_SIZE 8u

#define RESET_NS FS_MICROSECOND

/* ---- making it up ---- */

static uint64_t deadline_of(struct firesteel *device)
{
	return fs_now() + atomic_load_explicit(&device->timeout_ns, memory_order_relaxed);
}

int fs_message_begin(struct firesteel *device, uint32_t engine, struct fs_message *message)
{
	int error = fs_health_error(device, FS_CM);

	if (error)
		return error;
	*message = (struct fs_message){ .device = device, .engine = engine };
	error = fs_pool_get(device->pool, deadline_of(device), &message->slot);
	if (!error)
		message->slot.arena->alive = FS_ALIVE;
	return error;
}

int fs_message_alive(const struct fs_message *message)
{
	const volatile uint32_t *alive = &message->slot.arena->alive;

	return *alive == FS_ALIVE ? FIRESTEEL_OK : fs_health_gone(message->device, FS_CM);
}

void fs_message_end(struct fs_message *message)
{
	fs_pool_put(message->device->pool, &message->slot);
}

void fs_message_clear(struct fs_message *message)
{
	message->fetches = 0;
	message->pushes = 0;
	message->tail = 0;
}

uint32_t fs_message_bus(const struct fs_message *message, const void *part)
{
	return message->slot.bus +
	       (uint32_t)((const uint8_t *)part - (const uint8_t *)message->slot.arena);
}

/* The lists' lengths are this library's: no request makes them longer */
static void add(struct silex_descriptor *list, uint32_t list_bus, unsigned capacity,
		unsigned *count, uint32_t bus, uint32_t length, uint32_t tag)
{
	if (*count == capacity)
		abort();
	list[*count] = (struct silex_descriptor){
		.addr = htole32(bus),
		.next = htole32(list_bus + (*count + 1) * (uint32_t)sizeof(*list)),
		.length = htole32(length),
		.tag = htole32(tag),
	};
	*count += 1;
}

static void add_fetch(struct fs_message *message, uint32_t bus, uint32_t length, uint32_t tag)
{
	struct fs_arena *arena = message->slot.arena;

	add(arena->fetch, fs_message_bus(message, arena->fetch), FS_FETCHES, &message->fetches, bus,
	    length, message->engine | tag);
}

static void add_push(struct fs_message *message, uint32_t bus, uint32_t length)
{
	struct fs_arena *arena = message->slot.arena;

	add(arena->push, fs_message_bus(message, arena->push), FS_PUSHES, &message->pushes, bus,
	    length, 0);
}

void fs_message_config(struct fs_message *message, unsigned offset, const void *part, size_t size)
{
	add_fetch(message, fs_message_bus(message, part), (uint32_t)size | SILEX_LEN_REALIGN,
		  SILEX_TAG_CONFIG | SILEX_TAG_OFFSET(offset));
}

void fs_message_word(struct fs_message *message, uint32_t word)
{
	message->slot.arena->word = htole32(word);
	fs_message_config(message, 0, &message->slot.arena->word, sizeof(word));
}

void fs_message_fetch(struct fs_message *message, uint32_t bus, size_t size, uint32_t tag)
{
	if (size > 0)
		add_fetch(message, bus, (uint32_t)size, tag);
}

void fs_message_fetch_end(struct fs_message *message, size_t size, unsigned unit, uint32_t tag)
{
	size_t invalid = size > 0 ? fs_padding(size, unit) : unit;
	struct silex_descriptor *last;

	if (invalid > 0) {
		struct fs_arena *arena = message->slot.arena;

		memset(arena->zero_padding, 0, sizeof(arena->zero_padding));
		add_fetch(message, fs_message_bus(message, arena->zero_padding),
			  (uint32_t)invalid | SILEX_LEN_REALIGN, tag | SILEX_TAG_INVALID(invalid));
		return;
	}
	last = &message->slot.arena->fetch[message->fetches - 1];
	last->length |= htole32(SILEX_LEN_REALIGN);
	last->tag |= htole32(tag);
}

void fs_message_push(struct fs_message *message, uint32_t bus, size_t size)
{
	if (size > 0)
		add_push(message, bus, (uint32_t)size);
}

void fs_message_discard(struct fs_message *message, size_t size)
{
	if (size > 0)
		add_push(message, 0, (uint32_t)size | SILEX_LEN_DISCARD);
}

/* The preset is random, and the same for all messages: nothing is output that still has it */
static uint8_t preset_at(const struct fs_message *message, size_t offset)
{
	const struct firesteel *device = message->device;

	return device->preset[offset % sizeof(device->preset)];
}

void fs_message_tail(struct fs_message *message, size_t size)
{
	struct fs_arena *arena = message->slot.arena;

	fs_message_push(message, fs_message_bus(message, arena->tail), size);
	/* whole copies: that memory may be slow to write byte by byte */
	_Static_assert(sizeof(arena->tail) % sizeof(message->device->preset) == 0, "");
	for (size_t i = 0; i < size; i += sizeof(message->device->preset))
		memcpy(arena->tail + i, message->device->preset, sizeof(message->device->preset));
	message->tail = size;
}

/* The core writes upwards: if the end is written, all is */
static bool is_tail_written(const struct fs_message *message)
{
	const struct fs_arena *arena = message->slot.arena;

	if (message->tail < WITNESS_SIZE)
		return true;
	for (size_t i = message->tail - WITNESS_SIZE; i < message->tail; i++)
		if (arena->tail[i] != preset_at(message, i))
			return true;
	return false;
}

/* ---- the core ---- */

static uint32_t read_register(struct firesteel *device, uint32_t offset)
{
	return fs_read(device->transport, FS_CM, offset);
}

static void write_register(struct firesteel *device, uint32_t offset, uint32_t value)
{
	fs_write(device->transport, FS_CM, offset, value);
}

/* A run of the core: what was seen last */
struct run {
	struct firesteel *device;
	uint32_t status;
};

static bool is_done(void *opaque)
{
	struct run *run = opaque;

	run->status = read_register(run->device, SILEX_CM_STATUS);
	if (run->status == FS_ALL_ONES || !(run->status & BUSY_BITS))
		return true;
	return read_register(run->device, SILEX_CM_INT_STAT_RAW) & ERROR_BITS;
}

static void arm(void *opaque)
{
	const struct run *run = opaque;

	write_register(run->device, SILEX_CM_INT_EN, SILEX_CM_INT_PUSH_STOPPED | ERROR_BITS);
}

static bool is_reset(void *opaque)
{
	uint32_t status = read_register(opaque, SILEX_CM_STATUS);

	return status == FS_ALL_ONES || !(status & SILEX_CM_STATUS_RESET_BUSY);
}

static void arm_nothing(void *opaque)
{
	(void)opaque;
}

static void reset(struct firesteel *device)
{
	const struct fs_wait wait = { device, FS_CM, is_reset, arm_nothing, device };

	fs_count(&device->statistics.resets, 1);
	write_register(device, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SOFT_RESET);
	write_register(device, SILEX_CM_CONFIG, 0);
	if (fs_wait(&wait, RESET_NS) < 0)
		fs_health_faulty(device, FS_CM);
}

static void start(struct fs_message *message)
{
	struct firesteel *device = message->device;
	struct fs_arena *arena = message->slot.arena;
	struct silex_descriptor *last = &arena->push[message->pushes - 1];

	arena->fetch[message->fetches - 1].next = htole32(SILEX_NEXT_STOP);
	last->next = htole32(SILEX_NEXT_STOP);
	last->length |= htole32(SILEX_LEN_IRQ);
	write_register(device, SILEX_CM_INT_STAT_CLR, SILEX_CM_INT_ALL);
	write_register(device, SILEX_CM_FETCH_ADDR, fs_message_bus(message, arena->fetch));
	write_register(device, SILEX_CM_PUSH_ADDR, fs_message_bus(message, arena->push));
	write_register(device, SILEX_CM_CONFIG, SILEX_CM_CONFIG_FETCH_SG | SILEX_CM_CONFIG_PUSH_SG);
	fs_barrier_write();
	write_register(device, SILEX_CM_START, SILEX_CM_START_FETCH | SILEX_CM_START_PUSH);
}

static int fail(struct firesteel *device)
{
	reset(device);
	return fs_health_fault(device);
}

/*
 * The verdict on a core that has stopped, or has not.  STATUS alone does not tell a job that is
 * done from one that a reset has ended, or that was never begun: plaintext would pass for
 * ciphertext.  So the core must have said that its list is done.  Both sides stop, too, if it was
 * reset before START: it is then in direct mode, with nothing to do.  But only the list asks for
 * PUSH_BLOCK_END.  All were clear before START, and a reset clears them.
 */
static int judge(const struct run *run, int error)
{
	struct firesteel *device = run->device;
	uint32_t raw;

	if (run->status == FS_ALL_ONES)
		return fs_health_gone(device, FS_CM);
	raw = read_register(device, SILEX_CM_INT_STAT_RAW);
	if (raw == FS_ALL_ONES)
		return fs_health_gone(device, FS_CM);
	if (!error && !(run->status & BUSY_BITS) && (raw & (END_BITS | ERROR_BITS)) == END_BITS)
		return FIRESTEEL_OK;
	return fail(device);
}

static int run_core(struct fs_message *message, const struct fs_prediction *prediction)
{
	struct firesteel *device = message->device;
	struct run run = { .device = device };
	const struct fs_wait wait = { device, FS_CM, is_done, arm, &run };
	uint64_t begin = fs_now();
	int error;

	start(message);
	error = judge(&run, fs_wait(&wait, prediction->ns));
	fs_barrier_read();
	if (!error && !is_tail_written(message))
		error = fail(device);
	if (!error)
		fs_expect_learn(&device->expectations, prediction, fs_now() - begin);
	return error;
}

int fs_message_run(struct fs_message *message, const struct fs_prediction *prediction)
{
	struct firesteel *device = message->device;
	uint64_t deadline = deadline_of(device);
	bool waited = false, died = false;
	int error;

	if (!fs_turn_acquire(&device->turn[FS_CM], deadline, &waited))
		return FIRESTEEL_ERROR_TIMEOUT;
	if (waited)
		fs_count(&device->statistics.queued, 1);
	error = fs_pool_lock(device->pool, deadline, &died);
	if (!error) {
		/* what its owner had begun goes on in slots of its own, but may never end */
		if (died)
			reset(device);
		error = run_core(message, prediction);
		fs_pool_unlock(device->pool);
	}
	fs_turn_release(&device->turn[FS_CM]);
	return error;
}
