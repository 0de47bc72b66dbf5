/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"

#include <stdlib.h>
#include <string.h>

#include "barrier.h"
#include "clock.h"
#include "health.h"
#include "wait.h"

/* Of the tail, at its end: too many bytes to be those of the preset by chance */
#define WITNESS_SIZE 8u

static const struct fs_prediction reset_soon = { .ns = FS_MICROSECOND };

/* ---- making it up ---- */

/* The lists are begun by fs_message_clear() */
int fs_message_begin(struct firesteel *device, uint32_t engine, struct fs_message *message)
{
	struct fs_deadline deadline = { .wait_ns = fs_timeout(device) };
	int error = fs_health_error(device, FS_CM);

	if (error)
		return error;
	message->device = device;
	message->engine = engine;
	message->tail = 0;
	message->read = 0;
	error = fs_pool_get(device->pool, &deadline, &message->slot);
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
	firesteel_wipe(message->result, message->read);
}

static size_t offset_of(const struct fs_message *message, const void *part)
{
	return (size_t)((const uint8_t *)part - (const uint8_t *)message->slot.arena);
}

static uint32_t bus_of(const struct fs_message *message, const void *part)
{
	return message->slot.bus + (uint32_t)offset_of(message, part);
}

uint32_t fs_message_part(struct fs_message *message, const void *part, size_t size)
{
	size_t end = offset_of(message, part) + size;

	if (message->slot.used < end)
		message->slot.used = end;
	return bus_of(message, part);
}

void fs_message_clear(struct fs_message *message)
{
	struct fs_arena *arena = message->slot.arena;

	silex_list_begin(&message->fetch, arena->fetch, bus_of(message, arena->fetch), FS_FETCHES);
	silex_list_begin(&message->push, arena->push, bus_of(message, arena->push), FS_PUSHES);
	message->tail = 0;
}

void fs_message_config(struct fs_message *message, unsigned offset, const void *part, size_t size)
{
	silex_list_config(&message->fetch, message->engine, offset,
			  fs_message_part(message, part, size), (uint32_t)size);
}

void fs_message_word(struct fs_message *message, uint32_t word)
{
	message->slot.arena->word = silex_to_le32(word);
	fs_message_config(message, 0, &message->slot.arena->word, sizeof(word));
}

void fs_message_fetch(struct fs_message *message, uint32_t bus, size_t size, uint32_t tag)
{
	if (size > 0)
		silex_list_add(&message->fetch, bus, (uint32_t)size, message->engine | tag);
}

void fs_message_fetch_end(struct fs_message *message, size_t size, unsigned unit, uint32_t tag)
{
	struct fs_arena *arena = message->slot.arena;

	if (silex_item_padding(size, unit) > 0)
		memset(arena->zero_padding, 0, sizeof(arena->zero_padding));
	silex_list_end_item(&message->fetch, size, unit, bus_of(message, arena->zero_padding),
			    message->engine | tag);
}

void fs_message_push(struct fs_message *message, uint32_t bus, size_t size)
{
	if (size > 0)
		silex_list_add(&message->push, bus, (uint32_t)size, 0);
}

void fs_message_discard(struct fs_message *message, size_t size)
{
	if (size > 0)
		silex_list_add(&message->push, 0, (uint32_t)size | SILEX_LEN_DISCARD, 0);
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

	fs_message_push(message, fs_message_part(message, arena->tail, size), size);
	/* whole copies: that memory may be slow to write byte by byte */
	_Static_assert(sizeof(arena->tail) % sizeof(message->device->preset) == 0, "");
	for (size_t i = 0; i < size; i += sizeof(message->device->preset))
		memcpy(arena->tail + i, message->device->preset, sizeof(message->device->preset));
	message->tail = size;
}

/* As few reads as possible: of words as long as the processor has them */
static void read_tail(struct fs_message *message)
{
	const volatile uint64_t *tail = (const volatile void *)message->slot.arena->tail;

	for (size_t i = 0; i * sizeof(*tail) < message->tail; i++)
		message->result[i] = tail[i];
	if (message->read < message->tail)
		message->read = message->tail;
}

