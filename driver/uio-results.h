/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory for what a CryptoMaster writes and its program reads, where DMA is not coherent: the
 * buffer is not cached there, and each read of it waits for memory.  This memory is cached; the
 * program has lines that the core has written invalidated before it reads them (silex/share.h).
 */
#ifndef FIRESTEEL_UIO_RESULTS_H
#define FIRESTEEL_UIO_RESULTS_H

#include <linux/mm_types.h>
#include <linux/types.h>

struct device;
struct firesteel_area;
struct firesteel_mappings;

struct firesteel_results {
	struct device *dev;
	struct page *pages; /* NULL: there are none */
	dma_addr_t address;
	size_t size;
};

/* Allocates up to `size` bytes if the device, which has the buffer at `buffer`, is not coherent;
 * without memory there are none
 */
void firesteel_results_open(struct firesteel_results *results, struct device *dev,
			    dma_addr_t buffer, size_t size);
void firesteel_results_close(struct firesteel_results *results);

/* Wipes them; the core must not run */
void firesteel_results_wipe(struct firesteel_results *results);

/* Maps them for reading */
int firesteel_results_mmap(struct firesteel_results *results, struct firesteel_mappings *mappings,
			   struct firesteel_area *area);

/* Does what SILEX_SHARE_RESULTS() asks for */
int firesteel_results_sync(struct firesteel_results *results, u32 word);

#endif
