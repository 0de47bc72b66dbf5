/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * What CryptoMaster asks of a symmetric engine.  An engine sees configuration and a stream of
 * valid data bytes; it knows nothing of descriptors, words and invalid bytes.  CryptoMaster knows
 * nothing of what an engine computes.
 */
#ifndef SILEX_ENGINE_H
#define SILEX_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "silex-model.h"

/* Bytes that data() may give beyond as many as it takes: what it held back from earlier */
#define SILEX_ENGINE_PENDING 64u
/* Bytes that end() may give: held-back blocks, padding, a tag, a context, a digest */
#define SILEX_ENGINE_TAIL    192u

/* A kind of engine */
struct silex_engine_ops {
	unsigned number; /* SILEX_ENGINE_*: of the descriptors that it gets */
	unsigned unit; /* bytes: from the end of such a unit the invalid bytes of an item count */

	/* Whether a core of this configuration has one */
	bool (*present)(const struct silex_config *config);

	/* A new one, or NULL when memory is short.  `work` and `statistics` are counted up; they and
	 * `config` stay the caller's and must live as long. */
	void *(*create)(const struct silex_config *config, struct silex_work *work,
			struct silex_statistics *statistics);
	void (*destroy)(void *engine); /* wipes; NULL is allowed */

	/* Discards the message and wipes keys */
	void (*reset)(void *engine);

	/* `size` bytes for the configuration registers at `offset`; those beyond the last register
	 * are dropped.  A write to offset 0 begins a new message; true: with a tag at its end. */
	bool (*configure)(void *engine, unsigned offset, const uint8_t *bytes, size_t size);

	/* Bytes of this type that were taken and did not come out yet: the next result lies so far
	 * before the next byte */
	size_t (*pending)(const void *engine, unsigned type);

	/*
	 * Takes `size` bytes of data of `type` (0 to 3); writes what comes out, at most `size` +
	 * SILEX_ENGINE_PENDING bytes, and returns their number.  `output` may be such that a byte's
	 * result lies where the byte itself lies in `input` (in place), or apart from it.
	 */
	size_t (*data)(void *engine, unsigned type, const uint8_t *input, size_t size,
		       uint8_t *output);

	/*
	 * The item's valid bytes are over (its descriptor has invalid ones, or `last`): pads a
	 * block that is not full; with `last` ends the message (or the state or HMAC key) and gives
	 * what is still to come.  At most SILEX_ENGINE_TAIL bytes; returns their number.
	 */
	size_t (*end)(void *engine, unsigned type, bool last, uint8_t *output);

	/* Whether a message is over when an item of `type` has ended with `last` */
	bool (*ends_message)(unsigned type);

	/* Flip one bit of the next tag that comes out: bit `bit` of 128.  For the fault. */
	void (*spoil_tag)(void *engine, unsigned bit);
};

/* An engine: its kind, or NULL; and its state, NULL if this core has no such engine */
struct silex_engine {
	const struct silex_engine_ops *ops;
	void *state;
};

#endif