/* The core writes upwards: if the end is written, all is */
static bool is_tail_written(const struct fs_message *message)
{
	const uint8_t *tail = (const uint8_t *)message->result;

	if (message->tail < WITNESS_SIZE)
		return true;
	for (size_t i = message->tail - WITNESS_SIZE; i < message->tail; i++)
		if (tail[i] != preset_at(message, i))
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

/* A run of the core: the interrupts that were seen last, masked ones, too */
struct run {
	struct firesteel *device;
	uint32_t raw;
};

static bool has_ended(struct run *run)
{
	run->raw = read_register(run->device, SILEX_CM_INT_STAT_RAW);
	return run->raw & SILEX_CM_INT_ERRORS ||
	       (run->raw & SILEX_CM_INT_DONE) == SILEX_CM_INT_DONE;
}

/* One access if it is.  A core that was reset meanwhile is idle, and raises nothing more. */
static bool is_done(void *opaque)
{
	struct run *run = opaque;

	if (has_ended(run))
		return true;
	if (read_register(run->device, SILEX_CM_STATUS) & SILEX_CM_STATUS_BUSY)
		return false;
	has_ended(run);
	return true;
}

static void arm(void *opaque)
{
	const struct run *run = opaque;

	write_register(run->device, SILEX_CM_INT_EN, SILEX_CM_INT_ENDED);
}

static bool is_reset(void *opaque)
{
	uint32_t status = read_register(opaque, SILEX_CM_STATUS);

	return status == SILEX_GONE || !(status & SILEX_CM_STATUS_RESET_BUSY);
}

static void arm_nothing(void *opaque)
{
	(void)opaque;
}

/* Until the next reset.  Whoever resets it leaves it so to other processes. */
static void follow_lists(struct firesteel *device)
{
	write_register(device, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SG);
	device->lists = true;
}

static void reset(struct firesteel *device)
{
	const struct fs_wait wait = { device, FS_CM, is_reset, arm_nothing, device };

	fs_count(&device->statistics.resets, 1);
	write_register(device, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SOFT_RESET);
	write_register(device, SILEX_CM_CONFIG, 0);
	if (fs_wait(&wait, &reset_soon) < 0)
		fs_health_faulty(device, FS_CM);
	follow_lists(device);
}

static void start(struct fs_message *message)
{
	struct firesteel *device = message->device;
	struct fs_arena *arena = message->slot.arena;

	/* no request makes the lists longer than they are */
	if (!silex_list_stop(&message->fetch, 0) || !silex_list_stop(&message->push, SILEX_LEN_IRQ))
		abort();
	/* Memory that is not cached may wait in the buffers of a second-level cache, which the next writes
	 * to registers empty (PL310 TRM, 2.5.2); they have done so before START. */
	fs_barrier_write();
	write_register(device, SILEX_CM_INT_STAT_CLR, SILEX_CM_INT_ALL);
	write_register(device, SILEX_CM_FETCH_ADDR, bus_of(message, arena->fetch));
	write_register(device, SILEX_CM_PUSH_ADDR, bus_of(message, arena->push));
	if (!device->lists)
		follow_lists(device);
	fs_barrier_write();
	write_register(device, SILEX_CM_START, SILEX_CM_START_BOTH);
}

static int fail(struct firesteel *device)
{
	reset(device);
	return fs_health_recovered(device);
}

/*
 * The verdict on a core that has stopped, or has not.  STATUS does not tell a job that is done from
 * one that a reset has ended, or that was never begun: plaintext would pass for ciphertext.  So the
 * core must have said that its list is done.  Both sides stop, too, if it was reset before START, since
 * it was configured: it is then in direct mode, with nothing to do.  But only the list asks for
 * PUSH_BLOCK_END.  All were clear before START, and a reset clears them.
 */
static int judge(const struct run *run, int error)
{
	struct firesteel *device = run->device;

	if (run->raw == SILEX_GONE)
		return fs_health_gone(device, FS_CM);
	if (!error && (run->raw & (SILEX_CM_INT_DONE | SILEX_CM_INT_ERRORS)) == SILEX_CM_INT_DONE)
		return FIRESTEEL_OK;
	return fail(device);
}

static int run_core(struct fs_message *message, const struct fs_prediction *prediction)
{
	struct firesteel *device = message->device;
	struct run run = { .device = device };
	const struct fs_wait wait = { device, FS_CM, is_done, arm, &run };
	uint64_t begin;
	int error;

	start(message);
	begin = fs_now();
	error = judge(&run, fs_wait(&wait, prediction));
	fs_barrier_read();
	if (!error)
		read_tail(message);
	if (!error && !is_tail_written(message))
		error = fail(device);
	if (!error)
		fs_expect_learn(&device->expectations, prediction, begin, fs_now());
	return error;
}

int fs_message_run(struct fs_message *message, unsigned mode, size_t size)
{
	struct firesteel *device = message->device;
	const struct fs_prediction prediction = fs_expect_message(
		&device->expectations, message->engine == SILEX_ENGINE_HASH, mode, size);
	struct fs_deadline deadline = { .wait_ns = fs_timeout(device) };
	bool waited = false, died = false;
	int error;

	if (!fs_turn_acquire(&device->turn[FS_CM], &deadline, &waited))
		return FIRESTEEL_ERROR_TIMEOUT;
	if (waited)
		fs_count(&device->statistics.queued, 1);
	error = fs_pool_lock(device->pool, &deadline, &died);
	if (!error) {
		/* what its owner had begun goes on in slots of its own, but may never end */
		if (died)
			reset(device);
		error = run_core(message, &prediction);
		fs_pool_unlock(device->pool);
	}
	fs_turn_release(&device->turn[FS_CM]);
	return error;
}
