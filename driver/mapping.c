// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping.h"

#include <linux/dma-mapping.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

struct firesteel_mappings {
	struct kref users; /* the device, and each mapping */
	struct mutex lock; /* of all below; nests in mmap_lock */
	struct list_head present; /* those that were not revoked */
};

/* One area of one address space */
struct mapping {
	struct firesteel_mappings *all;
	struct list_head node;
	struct vm_area_struct *vma;
	struct page *page; /* replaces the device's memory; NULL: not needed yet */
};

/* ---- life ---- */

struct firesteel_mappings *firesteel_mappings_new(void)
{
	struct firesteel_mappings *mappings = kzalloc(sizeof(*mappings), GFP_KERNEL);

	if (!mappings)
		return NULL;
	kref_init(&mappings->users);
	mutex_init(&mappings->lock);
	INIT_LIST_HEAD(&mappings->present);
	return mappings;
}

static void mappings_release(struct kref *users)
{
	struct firesteel_mappings *mappings = container_of(users, struct firesteel_mappings, users);

	mutex_destroy(&mappings->lock);
	kfree(mappings);
}

static struct mapping *mapping_new(struct firesteel_mappings *mappings, struct vm_area_struct *vma)
{
	struct mapping *mapping = kzalloc(sizeof(*mapping), GFP_KERNEL);

	if (!mapping)
		return NULL;
	mapping->all = mappings;
	mapping->vma = vma;
	kref_get(&mappings->users);
	mutex_lock(&mappings->lock);
	list_add_tail(&mapping->node, &mappings->present);
	mutex_unlock(&mappings->lock);
	return mapping;
}

/* The last user wipes what the program wrote */
static void mapping_page_put(struct page *page)
{
	if (page_ref_count(page) == 1)
		clear_page(page_address(page));
	put_page(page);
}

static void mapping_free(struct mapping *mapping)
{
	mutex_lock(&mapping->all->lock);
	list_del(&mapping->node);
	mutex_unlock(&mapping->all->lock);
	if (mapping->page)
		mapping_page_put(mapping->page);
	kref_put(&mapping->all->users, mappings_release);
	kfree(mapping);
}

/* ---- called by the kernel's memory management ---- */

/* An area is split or moved */
static void mapping_area_open(struct vm_area_struct *vma)
{
	struct mapping *old = vma->vm_private_data;
	struct mapping *mapping = old ? mapping_new(old->all, vma) : NULL;

	vma->vm_private_data = mapping;
	if (!mapping) {
		/* it could not be revoked later */
		zap_vma_ptes(vma, vma->vm_start, vma->vm_end - vma->vm_start);
		return;
	}
	mapping->page = old->page;
	if (mapping->page)
		get_page(mapping->page);
}

/* It was moved, with its pages: back, if it could not be revoked at its new place */
static int mapping_area_moved(struct vm_area_struct *vma)
{
	return vma->vm_private_data ? 0 : -ENOMEM;
}

static void mapping_area_close(struct vm_area_struct *vma)
{
	if (vma->vm_private_data)
		mapping_free(vma->vm_private_data);
}

static struct page *mapping_page_of(struct mapping *mapping)
{
	struct page *page;

	mutex_lock(&mapping->all->lock);
	if (!mapping->page) {
		mapping->page = alloc_page(GFP_KERNEL);
		if (mapping->page)
			memset(page_address(mapping->page), 0xff, PAGE_SIZE);
	}
	page = mapping->page;
	mutex_unlock(&mapping->all->lock);
	return page;
}

/* mmap() maps all pages, so only a revoked area faults */
static vm_fault_t mapping_area_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct mapping *mapping = vma->vm_private_data;
	struct page *page;

	if (!mapping || !(vma->vm_flags & VM_PFNMAP))
		return VM_FAULT_SIGBUS;
	page = mapping_page_of(mapping);
	if (!page)
		return VM_FAULT_OOM;
	return vmf_insert_pfn_prot(vma, vmf->address, page_to_pfn(page),
				   vm_get_page_prot(vma->vm_flags));
}

static const struct vm_operations_struct area_ops = {
	.open = mapping_area_open,
	.close = mapping_area_close,
	.mremap = mapping_area_moved,
	.fault = mapping_area_fault,
};

