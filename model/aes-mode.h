/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * A mode of BA411E: what it does with the blocks of a message.  aes.c cuts a message into
 * blocks and knows what is held back; the modes know keys, IVs and chaining values.
 */
#ifndef SILEX_AES_MODE_H
#define SILEX_AES_MODE_H

#include <nettle/cmac.h>
#include <nettle/gcm.h>

#include "../silex/ba411.h"
#include "aes-key.h"
#include "engine.h"

#define SILEX_AES_PART_SIZE (2 * SILEX_AES_BLOCK)

struct silex_aes_mode;

struct silex_aes {
	const struct silex_config *config;
	struct silex_work *work;
	struct silex_statistics *statistics;

	/* the message */
	const struct silex_aes_mode *mode; /* NULL: none that this core has */
	uint32_t word; /* configuration */
	bool begun; /* the mode has taken key and IV */
	bool ready; /* ... and can go on: key and mode fit */
	struct silex_aes_key key;
	struct silex_aes_key key2; /* XTS */
	uint8_t iv[SILEX_AES_BLOCK]; /* then the chaining value, counter block or tweak */
	uint8_t context2[SILEX_AES_BLOCK]; /* second half of a loaded context */
	uint8_t part[SILEX_AES_PART_SIZE]; /* payload that waits: held back, or no full block */
	size_t part_used;
	uint8_t header[SILEX_AES_BLOCK]; /* associated data that are no full block */
	size_t header_used;

	/* the fault "wrong-tag" */
	bool spoil;
	unsigned spoil_bit;

	struct {
		struct gcm_key key;
		struct gcm_ctx context;
	} gcm;
	struct {
		uint8_t first[SILEX_AES_BLOCK]; /* A0 */
		uint8_t mac[SILEX_AES_BLOCK];
		size_t tag; /* bytes; 0: none */
		bool begun; /* B0 has come */
	} ccm;
	struct {
		struct cmac128_key key;
		struct cmac128_ctx context;
	} cmac;
};

struct silex_aes_mode {
	uint32_t bit; /* SILEX_AES_MODE_* */
	bool silent; /* payload does not come out */
	bool cts; /* with the capability: ciphertext stealing for a last block that is not full */

	/* Takes key, IV or context; the keys are valid */
	void (*begin)(struct silex_aes *aes);
	/* Whole blocks of associated data; NULL: there are none in this mode */
	void (*header)(struct silex_aes *aes, const uint8_t *src, size_t size);
	/* Whole blocks of payload; dst may be src */
	void (*blocks)(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size);
	/* The last block of the payload, of which `size` bytes are valid, less than a block and
	 * more than none; `dst` and `src` are blocks apart from each other.  NULL: it is padded
	 * with zeros and is a block like others. */
	void (*rest)(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size);
	/* Ciphertext stealing with a full block and `size` more bytes; input and output have 32
	 * bytes */
	void (*steal)(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size);
	/* The tag, with the trailer if the mode has one; bytes that come out.  NULL: no tag */
	size_t (*tag)(struct silex_aes *aes, uint8_t *dst, const uint8_t *trailer);
	/* The context; bytes that come out */
	size_t (*save)(struct silex_aes *aes, uint8_t *dst);
};

static inline bool silex_aes_decrypts(const struct silex_aes *aes)
{
	return aes->word & SILEX_AES_DECRYPT;
}

static inline bool silex_aes_loads(const struct silex_aes *aes)
{
	return aes->word & SILEX_AES_CONTEXT_LOAD;
}

static inline bool silex_aes_saves(const struct silex_aes *aes)
{
	return aes->word & SILEX_AES_CONTEXT_SAVE;
}

/* Expands a key and counts the time that it takes, as that of blocks: aes.c tells what of it is to
 * prepare */
void silex_aes_expand(struct silex_aes *aes, struct silex_aes_key *key, bool decrypt);

/* Counts the time of so many passes of a block through the cipher */
void silex_aes_count_blocks(struct silex_aes *aes, size_t blocks);

/* One block, encrypted; dst may be src */
void silex_aes_encrypt_block(struct silex_aes *aes, struct silex_aes_key *key, uint8_t *dst,
			     const uint8_t *src);

/* The chaining value is all the context that a mode has */
size_t silex_aes_save_iv(struct silex_aes *aes, uint8_t *dst);

/* Counter mode from aes->iv on, of which `bits` bits count up; any number of bytes */
void silex_aes_crypt_counter(struct silex_aes *aes, unsigned bits, uint8_t *dst, const uint8_t *src,
			     size_t size);

#endif
