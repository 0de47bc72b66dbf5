/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between kernels, from Linux 6.12 on.
 *
 * An area of a program's address space that is being made is a struct vm_area_struct or, since
 * uio_info has mmap_prepare() in the place of mmap() (7.1), a struct vm_area_desc.  The driver
 * works on a struct firesteel_area, which is read from it and applied to it.
 */
#ifndef FIRESTEEL_COMPAT_H
#define FIRESTEEL_COMPAT_H

#include <linux/mm.h>
#include <linux/version.h>

struct firesteel_area {
	/* what the program asks for */
	struct mm_struct *mm;
	pgoff_t map; /* its number */
	bool shared;
	bool writable;
	bool executable;
	/* what it gets */
	pgprot_t prot;
	bool registers; /* no memory that the kernel knows of is behind it */
	bool read_only;
	const struct vm_operations_struct *ops;
	void *data;
};

#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0)

#define FIRESTEEL_UIO_MMAP mmap_prepare
#define firesteel_new_area vm_area_desc

static inline struct firesteel_area firesteel_area_of(const struct vm_area_desc *target)
{
	return (struct firesteel_area){
		.mm = target->mm,
		.map = target->pgoff,
		.shared = vma_desc_test(target, VMA_SHARED_BIT),
		.writable = vma_desc_test(target, VMA_WRITE_BIT),
		.executable = vma_desc_test(target, VMA_EXEC_BIT),
		.prot = target->page_prot,
	};
}

static inline void firesteel_area_apply(const struct firesteel_area *area,
					struct vm_area_desc *target)
{
	vma_desc_set_flags(target, VMA_IO_BIT, VMA_WIPEONFORK_BIT, VMA_DONTEXPAND_BIT,
			   VMA_DONTDUMP_BIT);
	if (area->registers)
		vma_desc_set_flags(target, VMA_PFNMAP_BIT);
	vma_desc_clear_flags(target, VMA_MAYEXEC_BIT);
	if (area->read_only)
		vma_desc_clear_flags(target, VMA_MAYWRITE_BIT);
	target->page_prot = area->prot;
	target->vm_ops = area->ops;
	target->private_data = area->data;
}

static inline void firesteel_area_zap(struct vm_area_struct *vma)
{
	zap_special_vma_range(vma, vma->vm_start, vma->vm_end - vma->vm_start);
}

#else

#define FIRESTEEL_UIO_MMAP mmap
#define firesteel_new_area vm_area_struct

static inline struct firesteel_area firesteel_area_of(const struct vm_area_struct *target)
{
	return (struct firesteel_area){
		.mm = target->vm_mm,
		.map = target->vm_pgoff,
		.shared = target->vm_flags & VM_SHARED,
		.writable = target->vm_flags & VM_WRITE,
		.executable = target->vm_flags & VM_EXEC,
		.prot = target->vm_page_prot,
	};
}

static inline void firesteel_area_apply(const struct firesteel_area *area,
					struct vm_area_struct *target)
{
	vm_flags_mod(target,
		     VM_IO | VM_WIPEONFORK | VM_DONTEXPAND | VM_DONTDUMP |
			     (area->registers ? VM_PFNMAP : 0),
		     VM_MAYEXEC | (area->read_only ? VM_MAYWRITE : 0));
	target->vm_page_prot = area->prot;
	target->vm_ops = area->ops;
	target->vm_private_data = area->data;
}

static inline void firesteel_area_zap(struct vm_area_struct *vma)
{
	zap_vma_ptes(vma, vma->vm_start, vma->vm_end - vma->vm_start);
}

#endif

#endif
