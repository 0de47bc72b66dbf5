/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One command of CryptoMaster: the descriptors of one message, and what they point at besides the
 * caller's data.
 *
 * A message is built in the order in which the core expects its items: configuration word, keys,
 * IV, associated data, payload, trailer; together with the destinations of the output, in the order
 * in which it comes.  Map the caller's lists first (firesteel_cmd_map()).
 */
#ifndef FIRESTEEL_CMD_H
#define FIRESTEEL_CMD_H

#include <linux/dma-direction.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pfn.h>
#include <linux/scatterlist.h>
#include <linux/string.h>

#include "compat.h"
#include "cost.h"
#include "fault.h"
#include "silex/ba413.h"
#include "silex/message.h"

struct crypto_async_request;
struct device;
struct firesteel_order;
struct firesteel_section;
struct firesteel_ticket;

/* Descriptors of a command: an Internet packet in as many fragments as a socket buffer has, and
 * more
 */
#define FIRESTEEL_DESCRIPTORS 48u

/* The most bytes of one descriptor, a whole number of the engines' blocks.  Nordic's driver takes
 * 24 bits for a length (sdk-nrf, cmdma.h: DMA_SZ_MASK), others 28.
 */
#define FIRESTEEL_DESCRIPTOR_MAX ((1u << 24) - 16)

/* The most bytes of input that can be backed up if output replaces it */
#define FIRESTEEL_BACKUP_SIZE (64u * 1024u)

/* The most bytes of a small backup, as of an Internet packet.  Memory of the commands is aligned to
 * its size, so small backups at its start would all share a few lines of a cache.
 */
#define FIRESTEEL_BACKUP_SMALL 2048u

/* The keys of one transform */
struct firesteel_keys {
	u8 aes[32];
	u8 aes2[32]; /* XTS */
	u8 mac[128];
};

/* What the core reads and writes besides the caller's data; memory that needs no mapping.  Where
 * DMA is not coherent it is not cached: writes to it are cheap, reads are not.
 */
struct firesteel_arena {
	struct silex_descriptor fetch[FIRESTEEL_DESCRIPTORS];
	struct silex_descriptor push[FIRESTEEL_DESCRIPTORS];
	__le32 word;
	__le32 hash_word;
	struct firesteel_keys keys;
	u8 iv[16];
	/* CCM: B0 and the encoded length of associated data */
	u8 head[ALIGN(SILEX_CCM_HEAD_MAX, 16)];
	u8 trailer[16];
	/* written by the core: firesteel_cmd_read() */
	u8 tag[16] __aligned(sizeof(u64));
	u8 digest[64] __aligned(sizeof(u64));
	u8 padding[16]; /* read where padding is wanted; its bytes do not matter */
};

/* A list of the caller: `entries` of it are mapped to `mapped` */
struct firesteel_list {
	struct scatterlist *first;
	unsigned int entries;
	unsigned int mapped;
	enum dma_data_direction direction;
};

struct firesteel_cmd {
	struct list_head node; /* of the queue */
	struct device *dev;
	struct crypto_async_request *request;
	struct firesteel_order *order; /* of the request's transform */
	struct firesteel_ticket *ticket; /* the request's */
	/* Ends the request and releases the command, when the core is done or has failed.  With
	 * bottom halves off.  Counts in the section what software does meanwhile.
	 */
	void (*end)(struct firesteel_cmd *cmd, struct firesteel_section *section);
	enum firesteel_fault fault; /* why it failed */

	/* Whose keys the arena has, and how many descriptors at its start can be reused: commands
	 * mostly return to the same transform, whose keys then need no copying.  request.c
	 */
	const void *holder;
	u32 version; /* of the holder's keys */
	unsigned int prefix;

	struct firesteel_arena *arena;
	dma_addr_t address; /* of the arena */
	struct silex_list fetch; /* the descriptors in the arena */
	struct silex_list push;
	unsigned int bytes; /* of payload, to estimate the time */
	bool started; /* the core may have written to its output */
	bool waited; /* a caller sleeps until it has ended */
	enum firesteel_wait_mode wait; /* how its end is awaited */

	struct firesteel_list in;
	struct firesteel_list out; /* first is NULL: the same as `in` */
	bool overlaps; /* output replaces input */
	bool no_backup; /* and there is no backup of it */
	bool verified; /* output will be compared with software's: input is always backed up */
	bool ciphertext; /* the backup is no secret */
	u8 *backup;
	unsigned int backup_size; /* bytes of the input that are kept, from its start */
	u8 *backup_memory; /* FIRESTEEL_BACKUP_SIZE bytes, of which the backup is a part */
	unsigned int backup_start; /* where a small one lies in them: elsewhere in each command */
};

/* The module parameter `backup`: keep what output replaces until the core is done */
extern bool firesteel_backup;

