/* SPDX-License-Identifier: Apache-2.0 */
/* Order between memory and registers, and what a processor does while it spins. */
#ifndef FS_BARRIER_H
#define FS_BARRIER_H

#if defined(__arm__) || defined(__aarch64__)

/* What was written to memory is seen by a device before what is written to its registers next */
static inline void fs_barrier_write(void)
{
	__asm__ volatile("dsb st" ::: "memory");
}

/* Memory is read after the register that was read last */
static inline void fs_barrier_read(void)
{
	__asm__ volatile("dsb sy" ::: "memory");
}

static inline void fs_relax(void)
{
	__asm__ volatile("yield" ::: "memory");
}

#else

/* Elsewhere devices see stores in their order, and only the compiler is to be held */
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
