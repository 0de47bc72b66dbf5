/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between kernels, from Linux 6.12 on.
 *
 * An area of a program's address space that is being made is a struct vm_area_struct or, since
 * uio_info has mmap_prepare() in the place of mmap() (7.1), a struct vm_area_desc.  The driver
 * works on a struct firesteel_area, which is read from it and applied to it.
 *
 * Nothing may be allocated or counted for an area before it is certain that it will be there.  Then
 * the kernel calls mapped(), since it has mmap_prepare(); before that, an area that mmap() does not
 * refuse is there.
 */
#ifndef FIRESTEEL_COMPAT_H
#define FIRESTEEL_COMPAT_H

#include <linux/mm.h>
#include <linux/version.h>

/* Of areas; `vm` is the kernel's */
struct firesteel_area_ops {
	const struct vm_operations_struct vm;
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 1, 0)
	int (*mapped)(unsigned long start, unsigned long end, pgoff_t map, const struct file *file,
		      void **data);
#endif
};

struct firesteel_area {
	/* what the program asks for */
	pgoff_t map; /* its number */
	bool shared;
	bool writable;
	bool executable;
	/* what it gets */
	pgprot_t prot;
	bool registers; /* no memory that the kernel knows of is behind it */
	bool read_only;
	const struct firesteel_area_ops *ops;
	void *data; /* which mapped() may replace */
};

#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0)

#define FIRESTEEL_UIO_MMAP mmap_prepare
#define FIRESTEEL_MAPPED   vm.mapped
#define firesteel_new_area vm_area_desc

static inline struct firesteel_area firesteel_area_of(const struct vm_area_desc *target)
{
	return (struct firesteel_area){
		.map = target->pgoff,
		.shared = vma_desc_test(target, VMA_SHARED_BIT),
		.writable = vma_desc_test(target, VMA_WRITE_BIT),
		.executable = vma_desc_test(target, VMA_EXEC_BIT),
		.prot = target->page_prot,
	};
}

/* Returns 0 or a negative error number */
static inline int firesteel_area_apply(const struct firesteel_area *area,
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
	target->vm_ops = &area->ops->vm;
	target->private_data = area->data;
	return 0;
}

static inline void firesteel_area_zap(struct vm_area_struct *vma)
{
	zap_special_vma_range(vma, vma->vm_start, vma->vm_end - vma->vm_start);
}

#else

#define FIRESTEEL_UIO_MMAP mmap
#define FIRESTEEL_MAPPED   mapped
#define firesteel_new_area vm_area_struct

static inline struct firesteel_area firesteel_area_of(const struct vm_area_struct *target)
{
	return (struct firesteel_area){
		.map = target->vm_pgoff,
		.shared = target->vm_flags & VM_SHARED,
		.writable = target->vm_flags & VM_WRITE,
		.executable = target->vm_flags & VM_EXEC,
		.prot = target->vm_page_prot,
	};
}

static inline int firesteel_area_apply(const struct firesteel_area *area,
				       struct vm_area_struct *target)
{
	void *data = area->data;
	int err = area->ops->mapped(target->vm_start, target->vm_end, target->vm_pgoff,
				    target->vm_file, &data);

	if (err)
		return err;
	vm_flags_mod(target,
		     VM_IO | VM_WIPEONFORK | VM_DONTEXPAND | VM_DONTDUMP |
			     (area->registers ? VM_PFNMAP : 0),
		     VM_MAYEXEC | (area->read_only ? VM_MAYWRITE : 0));
	target->vm_page_prot = area->prot;
	target->vm_ops = &area->ops->vm;
	target->vm_private_data = data;
	return 0;
}

static inline void firesteel_area_zap(struct vm_area_struct *vma)
{
	zap_vma_ptes(vma, vma->vm_start, vma->vm_end - vma->vm_start);
}

#endif

#endif
