/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs have mapped of a device: registers, memory of a core, a buffer for DMA.  When the
 * device is removed, the driver revokes each mapping and replaces it by private memory that reads
 * all ones, like the registers of a core that is gone.
 */
#ifndef FIRESTEEL_MAPPING_H
#define FIRESTEEL_MAPPING_H

#include <linux/device.h>
#include <linux/mm_types.h>

struct firesteel_mappings;

/* NULL: no memory.  The mappings themselves keep it alive beyond firesteel_mappings_put(). */
struct firesteel_mappings *firesteel_mappings_new(void);

/* Revokes all mappings, and drops the reference; no new one may be created meanwhile */
void firesteel_mappings_revoke(struct firesteel_mappings *mappings);

/* Whether pages of a window at this physical address can be mapped one by one: 0 or a negative
 * error number
 */
int firesteel_mapping_page_check(phys_addr_t base);

/* Checks a mapping before it is created: 0 or a negative error number */
int firesteel_mapping_check(struct vm_area_struct *vma);

/* Maps registers at a physical address; the caller checks the size */
int firesteel_mapping_registers(struct firesteel_mappings *mappings, struct vm_area_struct *vma,
				phys_addr_t address);

/* Maps memory of dma_alloc_coherent() */
int firesteel_mapping_buffer(struct firesteel_mappings *mappings, struct vm_area_struct *vma,
			     struct device *dev, void *buffer, dma_addr_t address);

/* Maps memory of dma_alloc_pages(), of that many bytes */
int firesteel_mapping_pages(struct firesteel_mappings *mappings, struct vm_area_struct *vma,
			    struct device *dev, struct page *pages, size_t size);

#endif
