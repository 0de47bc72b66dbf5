/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs have mapped of a device: registers, memory of a core, a buffer for DMA.  When the
 * device is removed, the driver revokes each mapping and replaces it by private memory that reads
 * all ones, like the registers of a core that is gone.  A forked child has such memory in the place
 * of its parent's mappings.
 */
#ifndef FIRESTEEL_MAPPING_H
#define FIRESTEEL_MAPPING_H

#include <linux/device.h>
#include <linux/mm_types.h>

#include "compat.h"

struct firesteel_mappings;
struct uio_info;

/* NULL: no memory.  The mappings themselves keep it alive beyond firesteel_mappings_put(). */
struct firesteel_mappings *firesteel_mappings_new(void);

/* Revokes all mappings, and drops the reference; no new one may be created meanwhile */
void firesteel_mappings_revoke(struct firesteel_mappings *mappings);

/* Whether pages of a window at this physical address can be mapped one by one: 0 or a negative
 * error number
 */
int firesteel_mapping_page_check(phys_addr_t base);

/* For mmap() of a UIO device: checks an area, and creates it as `map` says, which gets the device's
 * `priv`.  Returns 0 or a negative error number.
 */
int firesteel_mapping_create(struct uio_info *info, struct firesteel_new_area *new,
			     int (*map)(void *priv, struct firesteel_area *area));

/* Maps registers at a physical address; the caller checks the size */
int firesteel_mapping_registers(struct firesteel_mappings *mappings, struct firesteel_area *area,
				phys_addr_t address);

/* Maps memory of dma_alloc_coherent() */
int firesteel_mapping_buffer(struct firesteel_mappings *mappings, struct firesteel_area *area,
			     struct device *dev, void *buffer);

/* Maps memory that is cached, for reading */
int firesteel_mapping_memory(struct firesteel_mappings *mappings, struct firesteel_area *area,
			     void *memory);

/* A page that reads all ones, in the place of what a program may not have; NULL: no memory */
struct page *firesteel_mapping_ones(void);

#endif
