/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message for CryptoMaster: items in, bytes out.  Built in a slot, then run.
 */
#ifndef FS_MESSAGE_H
#define FS_MESSAGE_H

#include "../silex/message.h"
#include "device.h"
#include "pool.h"

struct fs_message {
	struct firesteel *device;
	struct fs_slot slot;
	uint32_t engine;
	struct silex_list fetch;
	struct silex_list push;
	size_t tail; /* bytes expected there */
	size_t read; /* of the result, at most */
	uint64_t result[FS_TAIL_SIZE / sizeof(uint64_t)]; /* the tail, after a run */
};

int fs_message_begin(struct firesteel *device, uint32_t engine, struct fs_message *message);
void fs_message_end(struct fs_message *message);

/* Empties the lists: another message in the same slot */
void fs_message_clear(struct fs_message *message);

/* The bus address of `size` bytes of the arena that the message has, or will get */
uint32_t fs_message_part(struct fs_message *message, const void *part, size_t size);

/* The configuration word; the configuration register at `offset`, from a part of the arena */
void fs_message_word(struct fs_message *message, uint32_t word);
void fs_message_config(struct fs_message *message, unsigned offset, const void *part, size_t size);

/*
 * Data: a piece of an item, and the item's end, which gets the number of bytes of the item so far.
 * The item is filled up with invalid bytes to a multiple of `unit`, an empty item to one unit.
 * `tag` has SILEX_TAG_TYPE and, in the end, SILEX_TAG_LAST.
 */
void fs_message_fetch(struct fs_message *message, uint32_t bus, size_t size, uint32_t tag);
void fs_message_fetch_end(struct fs_message *message, size_t size, unsigned unit, uint32_t tag);

/* The destination of the output */
void fs_message_push(struct fs_message *message, uint32_t bus, size_t size);
void fs_message_discard(struct fs_message *message, size_t size);

/* The same for the output that follows the payload, last: to the arena's tail, which is preset so
 * that a core that writes nothing there is noticed */
void fs_message_tail(struct fs_message *message, size_t size);

/* Runs it, with the core reserved for it.  The time depends on the engine's mode or algorithm, and
 * on the `size` of the payload.  Afterwards the tail is in message->result. */
int fs_message_run(struct fs_message *message, unsigned mode, size_t size);

/* After the last byte was read: whether the memory was the core's all the time.  When a device is
 * removed, other memory replaces it (silex/share.h).  0, or FIRESTEEL_ERROR_GONE. */
int fs_message_alive(const struct fs_message *message);

#endif
