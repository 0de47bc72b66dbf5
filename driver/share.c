// SPDX-License-Identifier: GPL-2.0-or-later
#include "share.h"

#include <linux/kref.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "compat.h"
#include "mapping.h"

/* What the page's slot cannot be trusted with */
struct slot {
	struct mm_struct *mm; /* NULL: free */
	unsigned int areas; /* that map the page there */
	u32 name; /* that its process has given it; 0: none yet */
};

struct firesteel_share {
	struct kref users; /* the device, and each area that maps the page */
	struct mutex lock; /* of all below; nests in mmap_lock */
	struct page *page;
	struct silex_share *words; /* what lies in it */
	struct slot slots[SILEX_SHARE_SLOTS];
	u32 generation; /* what the page shall show */
	u32 takes; /* see firesteel_share_takes() */
	struct firesteel_share_counts counts;
	void (*changed)(void *context, bool orphaned); /* NULL: the device is gone */
	void *context;
};

static_assert(sizeof(struct silex_share) <= PAGE_SIZE);

/* ---- life ---- */

struct firesteel_share *
firesteel_share_new(u32 flags, void (*changed)(void *context, bool orphaned), void *context)
{
	struct firesteel_share *share = kzalloc(sizeof(*share), GFP_KERNEL);

	if (!share)
		return NULL;
	share->page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!share->page) {
		kfree(share);
		return NULL;
	}
	kref_init(&share->users);
	mutex_init(&share->lock);
	share->words = page_address(share->page);
	share->words->version = SILEX_SHARE_VERSION;
	share->words->flags = flags;
	share->changed = changed;
	share->context = context;
	return share;
}

static void share_release(struct kref *users)
{
	struct firesteel_share *share = container_of(users, struct firesteel_share, users);

	mutex_destroy(&share->lock);
	put_page(share->page);
	kfree(share);
}

void firesteel_share_close(struct firesteel_share *share)
{
	struct silex_share *words = share->words;

	mutex_lock(&share->lock);
	share->changed = NULL;
	WRITE_ONCE(words->state, SILEX_SHARE_GONE);
	/* programs that still find it ready saw the old generation, and will see the new */
	smp_store_release(&words->generation, ++share->generation);
	WRITE_ONCE(words->owner, SILEX_SHARE_KERNEL);
	mutex_unlock(&share->lock);
}

void firesteel_share_put(struct firesteel_share *share)
{
	if (share)
		kref_put(&share->users, share_release);
}

/* ---- the lock, as silex/share.h has it ---- */

static bool share_is_ticket(u32 owner)
{
	return owner & 1;
}

/* Whether a process has that ticket */
static bool share_is_held(const struct silex_share *words, u32 ticket)
{
	unsigned int i;

	for (i = 0; i < SILEX_SHARE_SLOTS; i++)
		if (READ_ONCE(words->slots[i].ticket) == ticket)
			return true;
	return false;
}

/* If nobody has the ticket that owns the lock: the kernel owns it now */
static bool share_take_orphan(struct firesteel_share *share)
{
	struct silex_share *words = share->words;
	u32 owner = READ_ONCE(words->owner);

	lockdep_assert_held(&share->lock);
	if (owner == SILEX_SHARE_FREE || owner == SILEX_SHARE_KERNEL ||
	    (share_is_ticket(owner) && share_is_held(words, owner)) ||
	    cmpxchg(&words->owner, owner, SILEX_SHARE_KERNEL) != owner)
		return false;
	share->counts.orphans++;
	share->takes++;
	return true;
}

/* The ticket that has waited for longest; FREE: nobody waits */
static u32 share_oldest(const struct silex_share *words)
{
	u32 next = READ_ONCE(words->next_ticket), best = SILEX_SHARE_FREE;
	unsigned int i;

	for (i = 0; i < SILEX_SHARE_SLOTS; i++) {
		u32 ticket;

		/* a slot that waits has its ticket */
		if (!smp_load_acquire(&words->slots[i].waits))
			continue;
		ticket = READ_ONCE(words->slots[i].ticket);
		if (share_is_ticket(ticket) &&
		    (best == SILEX_SHARE_FREE || next - ticket > next - best))
			best = ticket;
	}
	return best;
}

