/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands of one CryptoMaster, which are allocated once, and which of them are free. */
#ifndef FIRESTEEL_POOL_H
#define FIRESTEEL_POOL_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/spinlock.h>

#include "cmd.h"

/* Commands of one CryptoMaster: a bit of a word for each */
#define FIRESTEEL_CMDS 32u

struct firesteel_pool {
	struct device *dev;
	struct firesteel_cmd *cmds; /* all of them */
	atomic_t free; /* free ones, a bit for each */
	spinlock_t lock; /* of cmds while it may become NULL; taken with bottom halves off */
};

/* Returns 0 or a negative error number; firesteel_pool_free() in either case */
int firesteel_pool_allocate(struct firesteel_pool *pool, struct device *dev);

/* Waits until all commands are free; afterwards there is none */
void firesteel_pool_drain(struct firesteel_pool *pool);

/* Drained: wipes all that commands have of requests, and makes them free again.  May sleep. */
void firesteel_pool_refill(struct firesteel_pool *pool);

void firesteel_pool_free(struct firesteel_pool *pool);

/* A free command, searched from number `first` on; NULL: there is none */
static inline struct firesteel_cmd *firesteel_pool_get(struct firesteel_pool *pool,
						       unsigned int first)
{
	int free = atomic_read(&pool->free);
	unsigned int number;

	do {
		if (!free)
			return NULL;
		number = (first + __ffs(ror32(free, first % FIRESTEEL_CMDS))) % FIRESTEEL_CMDS;
	} while (!atomic_try_cmpxchg(&pool->free, &free, free & ~BIT(number)));
	return &pool->cmds[number];
}

static inline void firesteel_pool_put(struct firesteel_pool *pool, struct firesteel_cmd *cmd)
{
	/* ordered: the next user sees whose keys it has */
	atomic_fetch_or(BIT(cmd - pool->cmds), &pool->free);
}

/* Calls `each` for all free commands, which are reserved meanwhile */
void firesteel_pool_each_free(struct firesteel_pool *pool,
			      void (*each)(struct firesteel_cmd *cmd, const void *data),
			      const void *data);

#endif