/* ---- making them ---- */

int firesteel_mapping_page_check(phys_addr_t base)
{
	/* in a larger page there would be registers of the kernel's */
	if (PAGE_SHIFT > 12 || offset_in_page(base))
		return -EOPNOTSUPP;
	return 0;
}

int firesteel_mapping_check(struct vm_area_struct *vma)
{
	/* a private one would be a copy, which no core sees */
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC)
		return -EINVAL;
	/* with VM_IO a program cannot clear VM_DONTCOPY */
	vm_flags_mod(vma, VM_IO | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC);
	return 0;
}

static int mapping_finish(struct firesteel_mappings *mappings, struct vm_area_struct *vma, int err)
{
	struct mapping *mapping;

	if (err)
		return err;
	mapping = mapping_new(mappings, vma);
	if (!mapping)
		return -ENOMEM;
	vma->vm_private_data = mapping;
	vma->vm_ops = &area_ops;
	return 0;
}

int firesteel_mapping_registers(struct firesteel_mappings *mappings, struct vm_area_struct *vma,
				phys_addr_t address)
{
	vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	return mapping_finish(mappings, vma,
			      io_remap_pfn_range(vma, vma->vm_start, PHYS_PFN(address),
						 vma->vm_end - vma->vm_start, vma->vm_page_prot));
}

int firesteel_mapping_buffer(struct firesteel_mappings *mappings, struct vm_area_struct *vma,
			     struct device *dev, void *buffer, dma_addr_t address)
{
	unsigned long number = vma->vm_pgoff; /* of the map; it would be read as an offset */
	int err;

	vma->vm_pgoff = 0;
	err = dma_mmap_coherent(dev, vma, buffer, address, vma->vm_end - vma->vm_start);
	vma->vm_pgoff = number;
	return mapping_finish(mappings, vma, err);
}

int firesteel_mapping_pages(struct firesteel_mappings *mappings, struct vm_area_struct *vma,
			    struct device *dev, struct page *pages, size_t size)
{
	unsigned long number = vma->vm_pgoff; /* as above */
	int err;

	vma->vm_pgoff = 0;
	err = dma_mmap_pages(dev, vma, size, pages);
	vma->vm_pgoff = number;
	return mapping_finish(mappings, vma, err);
}

/* ---- revoking them ---- */

/* An address space that has a mapping, with a reference; NULL: none is left */
static struct mm_struct *mapping_some_space(struct firesteel_mappings *mappings)
{
	struct mapping *mapping, *next;
	struct mm_struct *mm = NULL;

	mutex_lock(&mappings->lock);
	list_for_each_entry_safe(mapping, next, &mappings->present, node) {
		if (mmget_not_zero(mapping->vma->vm_mm)) {
			mm = mapping->vma->vm_mm;
			break;
		}
		/* its last program has ended: nobody is left to use it */
		list_del_init(&mapping->node);
	}
	mutex_unlock(&mappings->lock);
	return mm;
}

/* A program that faults meanwhile waits for the lock: a program that reads ones in one area reads
 * them in all from then on, and so can tell whether what it has read before was the core's.
 */
static void mapping_revoke_in(struct firesteel_mappings *mappings, struct mm_struct *mm)
{
	struct mapping *mapping, *next;

	mmap_read_lock(mm);
	mutex_lock(&mappings->lock);
	list_for_each_entry_safe(mapping, next, &mappings->present, node) {
		struct vm_area_struct *vma = mapping->vma;

		if (vma->vm_mm != mm)
			continue;
		list_del_init(&mapping->node);
		zap_vma_ptes(vma, vma->vm_start, vma->vm_end - vma->vm_start);
	}
	mutex_unlock(&mappings->lock);
	mmap_read_unlock(mm);
}

void firesteel_mappings_revoke(struct firesteel_mappings *mappings)
{
	struct mm_struct *mm;

	if (!mappings)
		return;
	/* the lock nests in mmap_lock, so one address space at a time */
	while ((mm = mapping_some_space(mappings))) {
		mapping_revoke_in(mappings, mm);
		mmput(mm);
	}
	kref_put(&mappings->users, mappings_release);
}
