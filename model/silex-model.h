/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * The Silex cores as a library: what they compute, how long they take, how they fail.
 *
 * One model is one window of 64 KiB (silex/soc.h) with the cores that its configuration names:
 * a CryptoMaster with AES and hash engines, a public-key engine, or both.  Models share
 * nothing, so a process may have any number of them; one model must not be entered by two
 * threads at once.
 *
 * Life of a model:
 *  1. silex_model_new() with a configuration and the host's callbacks;
 *  2. the host passes register accesses to silex_model_read() and silex_model_write();
 *  3. the model asks through host.wake_at() to be called back, and the host calls
 *     silex_model_advance() when that time has come; interrupt lines change there and in 2;
 *  4. silex_model_free(), which wipes all keys and operands.
 *
 * Order of events: the data of a job are read and written when its turn comes; its status bits
 * and interrupts change when its time is over.  A driver that waits for the end as
 * silex/cryptomaster.h says cannot see the difference.
 */
#ifndef SILEX_MODEL_H
#define SILEX_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"
#include "statistics.h"
#include "timing.h"

#define SILEX_MODEL_ERROR_SIZE 256
#define SILEX_MODEL_NEVER      UINT64_MAX

/* What the host provides to a model.  `opaque` is the first argument of every call. */
struct silex_host {
	void *opaque;

	/*
	 * Memory as the core's DMA sees it.  Return 0, or -1 for a bus error, which discards the
	 * whole access.  `size` is at most SILEX_MODEL_CHUNK.
	 */
	int (*read)(void *opaque, uint64_t address, void *data, size_t size);
	int (*write)(void *opaque, uint64_t address, const void *data, size_t size);

	/*
	 * Optional (NULL: read and write are used): a pointer to memory at `address` for reading or
	 * for writing.  `*size` is the size requested on entry and available on return, at least 1;
	 * NULL if there is none.  unmap gets the number of bytes written.  There is at most one
	 * mapping of each direction, and none across calls into the model.
	 */
	void *(*map)(void *opaque, uint64_t address, size_t *size, bool write);
	void (*unmap)(void *opaque, void *pointer, size_t size, bool write, size_t written);

	/* Time in ns from any origin; never goes back. */
	uint64_t (*now)(void *opaque);

	/* Call silex_model_advance() at `when` ns or soon after; replaces the last request.
	 * SILEX_MODEL_NEVER: no call is needed.  In zero-time mode only called for a list that is
	 * too long for one call. */
	void (*wake_at)(void *opaque, uint64_t when);

	/* An interrupt line (SILEX_LINE_CM, SILEX_LINE_PK) has changed its level. */
	void (*interrupt)(void *opaque, unsigned line, bool level);

	/* Optional: an event for a trace or log; `what` is a fixed word with hyphens (docs/cores.md
	 * lists them), `value` its value. */
	void (*event)(void *opaque, const char *what, uint64_t value);
};

/* The most bytes of memory that one call of host.read or host.write accesses */
#define SILEX_MODEL_CHUNK 4096u

/* Descriptors that one START may use before the core reports a bus error: no useful list is as
 * long, and a circular one never ends */
#define SILEX_MODEL_DESCRIPTORS 65536u

/* The parts of a model. silex_config_default() sets those of the 2015 board. */
struct silex_config {
	uint64_t
		given; /* keys that silex_config_set() has set: a profile leaves them as they are */

	/* CryptoMaster and its engines */
	bool cryptomaster;
	bool aes; /* BA411E */
	bool hash; /* BA413 */
	uint32_t
		presence_others; /* SILEX_PRESENCE_* of cores that the part has and the model has not */
	bool address64; /* descriptors of 64-bit hosts */
	unsigned length_bits; /* of a descriptor's length, 24 to 28: a longer one is a bus error */
	bool push_end; /* a list whose last push descriptor has not REALIGN and LAST never ends */
	bool back_pressure; /* a side waits while its BLOCK_END is pending */
	uint32_t aes_caps; /* SILEX_AES_CAPS_*: modes, ciphertext stealing, key sizes */
	unsigned aes_counter_bits; /* of the counter block that count in CTR mode: 1 to 128 */
	bool aes_key_size_bits; /* the configuration word's key size counts, not the key's length */
	uint32_t hash_caps; /* SILEX_HASH_CAPS_* */
	uint32_t sha3_caps; /* what the registers of engines read that the model has not */
	uint32_t sm4_caps;
	uint32_t aria_caps;

