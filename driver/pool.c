// SPDX-License-Identifier: GPL-2.0-or-later
#include "pool.h"

#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/slab.h>

int firesteel_pool_allocate(struct firesteel_pool *pool, struct device *dev)
{
	unsigned int i;

	spin_lock_init(&pool->lock);
	pool->dev = dev;
	pool->cmds = kcalloc(FIRESTEEL_CMDS, sizeof(*pool->cmds), GFP_KERNEL);
	if (!pool->cmds)
		return -ENOMEM;
	for (i = 0; i < FIRESTEEL_CMDS; i++) {
		struct firesteel_cmd *cmd = &pool->cmds[i];

		cmd->dev = dev;
		cmd->backup_memory = kmalloc(FIRESTEEL_BACKUP_SIZE, GFP_KERNEL);
		cmd->backup_start = i * FIRESTEEL_BACKUP_SMALL % FIRESTEEL_BACKUP_SIZE;
		cmd->arena = dma_alloc_coherent(dev, sizeof(*cmd->arena), &cmd->address,
						GFP_KERNEL);
		if (!cmd->backup_memory || !cmd->arena)
			return -ENOMEM;
		silex_list_begin(&cmd->fetch, cmd->arena->fetch, firesteel_cmd_address(cmd, fetch),
				 FIRESTEEL_DESCRIPTORS);
		silex_list_begin(&cmd->push, cmd->arena->push, firesteel_cmd_address(cmd, push),
				 FIRESTEEL_DESCRIPTORS);
	}
	atomic_set(&pool->free, ~0);
	return 0;
}

void firesteel_pool_refill(struct firesteel_pool *pool)
{
	unsigned int i;

	for (i = 0; i < FIRESTEEL_CMDS; i++) {
		struct firesteel_cmd *cmd = &pool->cmds[i];

		memzero_explicit(cmd->arena, sizeof(*cmd->arena));
		memzero_explicit(cmd->backup_memory, FIRESTEEL_BACKUP_SIZE);
		cmd->holder = NULL;
		cond_resched();
	}
	/* ordered: whoever gets one sees it wiped */
	atomic_set_release(&pool->free, ~0);
}

void firesteel_pool_drain(struct firesteel_pool *pool)
{
	while (atomic_cmpxchg(&pool->free, ~0, 0) != ~0)
		usleep_range(100, 1000);
}

void firesteel_pool_free(struct firesteel_pool *pool)
{
	struct firesteel_cmd *cmds = pool->cmds;
	unsigned int i;

	spin_lock_bh(&pool->lock);
	pool->cmds = NULL;
	spin_unlock_bh(&pool->lock);
	for (i = 0; cmds && i < FIRESTEEL_CMDS; i++) {
		kfree_sensitive(cmds[i].backup_memory);
		if (!cmds[i].arena)
			continue;
		memzero_explicit(cmds[i].arena, sizeof(*cmds[i].arena));
		dma_free_coherent(pool->dev, sizeof(*cmds[i].arena), cmds[i].arena,
				  cmds[i].address);
	}
	kfree(cmds);
}

void firesteel_pool_each_free(struct firesteel_pool *pool,
			      void (*each)(struct firesteel_cmd *cmd, const void *data),
			      const void *data)
{
	unsigned int i;

	spin_lock_bh(&pool->lock);
	for (i = 0; pool->cmds && i < FIRESTEEL_CMDS; i++) {
		if (!(atomic_fetch_andnot(BIT(i), &pool->free) & BIT(i)))
			continue;
		each(&pool->cmds[i], data);
		atomic_fetch_or(BIT(i), &pool->free);
	}
	spin_unlock_bh(&pool->lock);
}
