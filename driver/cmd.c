// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd.h"

#include <linux/dma-mapping.h>
#include <linux/highmem.h>

bool firesteel_backup = true;

/* ---- the caller's lists ---- */

static bool cmd_list_map(struct device *dev, struct firesteel_list *list, struct scatterlist *first,
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

static void cmd_list_unmap(struct device *dev, struct firesteel_list *list)
{
	if (list->mapped)
		dma_unmap_sg(dev, list->first, list->entries, list->direction);
	list->mapped = 0;
}

/* Like sg_copy_to_buffer(), which costs several times as much without high memory */
static bool cmd_copy_from(struct scatterlist *in, u8 *buffer, unsigned int bytes)
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
static bool cmd_back_up(struct firesteel_cmd *cmd, struct scatterlist *in, unsigned int bytes)
{
	if (!bytes || !(cmd->verified || (firesteel_backup && cmd->overlaps)))
		return true;
	if (bytes > FIRESTEEL_BACKUP_SIZE)
		return false;
	/* also if it fails: firesteel_cmd_cleanse() */
	cmd->backup_size = bytes;
	return cmd_copy_from(in, cmd->backup, bytes);
}

/* Two lists may refer to the same memory; then output replaces input as with one list */
static bool cmd_overlap(struct scatterlist *in, unsigned int in_bytes, struct scatterlist *out,
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

static bool cmd_map_both(struct firesteel_cmd *cmd, struct scatterlist *in, unsigned int in_bytes,
			 struct scatterlist *out, unsigned int out_bytes)
{
	struct device *dev = cmd->dev;

	/* the core may read again what it has written: authenc.c */
	return cmd_list_map(dev, &cmd->in, in, in_bytes, DMA_TO_DEVICE) &&
	       cmd_list_map(dev, &cmd->out, out, out_bytes, DMA_BIDIRECTIONAL);
}

bool firesteel_cmd_map(struct firesteel_cmd *cmd, struct scatterlist *in, unsigned int in_bytes,
		       struct scatterlist *out, unsigned int out_bytes)
{
	bool same = in == out;

	cmd->fetches = 0;
	cmd->pushes = 0;
	cmd->overflow = false;
	cmd->backup_size = 0;
	cmd->out.first = NULL;
	cmd->out.mapped = 0;
	cmd->overlaps = same || cmd_overlap(in, in_bytes, out, out_bytes);
	if (!cmd_back_up(cmd, in, in_bytes))
		return false;
	cmd->no_backup = cmd->overlaps && in_bytes && !cmd->backup_size;
	if (!same)
		return cmd_map_both(cmd, in, in_bytes, out, out_bytes);
	return cmd_list_map(cmd->dev, &cmd->in, in, max(in_bytes, out_bytes), DMA_BIDIRECTIONAL);
}

void firesteel_cmd_unmap(struct firesteel_cmd *cmd)
{
	struct device *dev = cmd->dev;

	cmd_list_unmap(dev, &cmd->in);
	cmd_list_unmap(dev, &cmd->out);
}

static const struct firesteel_list *cmd_output(const struct firesteel_cmd *cmd)
{
	return cmd->out.first ? &cmd->out : &cmd->in;
}

static bool cmd_list_differs(const struct firesteel_list *list, const u8 *right, unsigned int size)
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

bool firesteel_cmd_replace(struct firesteel_cmd *cmd, const u8 *right, unsigned int size)
{
	const struct firesteel_list *list = cmd_output(cmd);

	if (!cmd_list_differs(list, right, size))
		return false;
	sg_copy_from_buffer(list->first, list->entries, right, size);
	return true;
}

void firesteel_cmd_restore(struct firesteel_cmd *cmd)
{
	if (cmd->backup_size && cmd->overlaps)
		sg_copy_from_buffer(cmd->in.first, cmd->in.entries, cmd->backup, cmd->backup_size);
}

/* ---- descriptors ---- */

static dma_addr_t cmd_descriptor_address(const struct firesteel_cmd *cmd, unsigned int offset,
					 unsigned int index)
{
	return cmd->address + offset + index * sizeof(struct silex_descriptor);
}

static void cmd_descriptor_set(struct silex_descriptor *descriptor, dma_addr_t address,
			       dma_addr_t next, u32 length, u32 tag)
{
	descriptor->addr = cpu_to_le32(address);
	descriptor->next = cpu_to_le32(next);
	descriptor->length = cpu_to_le32(length);
	descriptor->tag = cpu_to_le32(tag);
}

/* Adds a descriptor to the list of `count` at `offset` of the arena; returns the new count */
static unsigned int cmd_append(struct firesteel_cmd *cmd, struct silex_descriptor *list,
			       unsigned int offset, unsigned int count, dma_addr_t address,
			       u32 length, u32 tag)
{
	if (count == FIRESTEEL_DESCRIPTORS) {
		cmd->overflow = true;
		return count;
	}
	cmd_descriptor_set(&list[count], address, cmd_descriptor_address(cmd, offset, count + 1),
			   length, tag);
	return count + 1;
}

void firesteel_cmd_fetch(struct firesteel_cmd *cmd, dma_addr_t address, unsigned int size,
			 u32 flags, u32 tag)
{
	cmd->fetches = cmd_append(cmd, cmd->arena->fetch, offsetof(struct firesteel_arena, fetch),
				  cmd->fetches, address, size | flags, tag);
}

void firesteel_cmd_push(struct firesteel_cmd *cmd, dma_addr_t address, unsigned int size, u32 flags)
{
	cmd->pushes = cmd_append(cmd, cmd->arena->push, offsetof(struct firesteel_arena, push),
				 cmd->pushes, address, size | flags, 0);
}

void firesteel_cmd_push_discard(struct firesteel_cmd *cmd, unsigned int size)
{
	if (size)
		firesteel_cmd_push(cmd, 0, size, SILEX_LEN_DISCARD);
}

/* Calls `each` for the pieces of a mapped list that make up `size` bytes from `skip` on */
static void cmd_list_walk(struct firesteel_cmd *cmd, const struct firesteel_list *list,
			  unsigned int skip, unsigned int size, u32 tag,
			  void (*each)(struct firesteel_cmd *cmd, dma_addr_t address,
				       unsigned int size, u32 tag))
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
		each(cmd, sg_dma_address(entry) + skip, part, tag);
		size -= part;
		skip = 0;
	}
}

