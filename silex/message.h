/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * How a message becomes lists of descriptors: the lists, padding, and what the host computes for
 * the AES engine.  For the kernel, programs and tests alike.
 *
 * A fetch list has items, in the order of ba411.h or ba413.h: silex_list_config() adds a whole one;
 * silex_list_add() adds a piece of data, and silex_list_end_item() ends the item.  A push list has
 * destinations: silex_list_add() each.  silex_list_stop() ends a list.
 */
#ifndef SILEX_MESSAGE_H
#define SILEX_MESSAGE_H

#include "ba411.h"
#include "cryptomaster.h"
#include "soc.h"
#include "types.h"

/* ---- padding ---- */

/* Bytes from `size` to the next multiple of `unit`, a power of two */
static inline unsigned int silex_padding(size_t size, unsigned int unit)
{
	return (unsigned int)-size & (unit - 1);
}

/* Invalid bytes that end an item of `size` bytes: an empty one is a whole unit of them */
static inline unsigned int silex_item_padding(size_t size, unsigned int unit)
{
	return size ? silex_padding(size, unit) : unit;
}

/*
 * ---- lists of descriptors that follow one another in memory ----
 *
 * Descriptors are written and never read: where DMA is not coherent their memory is not cached, and
 * reading it takes a hundred cycles.
 */

struct silex_list {
	struct silex_descriptor *descriptors;
	uint32_t address; /* of the first, as the core sees it */
	unsigned int capacity;
	unsigned int count;
	uint32_t length, tag; /* of the descriptor that was added last */
	bool overflow; /* there were more descriptors than fit, or one with too many bytes */
};

static inline void silex_list_begin(struct silex_list *list, struct silex_descriptor *descriptors,
				    uint32_t address, unsigned int capacity)
{
	list->descriptors = descriptors;
	list->address = address;
	list->capacity = capacity;
	list->count = 0;
	list->overflow = false;
}

/* Keeps the first `count` descriptors, which have been added before; another one has to follow */
static inline void silex_list_keep(struct silex_list *list, unsigned int count)
{
	list->count = count;
	list->overflow = false;
}

/* The most bytes of a descriptor: Nordic's driver keeps them within 24 bits (cmdma.h) */
#define SILEX_LIST_BYTES_MAX 0x00ffffffu

/* `length` is bytes and SILEX_LEN_*.  More bytes than a descriptor can have overflow it, too. */
static inline void silex_list_add(struct silex_list *list, uint32_t address, uint32_t length,
				  uint32_t tag)
{
	struct silex_descriptor *descriptor = &list->descriptors[list->count];

	if (list->count == list->capacity || (length & SILEX_LEN_MASK) > SILEX_LIST_BYTES_MAX) {
		list->overflow = true;
		return;
	}
	list->count++;
	list->length = length;
	list->tag = tag;
	descriptor->addr = silex_to_le32(address);
	descriptor->next = silex_to_le32(list->address +
					 list->count * (uint32_t)sizeof(*descriptor));
	descriptor->length = silex_to_le32(length);
	descriptor->tag = silex_to_le32(tag);
}

/* An item for the configuration registers of an engine from `offset` on */
static inline void silex_list_config(struct silex_list *list, uint32_t engine, unsigned int offset,
				     uint32_t address, uint32_t size)
{
	silex_list_add(list, address, size | SILEX_LEN_REALIGN,
		       engine | SILEX_TAG_CONFIG | SILEX_TAG_OFFSET(offset));
}

static inline struct silex_descriptor *silex_list_last(const struct silex_list *list)
{
	return &list->descriptors[list->count - 1];
}

/*
 * Ends a data item, of which `size` bytes have been added, and pads it to a multiple of `unit` with
 * bytes that the core reads at `padding`.  `tag` may have SILEX_TAG_LAST.
 */
static inline void silex_list_end_item(struct silex_list *list, size_t size, unsigned int unit,
				       uint32_t padding, uint32_t tag)
{
	unsigned int invalid = silex_item_padding(size, unit);
	struct silex_descriptor *last;

	if (invalid) {
		silex_list_add(list, padding, invalid | SILEX_LEN_REALIGN,
			       tag | SILEX_TAG_INVALID(invalid));
		return;
	}
	list->length |= SILEX_LEN_REALIGN;
	list->tag |= tag;
	last = silex_list_last(list);
	last->length = silex_to_le32(list->length);
	last->tag = silex_to_le32(list->tag);
}

/*
 * The list ends here; `flags`: SILEX_LEN_IRQ for an interrupt.  The last descriptor is realigned
 * and has the tag LAST, in push lists as in fetch lists: so do all public drivers (Nordic cmdma.c,
 * Silicon Labs sx_dma.c, IOsonata cryptomaster.cpp).  False: the list is empty, or has overflowed.
 */
