/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between kernels, from Linux 5.10 on.  Macros that an older one lacks are here under
 * the kernel's own names.  All else has a name of the driver's, as older kernels may get it some
 * day.
 */
#ifndef FIRESTEEL_COMPAT_H
#define FIRESTEEL_COMPAT_H

#include <crypto/algapi.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/pm.h>
#include <linux/timer.h>
#include <linux/version.h>
#include <linux/workqueue.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
#include <linux/panic.h>
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#include <crypto/sha1.h>
#include <crypto/sha2.h>
#else
#include <crypto/sha.h>
#endif

/* ---- drivers ---- */

#ifndef pm_sleep_ptr /* before 5.17 */
#define pm_sleep_ptr(pm) (IS_ENABLED(CONFIG_PM_SLEEP) ? (pm) : NULL)
#define DEFINE_SIMPLE_DEV_PM_OPS(name, sleep, wake) \
	const struct dev_pm_ops name = {            \
		.suspend = (sleep),                 \
		.resume = (wake),                   \
		.freeze = (sleep),                  \
		.thaw = (wake),                     \
		.poweroff = (sleep),                \
		.restore = (wake),                  \
	}
#endif

#ifndef lockdep_assert_in_softirq /* before 5.11 */
#define lockdep_assert_in_softirq() ((void)0)
#endif

/* Before 6.2 it can be set again, which nobody does by then */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define firesteel_timer_shutdown timer_shutdown_sync
#else
#define firesteel_timer_shutdown del_timer_sync
#endif

/* A platform driver's remove() returned an int, which nobody read */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define firesteel_remove_result void
#define FIRESTEEL_REMOVE_RESULT
#else
#define firesteel_remove_result int
#define FIRESTEEL_REMOVE_RESULT 0
#endif

/* Before 5.14 the PCI bus left these attributes to the device model; now it replaces them there */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
#define FIRESTEEL_PCI_GROUPS dev_groups
#else
#define FIRESTEEL_PCI_GROUPS driver.dev_groups
#endif

/* Before 5.14 modules could only hint at it, which also sets it.  A hint must be withdrawn before
 * the interrupt is freed.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
#define firesteel_irq_set_affinity irq_set_affinity
#else
static inline void firesteel_irq_set_affinity(unsigned int irq, const struct cpumask *cpus)
{
	irq_set_affinity_hint(irq, cpus);
	irq_set_affinity_hint(irq, NULL);
}
#endif

/* ---- the crypto API ---- */

/* A request's callback gets its data; before 6.3 it got the request, which has them */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)

#define firesteel_completed void

static inline void *firesteel_completed_data(void *data)
{
	return data;
}

static inline void firesteel_complete(struct crypto_async_request *request, int result)
{
	crypto_request_complete(request, result);
}

#else

#define firesteel_completed struct crypto_async_request

static inline void *firesteel_completed_data(struct crypto_async_request *request)
{
	return request->data;
}

static inline void firesteel_complete(struct crypto_async_request *request, int result)
{
	request->complete(request, result);
}

#endif

/*
 * Since 6.16 the kernel opens its own software next to a driver's hash, for requests without a
 * list.  That software must hand out a state without a buffered block, which the kernel's cmac(aes)
 * of 7.2 cannot: no driver's cmac(aes) could be opened.  This driver has software of its own, and
 * nobody makes requests of cmac(aes) without a list.
 */
#ifdef CRYPTO_ALG_NO_FALLBACK
#define FIRESTEEL_OWN_FALLBACK CRYPTO_ALG_NO_FALLBACK
#else
#define FIRESTEEL_OWN_FALLBACK CRYPTO_ALG_NEED_FALLBACK
#endif

/* ---- work ---- */

/* Names of 6.17 for two queues, whose old ones newer kernels warn of */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define firesteel_wq         system_percpu_wq
#define firesteel_unbound_wq system_dfl_wq
#else
#define firesteel_wq         system_wq
#define firesteel_unbound_wq system_unbound_wq
#endif

/*
 * A work of system_bh_wq, which can be disabled since 6.10; before, a tasklet, which such works
 * replace.  Both are queued once, and run on the processor that has queued them, on one at a time.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)

#define firesteel_bh         work_struct
#define DECLARE_FIRESTEEL_BH DECLARE_WORK
#define firesteel_bh_init    INIT_WORK

static inline void firesteel_bh_queue(struct work_struct *bh)
{
	queue_work(system_bh_wq, bh);
}

/* Waits until it neither is queued nor runs; may sleep */
static inline void firesteel_bh_flush(struct work_struct *bh)
{
	flush_work(bh);
}

/* The same, and whoever queues it from here on has no effect */
static inline void firesteel_bh_disable(struct work_struct *bh)
{
	disable_work_sync(bh);
}

#else

#define firesteel_bh         tasklet_struct
#define DECLARE_FIRESTEEL_BH DECLARE_TASKLET
#define firesteel_bh_init    tasklet_setup

static inline void firesteel_bh_queue(struct tasklet_struct *bh)
{
	tasklet_schedule(bh);
}

static inline void firesteel_bh_flush(struct tasklet_struct *bh)
{
	while (test_bit(TASKLET_STATE_SCHED, &bh->state))
		usleep_range(10, 20);
	smp_rmb(); /* a tasklet begins to run before it ceases to be queued */
	while (test_bit(TASKLET_STATE_RUN, &bh->state))
		usleep_range(10, 20);
}

/* It stays queued, where nothing runs it */
static inline void firesteel_bh_disable(struct tasklet_struct *bh)
{
	while (test_and_set_bit(TASKLET_STATE_SCHED, &bh->state))
		usleep_range(10, 20);
	while (test_bit(TASKLET_STATE_RUN, &bh->state))
		usleep_range(10, 20);
}

#endif

/* ---- areas of address spaces ---- */

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define firesteel_vm_flags vm_flags_mod
#else
static inline void firesteel_vm_flags(struct vm_area_struct *vma, unsigned long set,
				      unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

/*
 * An area that is being made is a struct vm_area_struct or, since uio_info has mmap_prepare() in
 * the place of mmap() (7.1), a struct vm_area_desc.  The driver works on a struct firesteel_area,
 * which is read from it and applied to it.
 *
 * Nothing may be allocated or counted for an area before it is certain that it will be there.  Then
 * the kernel calls mapped(), since it has mmap_prepare(); before that, an area that mmap() does not
 * refuse is there.
 */

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
	firesteel_vm_flags(target,
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
