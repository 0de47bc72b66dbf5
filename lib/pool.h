/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that CryptoMaster reaches.  First come a few slots in which messages are built, so
 * that one thread copies while the core works for another.  Then come buffers for callers.  Reading
 * memory that is not cached takes long, so each slot then has a cached place for results elsewhere.
 *
 * Forked processes share the cores' memory, and the memory that records its owners.  The locks
 * there are robust: when a process dies, the next process can take its lock.
 */
#ifndef FS_POOL_H
#define FS_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../silex/cryptomaster.h"
#include "transport.h"

#define FS_FETCHES 16u
#define FS_PUSHES  8u

#define FS_TAIL_SIZE 64u

/*
 * The fixed part of a slot: lists, configuration, and all input of the engines except data.  Where
 * DMA is not coherent this part is not cached: writes are gathered and cheap, but each read waits
 * for memory.  From `word` on it may contain secrets.  Members that most requests use come first,
 * because only the used part is wiped.
 */
struct fs_arena {
	struct silex_descriptor fetch[FS_FETCHES];
	struct silex_descriptor push[FS_PUSHES];
	uint8_t zero_padding[16];
	uint32_t alive; /* FS_ALIVE, as long as the device is there */
	uint32_t word;
	uint8_t key[32];
	uint8_t iv[32]; /* or context */
	uint8_t trailer[16];
	_Alignas(uint64_t) uint8_t tail[FS_TAIL_SIZE]; /* output after the payload */
	uint8_t header[32]; /* CCM: before the associated data */
	uint8_t key2[32];
	uint8_t state[64]; /* hash: state or key, padding of the message */
	uint8_t padding[256];
};

#define FS_ALIVE 0x5a5a5a5au

#define FS_SLOT_SIZE  65536u
#define FS_ARENA_SIZE 2048u
#define FS_DATA_SIZE  (FS_SLOT_SIZE - FS_ARENA_SIZE)
#define FS_SLOTS_MAX  4u

/* Memory as the process and as the core address it */
struct fs_dma_address {
	uint8_t *cpu;
	uint32_t bus;
};

struct fs_slot {
	unsigned index;
	struct fs_arena *arena;
	uint32_t bus; /* of the arena */
	size_t used; /* bytes of the arena that may contain secrets */
	struct fs_dma_address data;
	struct fs_dma_address
		results; /* as long, to be read after fs_pool_refresh(); or the data */
	bool refreshes;
};

struct fs_pool;
struct fs_deadline;

/* NULL: no memory, or too little that the core reaches */
struct fs_pool *fs_pool_new(struct fs_transport *transport);
void fs_pool_free(struct fs_pool *pool);

/* An exclusive slot; waits for one until `deadline` */
int fs_pool_get(struct fs_pool *pool, struct fs_deadline *deadline, struct fs_slot *slot);
/* Wipes the used part of its arena */
void fs_pool_put(struct fs_pool *pool, struct fs_slot *slot);

/* The core has written `size` bytes of the slot's results: before they are read.  0 or an error. */
int fs_pool_refresh(struct fs_pool *pool, const struct fs_slot *slot, size_t size);

/* The lock of the core between processes.  `*died` is set if its last owner died as owner. */
int fs_pool_lock(struct fs_pool *pool, struct fs_deadline *deadline, bool *died);
void fs_pool_unlock(struct fs_pool *pool);

/* In a forked child: from now on it has separate buffers */
void fs_pool_adopt(struct fs_pool *pool);

/* Whether the kernel releases locks when the process of this thread dies.  If not, the process must
 * not take any. */
bool fs_pool_can_lock(void);

/* Whether bytes lie in the cores' memory, and where */
bool fs_pool_translate(struct fs_pool *pool, const void *bytes, size_t size,
		       struct fs_dma_address *address);

size_t fs_pool_bytes(const struct fs_pool *pool);
void *fs_pool_buffer_new(struct fs_pool *pool, size_t size);
void fs_pool_buffer_free(struct fs_pool *pool, void *buffer);

#endif