u32 firesteel_share_takes(struct firesteel_share *share)
{
	u32 takes;

	mutex_lock(&share->lock);
	takes = share->takes;
	mutex_unlock(&share->lock);
	return takes;
}

void firesteel_share_hand_on(struct firesteel_share *share, u32 takes)
{
	struct silex_share *words = share->words;
	u32 owner = SILEX_SHARE_KERNEL;
	unsigned int tries;

	mutex_lock(&share->lock);
	if (!share->changed || share->takes != takes)
		goto out;
	WRITE_ONCE(words->generation, ++share->generation);
	/* a program that sees the state also sees the generation */
	smp_store_release(&words->state, SILEX_SHARE_READY);
	/* each slot's process can give up just when its turn comes; then nobody owns the lock */
	for (tries = 0; tries <= SILEX_SHARE_SLOTS; tries++) {
		u32 next = tries < SILEX_SHARE_SLOTS ? share_oldest(words) : SILEX_SHARE_FREE;

		if (cmpxchg(&words->owner, owner, next) != owner || next == SILEX_SHARE_FREE ||
		    share_is_held(words, next))
			break;
		owner = next;
	}
out:
	mutex_unlock(&share->lock);
}

void firesteel_share_set_state(struct firesteel_share *share, u32 state)
{
	mutex_lock(&share->lock);
	if (share->changed)
		WRITE_ONCE(share->words->state, state);
	mutex_unlock(&share->lock);
}

/* ---- slots ---- */

static struct slot *share_slot_of(struct firesteel_share *share, const struct mm_struct *mm)
{
	unsigned int i;

	lockdep_assert_held(&share->lock);
	for (i = 0; i < SILEX_SHARE_SLOTS; i++)
		if (share->slots[i].mm == mm)
			return &share->slots[i];
	return NULL;
}

static bool share_has_name(const struct firesteel_share *share, u32 name)
{
	unsigned int i;

	for (i = 0; i < SILEX_SHARE_SLOTS; i++)
		if (share->slots[i].mm && share->slots[i].name == name)
			return true;
	return false;
}

static struct silex_share_slot *share_words_of(struct firesteel_share *share,
					       const struct slot *slot)
{
	return &share->words->slots[slot - share->slots];
}

static void share_slot_clear(struct silex_share_slot *words)
{
	WRITE_ONCE(words->waits, SILEX_SHARE_NO);
	WRITE_ONCE(words->ticket, 0);
	WRITE_ONCE(words->name, 0);
}

/* A slot for the caller, its first; returns 0 or a negative error number */
static int share_slot_get(struct firesteel_share *share, struct mm_struct *mm)
{
	struct slot *slot = share_slot_of(share, NULL);

	lockdep_assert_held(&share->lock);
	if (!slot)
		return -ENOSPC;
	share->counts.slots++;
	share->counts.joined++;
	slot->mm = mm;
	slot->areas = 1;
	slot->name = 0;
	share_slot_clear(share_words_of(share, slot));
	return 0;
}

/* The last area that mapped the page there is gone: its program has ended, or unmapped it */
static void share_slot_leave(struct firesteel_share *share, struct slot *slot)
{
	struct silex_share_slot *words = share_words_of(share, slot);
	bool used = READ_ONCE(words->ticket);
	bool orphaned;

	lockdep_assert_held(&share->lock);
	share_slot_clear(words);
	/* whoever hands the lock to this slot now reads its ticket later: one sees the other */
	smp_mb();
	slot->mm = NULL;
	share->counts.deaths += used;
	share->counts.slots--;
	if (!share->changed)
		return;
	orphaned = share_take_orphan(share);
	if (used || orphaned)
		share->changed(share->context, orphaned);
}

int firesteel_share_join(struct firesteel_share *share, u32 name)
{
	struct slot *slot;
	int err = 0;

	mutex_lock(&share->lock);
	slot = current->mm ? share_slot_of(share, current->mm) : NULL;
	if (!slot) {
		err = -EPERM;
	} else if (share_has_name(share, name)) {
		err = -EEXIST;
	} else {
		slot->name = name;
		WRITE_ONCE(share_words_of(share, slot)->name, name);
	}
	mutex_unlock(&share->lock);
	return err;
}