static void cmd_fetch_part(struct firesteel_cmd *cmd, dma_addr_t address, unsigned int size,
			   u32 tag)
{
	firesteel_cmd_fetch(cmd, address, size, 0, tag);
}

static void cmd_push_part(struct firesteel_cmd *cmd, dma_addr_t address, unsigned int size, u32 tag)
{
	firesteel_cmd_push(cmd, address, size, 0);
}

void firesteel_cmd_fetch_list(struct firesteel_cmd *cmd, unsigned int skip, unsigned int size,
			      u32 tag)
{
	cmd_list_walk(cmd, &cmd->in, skip, size, tag, cmd_fetch_part);
}

void firesteel_cmd_fetch_output(struct firesteel_cmd *cmd, unsigned int skip, unsigned int size,
				u32 tag)
{
	cmd_list_walk(cmd, cmd_output(cmd), skip, size, tag, cmd_fetch_part);
}

void firesteel_cmd_push_list(struct firesteel_cmd *cmd, unsigned int skip, unsigned int size)
{
	cmd_list_walk(cmd, cmd_output(cmd), skip, size, 0, cmd_push_part);
}

/* The last descriptor of an item realigns, and carries LAST */
void firesteel_cmd_fetch_end(struct firesteel_cmd *cmd, unsigned int size, unsigned int unit,
			     u32 tag)
{
	unsigned int invalid = size ? firesteel_padding(size, unit) : unit;
	struct silex_descriptor *last;

	if (invalid) {
		firesteel_cmd_fetch_arena(cmd, padding, invalid, tag | SILEX_TAG_INVALID(invalid));
		return;
	}
	last = &cmd->arena->fetch[cmd->fetches - 1];
	last->length |= cpu_to_le32(SILEX_LEN_REALIGN);
	last->tag |= cpu_to_le32(tag);
}

