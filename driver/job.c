// SPDX-License-Identifier: GPL-2.0-or-later
#include "job.h"

#include <linux/dma-mapping.h>
#include <linux/highmem.h>

#include "device.h"

/* ---- the caller's lists ---- */

static bool list_map(struct device *dev, struct firesteel_list *list, struct scatterlist *first,
		     unsigned int bytes, enum dma_data_direction direction)
{
	int entries = bytes ? sg_nents_for_len(first, bytes) : 0;

	list->first = NULL;
	list->mapped = 0;
	list->direction = direction;
	if (entries < 0)
		return false;
	if (entries == 0)
		return true;
	list->mapped = dma_map_sg(dev, first, entries, direction);
	if (!list->mapped)
		return false;
	list->first = first;
	list->entries = entries;
	return true;
}

static void list_unmap(struct device *dev, struct firesteel_list *list)
{
	if (list->mapped)
		dma_unmap_sg(dev, list->first, list->entries, list->direction);
	list->mapped = 0;
}

/* Like sg_copy_to_buffer(), which costs several times as much without high memory */
static bool copy_from(struct scatterlist *in, u8 *buffer, unsigned int bytes)
{
	struct scatterlist *entry;
	unsigned int done = 0;

	for (entry = in; done < bytes; entry = sg_next(entry)) {
		unsigned int part;

		if (!entry)
			return false;
		if (PageHighMem(sg_page(entry)))
			return sg_copy_to_buffer(in, sg_nents(in), buffer, bytes) == bytes;
		part = min(bytes - done, entry->length);
		memcpy(buffer + done, sg_virt(entry), part);
		done += part;
	}
	return true;
}

/* Backs up what will be overwritten, so that a fault cannot lose it */
static bool back_up(struct firesteel_job *job, struct scatterlist *in, unsigned int bytes)
{
	if (!bytes || !(job->verified || (firesteel_backup && job->overlaps)))
		return true;
	if (bytes > FIRESTEEL_BACKUP_SIZE)
		return false;
	/* also if it fails: firesteel_job_cleanse() */
	job->backup_size = bytes;
	return copy_from(in, job->backup, bytes);
}

/* Two lists may refer to the same memory; then output replaces input as with one list */
static bool overlap(struct scatterlist *in, unsigned int in_bytes, struct scatterlist *out,
		    unsigned int out_bytes)
{
	struct scatterlist *a, *b;
	unsigned int left, rest;

	for (a = in, left = in_bytes; a && left; left -= min(left, a->length), a = sg_next(a))
		for (b = out, rest = out_bytes; b && rest;
		     rest -= min(rest, b->length), b = sg_next(b))
			if (sg_phys(a) < sg_phys(b) + b->length &&
			    sg_phys(b) < sg_phys(a) + a->length)
				return true;
	return false;
}

static bool map_both(struct firesteel_job *job, struct scatterlist *in, unsigned int in_bytes,
		     struct scatterlist *out, unsigned int out_bytes)
{
	struct device *dev = job->queue->device->dev;

	/* the core may read again what it has written: authenc.c */
	return list_map(dev, &job->in, in, in_bytes, DMA_TO_DEVICE) &&
	       list_map(dev, &job->out, out, out_bytes, DMA_BIDIRECTIONAL);
}

bool firesteel_job_map(struct firesteel_job *job, struct scatterlist *in, unsigned int in_bytes,
		       struct scatterlist *out, unsigned int out_bytes)
{
	bool same = in == out;

	job->fetches = 0;
	job->pushes = 0;
	job->overflow = false;
	job->backup_size = 0;
	job->out.first = NULL;
	job->out.mapped = 0;
	job->overlaps = same || overlap(in, in_bytes, out, out_bytes);
	if (!back_up(job, in, in_bytes))
		return false;
	job->no_backup = job->overlaps && in_bytes && !job->backup_size;
	if (!same)
		return map_both(job, in, in_bytes, out, out_bytes);
	return list_map(job->queue->device->dev, &job->in, in, max(in_bytes, out_bytes),
			DMA_BIDIRECTIONAL);
}

void firesteel_job_unmap(struct firesteel_job *job)
{
	struct device *dev = job->queue->device->dev;

	list_unmap(dev, &job->in);
	list_unmap(dev, &job->out);
}

static const struct firesteel_list *output(const struct firesteel_job *job)
{
	return job->out.first ? &job->out : &job->in;
}

static bool differs(const struct firesteel_list *list, const u8 *right, unsigned int size)
{
	struct sg_mapping_iter piece;
	bool other = false;

	sg_miter_start(&piece, list->first, list->entries, SG_MITER_FROM_SG | SG_MITER_ATOMIC);
	while (size && !other && sg_miter_next(&piece)) {
		unsigned int part = min_t(unsigned int, size, piece.length);

		other = memcmp(piece.addr, right, part);
		right += part;
		size -= part;
	}
	sg_miter_stop(&piece);
	return other;
}

bool firesteel_job_replace(struct firesteel_job *job, const u8 *right, unsigned int size)
{
	const struct firesteel_list *list = output(job);

	if (!differs(list, right, size))
		return false;
	sg_copy_from_buffer(list->first, list->entries, right, size);
	return true;
}

