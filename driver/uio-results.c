// SPDX-License-Identifier: GPL-2.0-or-later
#include "uio-results.h"

#include <linux/dma-mapping.h>
#include <linux/mm.h>

#include "mapping.h"
#include "silex/share.h"

void firesteel_results_open(struct firesteel_results *results, struct device *dev,
			    dma_addr_t buffer, size_t size)
{
	*results = (struct firesteel_results){ .dev = dev, .size = PAGE_ALIGN(size) };
	if (!dma_need_sync(dev, buffer))
		return;
	results->pages = dma_alloc_pages(dev, results->size, &results->address, DMA_BIDIRECTIONAL,
					 GFP_KERNEL | __GFP_NOWARN);
	if (results->pages)
		firesteel_results_wipe(results);
}

void firesteel_results_close(struct firesteel_results *results)
{
	if (results->pages)
		dma_free_pages(results->dev, results->size, results->pages, results->address,
			       DMA_BIDIRECTIONAL);
	results->pages = NULL;
}

/* Programs only read, so the caches have no line of it that differs from memory, before a core
 * writes and while it does
 */
void firesteel_results_wipe(struct firesteel_results *results)
{
	if (!results->pages)
		return;
	memzero_explicit(page_address(results->pages), results->size);
	dma_sync_single_for_device(results->dev, results->address, results->size,
				   DMA_BIDIRECTIONAL);
}

int firesteel_results_mmap(struct firesteel_results *results, struct firesteel_mappings *mappings,
			   struct firesteel_area *area)
{
	if (!results->pages)
		return -EINVAL;
	return firesteel_mapping_memory(mappings, area, page_address(results->pages));
}

int firesteel_results_sync(struct firesteel_results *results, u32 word)
{
	size_t first = (size_t)SILEX_SHARE_RESULTS_FIRST(word) * SILEX_SHARE_RESULTS_UNIT;
	size_t size = (size_t)SILEX_SHARE_RESULTS_COUNT(word) * SILEX_SHARE_RESULTS_UNIT;

	if (!results->pages || !size || first + size > results->size)
		return -EINVAL;
	dma_sync_single_for_cpu(results->dev, results->address + first, size, DMA_FROM_DEVICE);
	return 0;
}