/* Whether an entry of a list has no address.  High memory is above all other: an entry of several
 * pages ends there if it has any of it.
 */
static inline bool firesteel_is_in_high_memory(struct scatterlist *entry)
{
	return PageHighMem(pfn_to_page(PHYS_PFN(sg_phys(entry) + max(entry->length, 1u) - 1)));
}

/* Maps `in_bytes` of `in` and `out_bytes` of `out`, which may be the same list; backs up what will
 * be overwritten or verified.  False: it cannot be done.
 */
bool firesteel_cmd_map(struct firesteel_cmd *cmd, struct scatterlist *in, unsigned int in_bytes,
		       struct scatterlist *out, unsigned int out_bytes);

/* Unmaps what is mapped, if anything */
void firesteel_cmd_unmap(struct firesteel_cmd *cmd);

/* Restores what was overwritten, after firesteel_cmd_unmap() */
void firesteel_cmd_restore(struct firesteel_cmd *cmd);

/* Wipes the backup, if it is plaintext */
static inline void firesteel_cmd_cleanse(struct firesteel_cmd *cmd)
{
	if (cmd->backup_size && !cmd->ciphertext)
		memzero_explicit(cmd->backup, cmd->backup_size);
	cmd->backup_size = 0;
}

/* Sets the output's first `size` bytes to those of `right`, after firesteel_cmd_unmap(); true: they
 * differed
 */
bool firesteel_cmd_replace(struct firesteel_cmd *cmd, const u8 *right, unsigned int size);

/* ---- items that several classes of requests share ---- */

/* AES: configuration word, to which the size of the key is added, and the arena's keys */
void firesteel_cmd_configure_aes(struct firesteel_cmd *cmd, u32 word, unsigned int key_size);

/* Payload for AES, `size` bytes of the caller's list from `skip` on, and what it becomes at the
 * same place of the output; `tag` is SILEX_TAG_LAST or 0
 */
void firesteel_cmd_crypt(struct firesteel_cmd *cmd, unsigned int skip, unsigned int size, u32 tag);

/* A message of configuration word, keys, an IV of SILEX_AES_BLOCK bytes unless NULL, and payload */
void firesteel_cmd_cipher(struct firesteel_cmd *cmd, u32 word, unsigned int key_size, const u8 *iv,
			  unsigned int skip, unsigned int size);

/* Hash: configuration word, and with HMAC the arena's key of `key_size` bytes; `algorithm` is
 * SILEX_HASH_ALG_*
 */
void firesteel_cmd_configure_hash(struct firesteel_cmd *cmd, u32 algorithm, bool hmac,
				  unsigned int key_size);

/* ---- items that go in: cmd->fetch; `tag` is SILEX_TAG_* without INVALID ---- */

/* Where the core finds a member of the arena, such as keys.aes */
#define firesteel_cmd_address(cmd, member) \
	((u32)(cmd)->address + (u32)offsetof(struct firesteel_arena, member))

/* `size` bytes of the caller's list from `skip` on */
void firesteel_cmd_fetch_list(struct firesteel_cmd *cmd, unsigned int skip, unsigned int size,
			      u32 tag);

/* The same of the list that output goes to, after it was written */
void firesteel_cmd_fetch_output(struct firesteel_cmd *cmd, unsigned int skip, unsigned int size,
				u32 tag);

/* Ends a data item of `size` bytes: pads it to a multiple of `unit`, which is 16 or 4 */
void firesteel_cmd_end_item(struct firesteel_cmd *cmd, unsigned int size, unsigned int unit,
			    u32 tag);

/* ---- output: cmd->push ---- */

#define firesteel_cmd_push_arena(cmd, member, size) \
	silex_list_add(&(cmd)->push, firesteel_cmd_address(cmd, member), size, 0)

/* Copies what the core has written to the arena, with as few reads as possible */
static inline void firesteel_cmd_read(u8 *to, const u8 *member, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i += sizeof(u64)) {
		u64 part = READ_ONCE(*(const u64 *)(member + i));

		memcpy(to + i, &part, min_t(unsigned int, size - i, sizeof(part)));
	}
}

void firesteel_cmd_push_list(struct firesteel_cmd *cmd, unsigned int skip, unsigned int size);
void firesteel_cmd_push_discard(struct firesteel_cmd *cmd, unsigned int size);

/* Presets an output with a wrong value, where the core is expected to write `right`, so that a core
 * that writes nothing fails the check.  `size` is rounded up to words.
 */
static inline void firesteel_cmd_preset(u8 *place, const u8 *right, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i += sizeof(u32))
		put_unaligned(~get_unaligned((const u32 *)(right + i)), (u32 *)(place + i));
}

/* The message is complete; false: it has too many descriptors */
bool firesteel_cmd_close(struct firesteel_cmd *cmd);

#endif
