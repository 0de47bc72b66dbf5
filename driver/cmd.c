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
		if (firesteel_is_in_high_memory(entry))
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
	if (!bytes || !(cmd->verified || (READ_ONCE(firesteel_backup) && cmd->overlaps)))
		return true;
	if (bytes > FIRESTEEL_BACKUP_SIZE)
		return false;
	cmd->backup = cmd->backup_memory;
	if (bytes <= FIRESTEEL_BACKUP_SMALL)
		cmd->backup += cmd->backup_start;
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

	silex_list_keep(&cmd->fetch, 0);
	silex_list_keep(&cmd->push, 0);
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

/* Adds the pieces of a mapped list that make up `size` bytes from `skip` on */
static void cmd_add_pieces(struct silex_list *to, const struct firesteel_list *list,
			   unsigned int skip, unsigned int size, u32 tag)
{
	struct scatterlist *entry = list->first;
	unsigned int left;

	for (left = list->mapped; left && size; left--, entry = sg_next(entry)) {
		unsigned int length = sg_dma_len(entry);

		while (skip < length && size) {
			unsigned int part = min3(length - skip, size, FIRESTEEL_DESCRIPTOR_MAX);

			silex_list_add(to, sg_dma_address(entry) + skip, part, tag);
			size -= part;
			skip += part;
		}
		skip -= length;
	}
}

void firesteel_cmd_fetch_list(struct firesteel_cmd *cmd, unsigned int skip, unsigned int size,
			      u32 tag)
{
	cmd_add_pieces(&cmd->fetch, &cmd->in, skip, size, tag);
}

void firesteel_cmd_fetch_output(struct firesteel_cmd *cmd, unsigned int skip, unsigned int size,
				u32 tag)
{
	cmd_add_pieces(&cmd->fetch, cmd_output(cmd), skip, size, tag);
}

void firesteel_cmd_end_item(struct firesteel_cmd *cmd, unsigned int size, unsigned int unit,
			    u32 tag)
{
	silex_list_end_item(&cmd->fetch, size, unit, firesteel_cmd_address(cmd, padding), tag);
}

void firesteel_cmd_push_list(struct firesteel_cmd *cmd, unsigned int skip, unsigned int size)
{
	cmd_add_pieces(&cmd->push, cmd_output(cmd), skip, size, 0);
}

void firesteel_cmd_push_discard(struct firesteel_cmd *cmd, unsigned int size)
{
	if (size)
		silex_list_add(&cmd->push, 0, size | SILEX_LEN_DISCARD, 0);
}

bool firesteel_cmd_close(struct firesteel_cmd *cmd)
{
	return silex_list_stop(&cmd->fetch, 0) && silex_list_stop(&cmd->push, SILEX_LEN_IRQ);
}

/* ---- items that several classes of requests share ---- */

#define HASH_KEY (SILEX_ENGINE_HASH | SILEX_TAG_TYPE(SILEX_HASH_DATA_KEY))

void firesteel_cmd_configure_aes(struct firesteel_cmd *cmd, u32 word, unsigned int key_size)
{
	struct silex_list *fetch = &cmd->fetch;
	unsigned int begin = fetch->count;

	/* some cores take the key's size from the word, some from the item's length */
	cmd->arena->word = cpu_to_le32(word | silex_aes_key_bits(key_size));
	if (!begin && cmd->prefix) {
		silex_list_keep(fetch, cmd->prefix);
		return;
	}
	silex_list_config(fetch, SILEX_ENGINE_AES, SILEX_AES_CONFIG,
			  firesteel_cmd_address(cmd, word), sizeof(cmd->arena->word));
	silex_list_config(fetch, SILEX_ENGINE_AES, SILEX_AES_KEY,
			  firesteel_cmd_address(cmd, keys.aes), key_size);
	if (word & SILEX_AES_MODE_XTS)
		silex_list_config(fetch, SILEX_ENGINE_AES, SILEX_AES_KEY2,
				  firesteel_cmd_address(cmd, keys.aes2), key_size);
	if (!begin)
		cmd->prefix = fetch->count;
}

void firesteel_cmd_crypt(struct firesteel_cmd *cmd, unsigned int skip, unsigned int size, u32 tag)
{
	firesteel_cmd_fetch_list(cmd, skip, size, SILEX_ENGINE_AES);
	firesteel_cmd_end_item(cmd, size, SILEX_AES_BLOCK, SILEX_ENGINE_AES | tag);
	firesteel_cmd_push_list(cmd, skip, size);
	firesteel_cmd_push_discard(cmd, silex_padding(size, SILEX_AES_BLOCK));
}

void firesteel_cmd_cipher(struct firesteel_cmd *cmd, u32 word, unsigned int key_size, const u8 *iv,
			  unsigned int skip, unsigned int size)
{
	firesteel_cmd_configure_aes(cmd, word, key_size);
	if (iv) {
		memcpy(cmd->arena->iv, iv, SILEX_AES_BLOCK);
		silex_list_config(&cmd->fetch, SILEX_ENGINE_AES, SILEX_AES_IV,
				  firesteel_cmd_address(cmd, iv), SILEX_AES_BLOCK);
	}
	firesteel_cmd_crypt(cmd, skip, size, SILEX_TAG_LAST);
}

void firesteel_cmd_configure_hash(struct firesteel_cmd *cmd, u32 algorithm, bool hmac,
				  unsigned int key_size)
{
	struct silex_list *fetch = &cmd->fetch;

	/* they replace the descriptors of an AES key */
	if (!fetch->count)
		cmd->prefix = 0;
	cmd->arena->hash_word = cpu_to_le32(algorithm | SILEX_HASH_PAD | SILEX_HASH_FINAL |
					    (hmac ? SILEX_HASH_HMAC : 0));
	silex_list_config(fetch, SILEX_ENGINE_HASH, SILEX_HASH_CONFIG,
			  firesteel_cmd_address(cmd, hash_word), sizeof(cmd->arena->hash_word));
	if (!hmac)
		return;
	if (key_size)
		silex_list_add(fetch, firesteel_cmd_address(cmd, keys.mac), key_size, HASH_KEY);
	firesteel_cmd_end_item(cmd, key_size, SILEX_HASH_WORD, HASH_KEY | SILEX_TAG_LAST);
}
