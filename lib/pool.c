/* SPDX-License-Identifier: Apache-2.0 */
#include "pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "timed-lock.h"

/* The unit in which buffers are allocated */
#define GRAIN      4096u
#define GRAINS_MAX 4096u

/* A part of the memory for each slot, the rest for buffers */
#define MEMORY_PER_SLOT (256u << 10)

/* What a run of grains has in its first, and in the others */
#define GRAIN_FREE 0
#define GRAIN_MORE (-1)

struct shared {
	pthread_mutex_t core;
	pthread_mutex_t slot[FS_SLOTS_MAX];
	pthread_mutex_t buffers;
	int32_t grain[GRAINS_MAX]; /* 0: free; the number of a process; -1: goes on */
	atomic_int processes; /* that have used this, by which they are numbered */
};

struct fs_pool {
	struct fs_transport *transport;
	struct shared *shared;
	int32_t self; /* the number of this process: ids mean nothing in another PID namespace */
	unsigned slots;
	unsigned grains;
	size_t begin; /* of buffers, in the memory */
	atomic_bool stale; /* results could not be refreshed: they are read where written */
};

_Static_assert(sizeof(struct fs_arena) <= FS_ARENA_SIZE, "an arena fits");
_Static_assert(FS_ARENA_SIZE % sizeof(uint64_t) == 0, "so that a tail is aligned");

/* ---- life ---- */

static void begin_lock(pthread_mutex_t *lock, const pthread_mutexattr_t *kind)
{
	pthread_mutex_init(lock, kind);
}

static struct shared *new_shared(void)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t kind;

	if (shared == MAP_FAILED)
		return NULL;
	pthread_mutexattr_init(&kind);
	pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
	begin_lock(&shared->core, &kind);
	begin_lock(&shared->buffers, &kind);
	for (unsigned i = 0; i < FS_SLOTS_MAX; i++)
		begin_lock(&shared->slot[i], &kind);
	pthread_mutexattr_destroy(&kind);
	return shared;
}

static void lay_out(struct fs_pool *pool)
{
	size_t size = pool->transport->dma_size, left;

	pool->slots = (unsigned)(size / MEMORY_PER_SLOT);
	if (pool->slots > FS_SLOTS_MAX)
		pool->slots = FS_SLOTS_MAX;
	if (pool->slots == 0)
		pool->slots = 1;
	pool->begin = pool->slots * (size_t)FS_SLOT_SIZE;
	left = size - pool->begin;
	pool->grains = left / GRAIN < GRAINS_MAX ? (unsigned)(left / GRAIN) : GRAINS_MAX;
}

struct fs_pool *fs_pool_new(struct fs_transport *transport)
{
	struct fs_pool *pool;

	if (transport->dma_size < FS_SLOT_SIZE)
		return NULL;
	pool = calloc(1, sizeof(*pool));
	if (!pool)
		return NULL;
	pool->transport = transport;
	pool->shared = new_shared();
	if (!pool->shared) {
		free(pool);
		return NULL;
	}
	lay_out(pool);
	fs_pool_adopt(pool);
	return pool;
}

/*
 * A robust lock is given back by the kernel if the C library has told it of the thread, and has noted
 * which one has the lock.  Both fail in the first thread of a process that clone(2) made behind the
 * C library's back: there it takes the thread for the parent's.  Its number is in the clock that it
 * names for the thread, as the kernel encodes them: the complement of the number, three bits further up.
 */
static bool is_number_of(clockid_t clock, pid_t number)
{
	const unsigned kind = 6; /* of one thread, the time that it ran */

	return clock == (clockid_t)(~(unsigned)number << 3 | kind);
}

/* Most first threads have their process's number, which sandboxes let them ask for */
bool fs_pool_can_lock(void)
{
	clockid_t clock;

	return pthread_getcpuclockid(pthread_self(), &clock) == 0 &&
	       (is_number_of(clock, getpid()) || is_number_of(clock, gettid()));
}

void fs_pool_adopt(struct fs_pool *pool)
{
	pool->self = atomic_fetch_add(&pool->shared->processes, 1) + 1;
}

/* Buffers of this process that were not freed */
static void drop_buffers(struct fs_pool *pool)
{
	for (unsigned i = 0; i < pool->grains; i++)
		if (pool->shared->grain[i] == pool->self)
			fs_pool_buffer_free(pool,
					    pool->transport->dma + pool->begin + (size_t)i * GRAIN);
}

void fs_pool_free(struct fs_pool *pool)
{
	if (!pool)
		return;
	drop_buffers(pool);
	munmap(pool->shared, sizeof(*pool->shared));
	free(pool);
}

/* ---- locks ---- */

/* After an attempt to lock: whether we own it now.  If the last owner died, its state is kept. */
static bool acquire(pthread_mutex_t *lock, int result, bool *died)
{
	if (result == EOWNERDEAD) {
		pthread_mutex_consistent(lock);
		*died = true;
		return true;
	}
	return result == 0;
}

static int lock_until(pthread_mutex_t *lock, struct fs_deadline *deadline, bool *died)
{
	/* the common case without a look at the clock */
	if (acquire(lock, pthread_mutex_trylock(lock), died) ||
	    acquire(lock, fs_timed_lock(lock, fs_deadline_at(deadline)), died))
		return FIRESTEEL_OK;
	return FIRESTEEL_ERROR_TIMEOUT;
}

int fs_pool_lock(struct fs_pool *pool, struct fs_deadline *deadline, bool *died)
{
	return lock_until(&pool->shared->core, deadline, died);
}

