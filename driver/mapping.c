// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping.h"

#include <linux/dma-map-ops.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uio_driver.h>
#include <linux/vmalloc.h>

/* What of a device an area shows */
struct shown {
	void *memory; /* the kernel's address of it; NULL: registers */
	unsigned long pfn; /* of registers */
	pgoff_t map; /* the area's offset is a number of a map, not an offset in it */
};

struct firesteel_mappings {
	struct kref users; /* the device, and each mapping */
	struct mutex lock; /* of all below; nests in mmap_lock */
	struct list_head present; /* those that were not revoked */
	struct shown shown[MAX_UIO_MAPS]; /* by the map's number; each is set anew, to the same */
};

/* One area of one address space */
struct mapping {
	struct firesteel_mappings *all;
	struct list_head node;
	struct shown shown;
	struct mm_struct *mm;
	struct vm_area_struct *vma; /* NULL: the program has touched nothing of it yet */
	bool revoked; /* or inherited: it is not the device's */
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

static struct mapping *mapping_new(struct firesteel_mappings *mappings, struct mm_struct *mm,
				   const struct shown *shown, gfp_t flags)
{
	struct mapping *mapping = kzalloc(sizeof(*mapping), flags);

	if (!mapping)
		return NULL;
	mapping->all = mappings;
	mapping->mm = mm;
	mapping->shown = *shown;
	INIT_LIST_HEAD(&mapping->node);
	kref_get(&mappings->users);
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

/* An area is there: it gets a mapping, in the place of the mappings that it is one of */
static int mapping_area_mapped(unsigned long start, unsigned long end, pgoff_t map,
			       const struct file *file, void **data)
{
	struct firesteel_mappings *mappings = *data;
	struct mapping *mapping;
	struct shown shown;

	mutex_lock(&mappings->lock);
	shown = mappings->shown[map];
	mutex_unlock(&mappings->lock);
	mapping = mapping_new(mappings, current->mm, &shown, GFP_KERNEL);
	if (!mapping)
		return -ENOMEM;
	mutex_lock(&mappings->lock);
	list_add_tail(&mapping->node, &mappings->present);
	mutex_unlock(&mappings->lock);
	*data = mapping;
	return 0;
}

/* Of an area that is split or moved: it has the pages of the old one */
static void mapping_divide(struct mapping *old, struct mapping *mapping)
{
	mutex_lock(&old->all->lock);
	mapping->revoked = old->revoked;
	mapping->page = old->page;
	if (mapping->page)
		get_page(mapping->page);
	if (!old->revoked)
		list_add_tail(&mapping->node, &old->all->present);
	mutex_unlock(&old->all->lock);
}

/* An area is split, moved or, in another address space, inherited.  It cannot be refused, and one
 * that is not known could not be revoked, so there must be memory.
 */
static void mapping_area_open(struct vm_area_struct *vma)
{
	struct mapping *old = vma->vm_private_data;
	struct mapping *mapping = mapping_new(old->all, vma->vm_mm, &old->shown,
					      GFP_KERNEL | __GFP_NOFAIL);

	mapping->vma = vma;
	vma->vm_private_data = mapping;
	if (vma->vm_mm == old->mm) {
		mapping_divide(old, mapping);
		return;
	}
	mapping->revoked = true;
	/* the parent's pages are not copied, whatever it has asked for by madvise() */
	firesteel_vm_flags(vma, VM_WIPEONFORK, 0);
}

static void mapping_area_close(struct vm_area_struct *vma)
{
	mapping_free(vma->vm_private_data);
}

struct page *firesteel_mapping_ones(void)
{
	struct page *page = alloc_page(GFP_KERNEL);

	if (page)
		memset(page_address(page), 0xff, PAGE_SIZE);
	return page;
}

static unsigned long mapping_pfn(const struct shown *shown, pgoff_t index)
{
	void *at = shown->memory + index * PAGE_SIZE;

	if (!shown->memory)
		return shown->pfn + index;
	return is_vmalloc_addr(at) ? vmalloc_to_pfn(at) : PHYS_PFN(virt_to_phys(at));
}

/* All of the area at once, so that a program faults once */
static vm_fault_t mapping_insert(struct mapping *mapping, struct vm_area_struct *vma)
{
	pgoff_t first = vma->vm_pgoff - mapping->shown.map, index;
	vm_fault_t fault = VM_FAULT_NOPAGE;

	mapping->vma = vma;
	for (index = 0; index < vma_pages(vma) && fault == VM_FAULT_NOPAGE; index++)
		fault = vmf_insert_pfn_prot(vma, vma->vm_start + index * PAGE_SIZE,
					    mapping_pfn(&mapping->shown, first + index),
					    vma->vm_page_prot);
	return fault;
}

static vm_fault_t mapping_insert_ones(struct mapping *mapping, struct vm_fault *vmf)
{
	if (!mapping->page)
		mapping->page = firesteel_mapping_ones();
	if (!mapping->page)
		return VM_FAULT_OOM;
	return vmf_insert_pfn_prot(vmf->vma, vmf->address, page_to_pfn(mapping->page),
				   vm_get_page_prot(vmf->vma->vm_flags));
}

static vm_fault_t mapping_area_fault(struct vm_fault *vmf)
{
	struct mapping *mapping = vmf->vma->vm_private_data;
	vm_fault_t fault;

	mutex_lock(&mapping->all->lock);
	fault = mapping->revoked ? mapping_insert_ones(mapping, vmf)
				 : mapping_insert(mapping, vmf->vma);
	mutex_unlock(&mapping->all->lock);
	return fault;
}

static const struct firesteel_area_ops area_ops = {
	.FIRESTEEL_MAPPED = mapping_area_mapped,
	.vm.open = mapping_area_open,
	.vm.close = mapping_area_close,
	.vm.fault = mapping_area_fault,
};

/* ---- making them ---- */

int firesteel_mapping_page_check(phys_addr_t base)
{
	/* in a larger page there would be registers of the kernel's */
	if (PAGE_SHIFT > 12 || offset_in_page(base))
		return -EOPNOTSUPP;
	return 0;
}

int firesteel_mapping_create(struct uio_info *info, struct firesteel_new_area *new,
			     int (*map)(void *priv, struct firesteel_area *area))
{
	struct firesteel_area area = firesteel_area_of(new);
	int err;

	/* a private one would be a copy, which no core sees */
	if (!area.shared || area.executable)
		return -EINVAL;
	err = map(info->priv, &area);
	return err ?: firesteel_area_apply(&area, new);
}

static int mapping_make(struct firesteel_mappings *mappings, struct firesteel_area *area,
			const struct shown *shown)
{
	if (area->map >= MAX_UIO_MAPS)
		return -EINVAL;
	mutex_lock(&mappings->lock);
	mappings->shown[area->map] = *shown;
	mutex_unlock(&mappings->lock);
	area->registers = true;
	area->data = mappings;
	area->ops = &area_ops;
	return 0;
}

int firesteel_mapping_registers(struct firesteel_mappings *mappings, struct firesteel_area *area,
				phys_addr_t address)
{
	const struct shown shown = { .pfn = PHYS_PFN(address), .map = area->map };

	area->prot = pgprot_decrypted(pgprot_noncached(area->prot));
	return mapping_make(mappings, area, &shown);
}

int firesteel_mapping_buffer(struct firesteel_mappings *mappings, struct firesteel_area *area,
			     struct device *dev, void *buffer)
{
	const struct shown shown = { .memory = buffer, .map = area->map };

	/* as dma_mmap_coherent() does, which wants an area that exists */
	if (!dev_is_dma_coherent(dev))
		area->prot = pgprot_dmacoherent(area->prot);
	return mapping_make(mappings, area, &shown);
}

int firesteel_mapping_memory(struct firesteel_mappings *mappings, struct firesteel_area *area,
			     void *memory)
{
	const struct shown shown = { .memory = memory, .map = area->map };

	if (area->writable)
		return -EINVAL;
	area->read_only = true;
	return mapping_make(mappings, area, &shown);
}

/* ---- revoking them ---- */

/* An address space that has a mapping, with a reference; NULL: none is left */
static struct mm_struct *mapping_some_space(struct firesteel_mappings *mappings)
{
	struct mapping *mapping, *next;
	struct mm_struct *mm = NULL;

	mutex_lock(&mappings->lock);
	list_for_each_entry_safe(mapping, next, &mappings->present, node) {
		if (mmget_not_zero(mapping->mm)) {
			mm = mapping->mm;
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

	/* alone: munmap() frees page tables with the lock shared, before it closes the area */
	mmap_write_lock(mm);
	mutex_lock(&mappings->lock);
	list_for_each_entry_safe(mapping, next, &mappings->present, node) {
		if (mapping->mm != mm)
			continue;
		list_del_init(&mapping->node);
		mapping->revoked = true;
		if (mapping->vma)
			firesteel_area_zap(mapping->vma);
	}
	mutex_unlock(&mappings->lock);
	mmap_write_unlock(mm);
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