void firesteel_job_restore(struct firesteel_job *job)
{
	if (job->backup_size && job->overlaps)
		sg_copy_from_buffer(job->in.first, job->in.entries, job->backup, job->backup_size);
}

void firesteel_job_cleanse(struct firesteel_job *job)
{
	if (job->backup_size && !job->ciphertext)
		memzero_explicit(job->backup, job->backup_size);
	job->backup_size = 0;
}

/* ---- descriptors ---- */

static dma_addr_t descriptor_address(const struct firesteel_job *job, unsigned int offset,
				     unsigned int index)
{
	return job->address + offset + index * sizeof(struct silex_descriptor);
}

static void descriptor_set(struct silex_descriptor *descriptor, dma_addr_t address, dma_addr_t next,
			   u32 length, u32 tag)
{
	descriptor->addr = cpu_to_le32(address);
	descriptor->next = cpu_to_le32(next);
	descriptor->length = cpu_to_le32(length);
	descriptor->tag = cpu_to_le32(tag);
}

/* Adds a descriptor to the list of `count` at `offset` of the arena; returns the new count */
static unsigned int append(struct firesteel_job *job, struct silex_descriptor *list,
			   unsigned int offset, unsigned int count, dma_addr_t address, u32 length,
			   u32 tag)
{
	if (count == FIRESTEEL_DESCRIPTORS) {
		job->overflow = true;
		return count;
	}
	descriptor_set(&list[count], address, descriptor_address(job, offset, count + 1), length,
		       tag);
	return count + 1;
}

void firesteel_job_fetch(struct firesteel_job *job, dma_addr_t address, unsigned int size,
			 u32 flags, u32 tag)
{
	job->fetches = append(job, job->arena->fetch, offsetof(struct firesteel_arena, fetch),
			      job->fetches, address, size | flags, tag);
}

void firesteel_job_push(struct firesteel_job *job, dma_addr_t address, unsigned int size, u32 flags)
{
	job->pushes = append(job, job->arena->push, offsetof(struct firesteel_arena, push),
			     job->pushes, address, size | flags, 0);
}

void firesteel_job_push_discard(struct firesteel_job *job, unsigned int size)
{
	if (size)
		firesteel_job_push(job, 0, size, SILEX_LEN_DISCARD);
}

/* Calls `each` for the pieces of a mapped list that make up `size` bytes from `skip` on */
static void list_walk(struct firesteel_job *job, const struct firesteel_list *list,
		      unsigned int skip, unsigned int size, u32 tag,
		      void (*each)(struct firesteel_job *job, dma_addr_t address, unsigned int size,
				   u32 tag))
{
	struct scatterlist *entry = list->first;
	unsigned int left;

	for (left = list->mapped; left && size; left--, entry = sg_next(entry)) {
		unsigned int length = sg_dma_len(entry);
		unsigned int part;

		if (skip >= length) {
			skip -= length;
			continue;
		}
		part = min(length - skip, size);
		each(job, sg_dma_address(entry) + skip, part, tag);
		size -= part;
		skip = 0;
	}
}

static void fetch_part(struct firesteel_job *job, dma_addr_t address, unsigned int size, u32 tag)
{
	firesteel_job_fetch(job, address, size, 0, tag);
}

static void push_part(struct firesteel_job *job, dma_addr_t address, unsigned int size, u32 tag)
{
	firesteel_job_push(job, address, size, 0);
}

void firesteel_job_fetch_list(struct firesteel_job *job, unsigned int skip, unsigned int size,
			      u32 tag)
{
	list_walk(job, &job->in, skip, size, tag, fetch_part);
}

void firesteel_job_fetch_output(struct firesteel_job *job, unsigned int skip, unsigned int size,
				u32 tag)
{
	list_walk(job, output(job), skip, size, tag, fetch_part);
}

void firesteel_job_push_list(struct firesteel_job *job, unsigned int skip, unsigned int size)
{
	list_walk(job, output(job), skip, size, 0, push_part);
}

/* The last descriptor of an item realigns, and carries LAST */
void firesteel_job_fetch_end(struct firesteel_job *job, unsigned int size, unsigned int unit,
			     u32 tag)
{
	unsigned int invalid = size ? firesteel_padding(size, unit) : unit;
	struct silex_descriptor *last;

	if (invalid) {
		firesteel_job_fetch_arena(job, padding, invalid, tag | SILEX_TAG_INVALID(invalid));
		return;
	}
	last = &job->arena->fetch[job->fetches - 1];
	last->length |= cpu_to_le32(SILEX_LEN_REALIGN);
	last->tag |= cpu_to_le32(tag);
}

bool firesteel_job_close(struct firesteel_job *job)
{
	if (job->overflow || !job->fetches || !job->pushes)
		return false;
	job->arena->fetch[job->fetches - 1].next = cpu_to_le32(SILEX_NEXT_STOP);
	job->arena->push[job->pushes - 1].next = cpu_to_le32(SILEX_NEXT_STOP);
	job->arena->push[job->pushes - 1].length |= cpu_to_le32(SILEX_LEN_IRQ);
	return true;
}