bool firesteel_cmd_close(struct firesteel_cmd *cmd)
{
	if (cmd->overflow || !cmd->fetches || !cmd->pushes)
		return false;
	cmd->arena->fetch[cmd->fetches - 1].next = cpu_to_le32(SILEX_NEXT_STOP);
	cmd->arena->push[cmd->pushes - 1].next = cpu_to_le32(SILEX_NEXT_STOP);
	cmd->arena->push[cmd->pushes - 1].length |= cpu_to_le32(SILEX_LEN_IRQ);
	return true;
}

/* ---- items that several classes of requests share ---- */

#define AES_CONFIG(offset) (SILEX_ENGINE_AES | SILEX_TAG_CONFIG | SILEX_TAG_OFFSET(offset))
#define HASH_KEY           (SILEX_ENGINE_HASH | SILEX_TAG_TYPE(SILEX_HASH_DATA_KEY))

/* Some cores take the key's size from the word, some from the item's length */
static u32 cmd_key_bits(unsigned int size)
{
	switch (size) {
	case 16:
		return SILEX_AES_KEY_128;
	case 24:
		return SILEX_AES_KEY_192;
	default:
		return SILEX_AES_KEY_256;
	}
}

void firesteel_cmd_configure_aes(struct firesteel_cmd *cmd, u32 mode, unsigned int key_size,
				 bool decrypt)
{
	unsigned int begin = cmd->fetches;

	cmd->arena->word = cpu_to_le32(mode | cmd_key_bits(key_size) |
				       (decrypt ? SILEX_AES_DECRYPT : 0));
	if (!begin && cmd->prefix) {
		cmd->fetches = cmd->prefix;
		return;
	}
	firesteel_cmd_fetch_arena(cmd, word, sizeof(cmd->arena->word),
				  AES_CONFIG(SILEX_AES_CONFIG));
	firesteel_cmd_fetch_arena(cmd, keys.aes, key_size, AES_CONFIG(SILEX_AES_KEY));
	if (mode == SILEX_AES_MODE_XTS)
		firesteel_cmd_fetch_arena(cmd, keys.aes2, key_size, AES_CONFIG(SILEX_AES_KEY2));
	if (!begin)
		cmd->prefix = cmd->fetches;
}

void firesteel_cmd_iv(struct firesteel_cmd *cmd, const u8 *iv)
{
	memcpy(cmd->arena->iv, iv, FIRESTEEL_BLOCK);
	firesteel_cmd_fetch_arena(cmd, iv, FIRESTEEL_BLOCK, AES_CONFIG(SILEX_AES_IV));
}

void firesteel_cmd_crypt(struct firesteel_cmd *cmd, unsigned int skip, unsigned int size, u32 tag)
{
	firesteel_cmd_fetch_list(cmd, skip, size, SILEX_ENGINE_AES);
	firesteel_cmd_fetch_end(cmd, size, FIRESTEEL_BLOCK, SILEX_ENGINE_AES | tag);
	firesteel_cmd_push_list(cmd, skip, size);
	firesteel_cmd_push_discard(cmd, firesteel_padding(size, FIRESTEEL_BLOCK));
}

void firesteel_cmd_configure_hash(struct firesteel_cmd *cmd, u32 algorithm, bool hmac,
				  unsigned int key_size)
{
	/* they replace the descriptors of an AES key */
	if (!cmd->fetches)
		cmd->prefix = 0;
	cmd->arena->hash_word = cpu_to_le32(algorithm | SILEX_HASH_PAD | SILEX_HASH_FINAL |
					    (hmac ? SILEX_HASH_HMAC : 0));
	firesteel_cmd_fetch_arena(cmd, hash_word, sizeof(cmd->arena->hash_word),
				  SILEX_ENGINE_HASH | SILEX_TAG_CONFIG);
	if (!hmac)
		return;
	if (key_size)
		firesteel_cmd_fetch(cmd, cmd->address + offsetof(struct firesteel_arena, keys.mac),
				    key_size, 0, HASH_KEY);
	firesteel_cmd_fetch_end(cmd, key_size, SILEX_HASH_WORD, HASH_KEY | SILEX_TAG_LAST);
}
