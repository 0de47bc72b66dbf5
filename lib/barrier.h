/* SPDX-License-Identifier: Apache-2.0 */
/* Order between memory and registers, and what a processor does while it spins. */
#ifndef FS_BARRIER_H
#define FS_BARRIER_H

#if defined(__arm__) || defined(__aarch64__)

/* A device sees earlier writes to memory before later writes to its registers */
static inline void fs_barrier_write(void)
{
	__asm__ volatile("dsb st" ::: "memory");
}

/* Later reads of memory stay after earlier reads of registers */
static inline void fs_barrier_read(void)
{
	__asm__ volatile("dsb sy" ::: "memory");
}

static inline void fs_relax(void)
{
	__asm__ volatile("yield" ::: "memory");
}

#else

/* Elsewhere devices see stores in order, so a compiler barrier is enough */
static inline void fs_barrier_write(void)
{
	__asm__ volatile("" ::: "memory");
}

static inline void fs_barrier_read(void)
{
	__asm__ volatile("" ::: "memory");
}

static inline void fs_relax(void)
{
	__asm__ volatile("" ::: "memory");
}

#endif

#endif