	/* Public-key engine */
	bool pk; /* BA414E */
	unsigned pk_max_bytes; /* of an operand: 64 to 1024, a multiple of 8 */
	unsigned pk_multipliers; /* 1, 4, 16, 64 or 256 */
	uint32_t pk_curves; /* SILEX_PK_HWCONFIG_P256 to _25519 */
	uint32_t pk_features; /* SILEX_PK_HWCONFIG_*: the field, RAM, what is absent */
	bool pk_protection; /* countermeasures present */
	bool pk_fail_pointer_old; /* FailPtr in STATUS [3:0] */
	bool pk_infinity; /* STATUS bit 5 says infinity, else bad microcode */
	bool pk_bad_order; /* STATUS has bit 14, else a bad order is a bad parameter of the curve */
	bool pk_words; /* operand RAM takes words only */
	unsigned pk_microcode; /* bytes that must have been written since a reset; 0: none */
	uint32_t pk_version; /* the value of VERSION */

	bool rules; /* check accesses by the rules of all public drivers (rules.h) */

	struct silex_timing timing;
	struct silex_faults faults;
};

struct silex_model;

/* The cores of the 2015 board: AES and public key without hash, at 100 MHz, no faults */
void silex_config_default(struct silex_config *config);

/*
 * Sets what `key` names: a field of silex_config or of its timing by the field's own name, a
 * "profile", or "faults" and "seed" (fault.h).  Values are "on" and "off", or numbers in C's notation.
 * Returns 0, or -1 with a sentence in `error` that says what is wrong and what is allowed;
 * only silex_model_new() checks whether the parts are consistent.
 */
int silex_config_set(struct silex_config *config, const char *key, const char *value, char *error,
		     size_t size);

/* The keys in order, NULL after the last */
const char *silex_config_key(unsigned index);

/* The values of the key "profile" in order, NULL after the last; the first is the default.  A profile
 * sets all keys but those of timing and faults, and those that are given before or after it. */
const char *silex_config_profile(unsigned index);

/*
 * A new model in the state after power-on (the public-key engine clears its operand RAM).
 * NULL if the configuration is wrong: `error` then says what is wrong, and what is allowed.
 * Both structures are copied.
 */
struct silex_model *silex_model_new(const struct silex_config *config,
				    const struct silex_host *host,
				    char error[SILEX_MODEL_ERROR_SIZE]);
void silex_model_free(struct silex_model *model);

/* Power-on again: registers, keys, operands; statistics and the state of faults stay */
void silex_model_reset(struct silex_model *model);

/*
 * Registers, operand RAM and microcode RAM, by byte offset in the window.  An access to a word that
 * is not aligned, outside the window or to an unused offset reads 0 and writes nothing.
 */
uint32_t silex_model_read(struct silex_model *model, uint32_t offset);
void silex_model_write(struct silex_model *model, uint32_t offset, uint32_t value);

/*
 * The same in `size` bytes, 1, 2 or 4 (any other is no access), of which the first has the low bits
 * of the value.  Both RAMs take bytes and half-words where the part does (pk_words); registers read
 * 0 and keep their value.
 */
uint32_t silex_model_read_part(struct silex_model *model, uint32_t offset, unsigned size);
void silex_model_write_part(struct silex_model *model, uint32_t offset, uint32_t value,
			    unsigned size);

/*
 * For host.read and host.write, when CryptoMaster's DMA points into the model's own window: operand
 * RAM, by bytes.  No access of the processor: it is not counted.  Returns 0, or -1 for a bus error.
 */
int silex_model_dma_read(struct silex_model *model, uint32_t offset, void *data, size_t size);
int silex_model_dma_write(struct silex_model *model, uint32_t offset, const void *data,
			  size_t size);

/* What a register access costs the processor that makes it, ns (timing.register_ns) */
uint64_t silex_model_access_ns(const struct silex_model *model);

/* Does what is due at host.now(); call it at the time of wake_at(); harmless at any other
 * time */
void silex_model_advance(struct silex_model *model);

const struct silex_statistics *silex_model_statistics(const struct silex_model *model);

/* The first breach of a rule, for people; "" while there is none, or where rules are not checked */
const char *silex_model_breach(const struct silex_model *model);

#endif