void fs_pool_unlock(struct fs_pool *pool)
{
	pthread_mutex_unlock(&pool->shared->core);
}

/* ---- slots ---- */

static bool has_results(const struct fs_pool *pool)
{
	const struct fs_transport *transport = pool->transport;

	return transport->results && !pool->stale &&
	       transport->results_size >= pool->slots * (size_t)FS_SLOT_SIZE;
}

/* A process that died in a slot may have left secrets anywhere */
static void describe(struct fs_pool *pool, unsigned index, bool died, struct fs_slot *slot)
{
	const struct fs_transport *transport = pool->transport;
	size_t offset = (size_t)index * FS_SLOT_SIZE;
	uint8_t *cpu = transport->dma + offset;
	uint32_t bus = transport->bus + (uint32_t)offset;

	*slot = (struct fs_slot){
		.index = index,
		.arena = (struct fs_arena *)(void *)cpu,
		.bus = bus,
		.used = died ? sizeof(struct fs_arena) : 0,
		.data = { cpu + FS_ARENA_SIZE, bus + FS_ARENA_SIZE },
		.refreshes = has_results(pool),
	};
	slot->results = slot->data;
	if (slot->refreshes)
		slot->results = (struct fs_dma_address){
			(uint8_t *)(uintptr_t)(transport->results + offset),
			transport->results_bus + (uint32_t)offset,
		};
}

int fs_pool_get(struct fs_pool *pool, struct fs_deadline *deadline, struct fs_slot *slot)
{
	bool died = false;
	int error;

	for (unsigned i = 0; i < pool->slots; i++) {
		pthread_mutex_t *lock = &pool->shared->slot[i];

		if (acquire(lock, pthread_mutex_trylock(lock), &died)) {
			describe(pool, i, died, slot);
			return FIRESTEEL_OK;
		}
	}
	error = lock_until(&pool->shared->slot[0], deadline, &died);
	if (!error)
		describe(pool, 0, died, slot);
	return error;
}

void fs_pool_put(struct fs_pool *pool, struct fs_slot *slot)
{
	const size_t begin = offsetof(struct fs_arena, word);

	if (slot->used > begin)
		firesteel_wipe(&slot->arena->word, slot->used - begin);
	pthread_mutex_unlock(&pool->shared->slot[slot->index]);
}

int fs_pool_refresh(struct fs_pool *pool, const struct fs_slot *slot, size_t size)
{
	struct fs_transport *transport = pool->transport;
	int error = transport->ops->refresh(transport, (size_t)slot->index * FS_SLOT_SIZE, size);

	/* a daemon has closed the descriptor: this message is lost, and those that follow are not */
	if (error)
		pool->stale = true;
	return error;
}

/* ---- buffers ---- */

bool fs_pool_translate(struct fs_pool *pool, const void *bytes, size_t size,
		       struct fs_dma_address *address)
{
	uintptr_t begin = (uintptr_t)pool->transport->dma + pool->begin;
	uintptr_t at = (uintptr_t)bytes;
	size_t capacity = (size_t)pool->grains * GRAIN;

	if (size == 0 || at < begin || size > capacity || at - begin > capacity - size)
		return false;
	address->cpu = pool->transport->dma + pool->begin + (at - begin);
	address->bus = pool->transport->bus + (uint32_t)(pool->begin + (at - begin));
	return true;
}

size_t fs_pool_bytes(const struct fs_pool *pool)
{
	return (size_t)pool->grains * GRAIN;
}

/* The first run of so many free grains, or -1 */
static int find_run(const struct fs_pool *pool, unsigned wanted)
{
	unsigned length = 0;

	for (unsigned i = 0; i < pool->grains; i++) {
		length = pool->shared->grain[i] == GRAIN_FREE ? length + 1 : 0;
		if (length == wanted)
			return (int)(i + 1 - wanted);
	}
	return -1;
}

static bool lock_buffers(struct fs_pool *pool)
{
	bool died = false;

	return acquire(&pool->shared->buffers, pthread_mutex_lock(&pool->shared->buffers), &died);
}

void *fs_pool_buffer_new(struct fs_pool *pool, size_t size)
{
	size_t wanted = size / GRAIN + (size % GRAIN > 0);
	int run = -1;

	if (size == 0 || wanted > pool->grains || !lock_buffers(pool))
		return NULL;
	run = find_run(pool, (unsigned)wanted);
	for (size_t i = 0; run >= 0 && i < wanted; i++)
		pool->shared->grain[(size_t)run + i] = i == 0 ? pool->self : GRAIN_MORE;
	pthread_mutex_unlock(&pool->shared->buffers);
	return run < 0 ? NULL : pool->transport->dma + pool->begin + (size_t)run * GRAIN;
}

void fs_pool_buffer_free(struct fs_pool *pool, void *buffer)
{
	struct fs_dma_address address;
	size_t first;

	if (!buffer || !fs_pool_translate(pool, buffer, 1, &address) || !lock_buffers(pool))
		return;
	first = (size_t)(address.cpu - pool->transport->dma - pool->begin) / GRAIN;
	if (pool->shared->grain[first] > 0) {
		size_t end = first + 1;

		while (end < pool->grains && pool->shared->grain[end] == GRAIN_MORE)
			end++;
		firesteel_wipe(address.cpu, (end - first) * GRAIN);
		memset(&pool->shared->grain[first], 0,
		       (end - first) * sizeof(pool->shared->grain[0]));
	}
	pthread_mutex_unlock(&pool->shared->buffers);
}