int firesteel_share_give_up(struct firesteel_share *share)
{
	struct silex_share *words = share->words;
	int err = -EPERM;
	struct slot *slot;
	u32 ticket;

	mutex_lock(&share->lock);
	slot = current->mm ? share_slot_of(share, current->mm) : NULL;
	ticket = slot ? READ_ONCE(share_words_of(share, slot)->ticket) : 0;
	if (share_is_ticket(ticket) &&
	    cmpxchg(&words->owner, ticket, SILEX_SHARE_KERNEL) == ticket) {
		WRITE_ONCE(share_words_of(share, slot)->ticket, 0);
		share->takes++;
		err = 0;
	}
	mutex_unlock(&share->lock);
	return err;
}

static void share_seize(struct firesteel_share *share)
{
	lockdep_assert_held(&share->lock);
	WRITE_ONCE(share->words->owner, SILEX_SHARE_KERNEL);
	share->takes++;
}

void firesteel_share_seize(struct firesteel_share *share)
{
	mutex_lock(&share->lock);
	share_seize(share);
	WRITE_ONCE(share->words->next_ticket, 0);
	mutex_unlock(&share->lock);
}

void firesteel_share_interrupt(struct firesteel_share *share)
{
	mutex_lock(&share->lock);
	if (share->changed) {
		WRITE_ONCE(share->words->state, SILEX_SHARE_FAULT);
		/* programs that still find it ready saw the old generation, and will see the new */
		smp_store_release(&share->words->generation, ++share->generation);
		share_seize(share);
	}
	mutex_unlock(&share->lock);
}

struct firesteel_share_counts firesteel_share_counts(struct firesteel_share *share)
{
	struct firesteel_share_counts counts;

	mutex_lock(&share->lock);
	counts = share->counts;
	mutex_unlock(&share->lock);
	return counts;
}

/* ---- areas of programs that map the page ---- */

static void share_area_open(struct vm_area_struct *vma)
{
	struct firesteel_share *share = vma->vm_private_data;
	struct slot *slot;

	if (!share)
		return;
	mutex_lock(&share->lock);
	slot = share_slot_of(share, vma->vm_mm);
	/* a child has no slot by what it inherits, and must not see the page */
	if (!slot) {
		vma->vm_private_data = NULL;
		firesteel_vm_flags(vma, VM_WIPEONFORK, 0);
	} else {
		kref_get(&share->users);
		slot->areas++;
	}
	mutex_unlock(&share->lock);
}

/* Also when a program exits, for whatever reason: its mappings are gone by now */
static void share_area_close(struct vm_area_struct *vma)
{
	struct firesteel_share *share = vma->vm_private_data;
	struct slot *slot;

	if (!share)
		return;
	mutex_lock(&share->lock);
	slot = share_slot_of(share, vma->vm_mm);
	if (!--slot->areas)
		share_slot_leave(share, slot);
	mutex_unlock(&share->lock);
	kref_put(&share->users, share_release);
}

static vm_fault_t share_area_fault(struct vm_fault *vmf)
{
	struct firesteel_share *share = vmf->vma->vm_private_data;

	if (share) {
		get_page(share->page);
		vmf->page = share->page;
	} else {
		vmf->page = firesteel_mapping_ones();
	}
	return vmf->page ? 0 : VM_FAULT_OOM;
}

/* An area is there: it needs a slot */
static int share_area_mapped(unsigned long start, unsigned long end, pgoff_t map,
			     const struct file *file, void **data)
{
	struct firesteel_share *share = *data;
	struct slot *slot;
	int err = 0;

	mutex_lock(&share->lock);
	slot = share_slot_of(share, current->mm);
	if (slot)
		slot->areas++;
	else
		err = share_slot_get(share, current->mm);
	if (!err)
		kref_get(&share->users);
	else
		share->counts.refused++;
	mutex_unlock(&share->lock);
	return err;
}

static const struct firesteel_area_ops area_ops = {
	.FIRESTEEL_MAPPED = share_area_mapped,
	.vm.open = share_area_open,
	.vm.close = share_area_close,
	.vm.fault = share_area_fault,
};

void firesteel_share_mmap(struct firesteel_share *share, struct firesteel_area *area)
{
	area->data = share;
	area->ops = &area_ops;
}