static inline bool silex_list_stop(struct silex_list *list, uint32_t flags)
{
	struct silex_descriptor *last;

	if (list->overflow || !list->count)
		return false;
	list->length |= flags | SILEX_LEN_REALIGN;
	list->tag |= SILEX_TAG_LAST;
	last = silex_list_last(list);
	last->next = silex_to_le32(SILEX_NEXT_STOP);
	last->length = silex_to_le32(list->length);
	last->tag = silex_to_le32(list->tag);
	return true;
}

/* Lets a list that stops go on with the one at `next` instead, and signal nothing before its end */
static inline void silex_list_chain(struct silex_list *list, uint32_t next)
{
	struct silex_descriptor *last = silex_list_last(list);

	list->length &= ~SILEX_LEN_IRQ;
	last->next = silex_to_le32(next);
	last->length = silex_to_le32(list->length);
}

/* ---- AES: sizes of keys ---- */

static inline bool silex_aes_is_key_size(size_t size)
{
	return size == 16 || size == 24 || size == 32;
}

/* The configuration word's SILEX_AES_KEY_* for a key of that many bytes */
static inline uint32_t silex_aes_key_bits(size_t size)
{
	return size == 16 ? SILEX_AES_KEY_128 : size == 24 ? SILEX_AES_KEY_192 : SILEX_AES_KEY_256;
}

/* The other way round; 0: the word has no valid size */
static inline size_t silex_aes_key_size(uint32_t word)
{
	switch (word & SILEX_AES_KEY_SIZE_MASK) {
	case SILEX_AES_KEY_128:
		return 16;
	case SILEX_AES_KEY_192:
		return 24;
	case SILEX_AES_KEY_256:
		return 32;
	default:
		return 0;
	}
}

/* The capability, SILEX_AES_CAPS_KEY_*, that such a key needs */
static inline uint32_t silex_aes_key_capability(size_t size)
{
	return size == 16   ? SILEX_AES_CAPS_KEY_128
	       : size == 24 ? SILEX_AES_CAPS_KEY_192
			    : SILEX_AES_CAPS_KEY_256;
}

/* ---- AES: what begins and ends a message ---- */

/* Writes the `count` low bytes of a number, most significant first; returns what did not fit */
static inline uint64_t silex_put_be(uint8_t *bytes, unsigned int count, uint64_t number)
{
	while (count) {
		bytes[--count] = (uint8_t)number;
		number >>= 8;
	}
	return number;
}

/* CCM: B0's first byte; source: NIST SP 800-38C, table 2 */
#define SILEX_CCM_LENGTH_OF(flags) (((flags) & 7u) + 1u) /* bytes of the payload's length */
#define SILEX_CCM_TAG_OF(flags)    ((flags) >> 3 & 7u ? 2u * ((flags) >> 3 & 7u) + 2u : 0u)

/* The most bytes that silex_ccm_head() writes */
#define SILEX_CCM_HEAD_MAX (SILEX_AES_BLOCK + 6u)

/*
 * CCM: makes B0 and the encoded length of associated data around the nonce, whose `nonce` bytes are
 * or will be at head + 1: SP 800-38C, A.2.  A tag of 0 bytes is allowed, as the core allows it.
 * Returns the number of bytes; 0: the payload is too long for such a nonce.
 */
static inline unsigned int silex_ccm_head(uint8_t *head, unsigned int nonce, unsigned int tag,
					  uint32_t associated, uint64_t payload)
{
	unsigned int width = SILEX_AES_BLOCK - 1 - nonce;

	head[0] = (uint8_t)((associated ? 0x40 : 0) | (tag ? (tag - 2) / 2 : 0) << 3 | (width - 1));
	if (silex_put_be(head + 1 + nonce, width, payload))
		return 0;
	if (!associated)
		return SILEX_AES_BLOCK;
	if (associated < 0xff00) {
		silex_put_be(head + SILEX_AES_BLOCK, 2, associated);
		return SILEX_AES_BLOCK + 2;
	}
	silex_put_be(head + SILEX_AES_BLOCK, 2, 0xfffe);
	silex_put_be(head + SILEX_AES_BLOCK + 2, 4, associated);
	return SILEX_AES_BLOCK + 6;
}

/* GCM: makes the trailer, SILEX_AES_TRAILER bytes, from both sizes in bytes */
static inline void silex_gcm_trailer(uint8_t *trailer, uint64_t associated, uint64_t payload)
{
	silex_put_be(trailer, 8, 8 * associated);
	silex_put_be(trailer + 8, 8, 8 * payload);
}

#endif
