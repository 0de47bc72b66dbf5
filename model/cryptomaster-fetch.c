/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "cryptomaster-fetch.h"

#include <string.h>

#include "cryptomaster-job.h"
#include "cryptomaster-push.h"
#include "cryptomaster-side.h"
#include "smaller.h"
#include "wipe.h"

#define WORD sizeof(uint32_t)

/* Configuration registers have 8-bit offsets: bytes beyond are fetched and dropped */
#define CONFIG_END 256u

/* What a piece takes at least of what a step may do, in bytes: pieces can be small */
#define PIECE_COST 512u

/* Bytes that were fetched: mapped, or in cm->input */
struct piece {
	const uint8_t *bytes;
	size_t size;
	void *mapping; /* NULL: none */
};

/* ---- reading ---- */

static bool is_zeros(const struct silex_cm_side *fetch)
{
	return fetch->direct && fetch->length & SILEX_LEN_ZERO_PAD;
}

/* The same word over and over, from where in it the last piece ended */
static bool read_same_word(struct silex_cm *cm, size_t size)
{
	const struct silex_host *host = cm->owner.host;
	uint8_t word[WORD] = { 0 };
	unsigned phase = cm->fetch.phase;
	size_t needed = silex_smaller(phase + size, WORD);

	if (host->read(host->opaque, cm->fetch.address, word, needed) != 0)
		return false;
	for (size_t i = 0; i < size; i++)
		cm->input[i] = word[(phase + i) % WORD];
	return true;
}

static bool read_copy(struct silex_cm *cm, struct piece *piece)
{
	const struct silex_host *host = cm->owner.host;

	piece->bytes = cm->input;
	piece->size = silex_smaller(piece->size, sizeof(cm->input));
	piece->mapping = NULL;
	if (is_zeros(&cm->fetch)) {
		memset(cm->input, 0, piece->size);
		return true;
	}
	if (cm->fetch.length & SILEX_LEN_CONST_ADDR)
		return read_same_word(cm, piece->size);
	return host->read(host->opaque, cm->fetch.address, cm->input, piece->size) == 0;
}

static bool read_mapped(struct silex_cm *cm, struct piece *piece)
{
	const struct silex_host *host = cm->owner.host;

	if (!host->map || piece->size <= SILEX_ENGINE_PENDING ||
	    cm->fetch.length & SILEX_LEN_CONST_ADDR || is_zeros(&cm->fetch))
		return false;
	piece->mapping = host->map(host->opaque, cm->fetch.address, &piece->size, false);
	piece->bytes = piece->mapping;
	return piece->mapping != NULL;
}

/* Reads up to piece->size bytes at the fetcher's address; false: bus error */
static bool begin_piece(struct silex_cm *cm, struct piece *piece)
{
	size_t wanted = piece->size;

	if (read_mapped(cm, piece))
		return true;
	piece->size = wanted;
	return read_copy(cm, piece);
}

/* `used` bytes of the piece are done with */
static void end_piece(struct silex_cm *cm, struct piece *piece, size_t used)
{
	const struct silex_host *host = cm->owner.host;

	if (piece->mapping)
		host->unmap(host->opaque, piece->mapping, piece->size, false, 0);
	else
		silex_wipe(cm->input, piece->size);
	if (cm->fetch.length & SILEX_LEN_CONST_ADDR)
		cm->fetch.phase = (unsigned)((cm->fetch.phase + used) % WORD);
	else
		cm->fetch.address += used;
	cm->fetch.left -= (uint32_t)used;
	cm->statistics->cm_bytes_fetched += used;
	cm->bytes_left -= silex_smaller(cm->bytes_left, used > PIECE_COST ? used : PIECE_COST);
}

/* ---- engines ---- */

static bool is_bypass(const struct silex_cm *cm)
{
	return (cm->fetch.tag & SILEX_TAG_ENGINE) == SILEX_ENGINE_BYPASS;
}

/* The engine of the loaded descriptor */
static const struct silex_engine *engine_of(const struct silex_cm *cm)
{
	return &cm->engines[cm->fetch.tag & SILEX_TAG_ENGINE];
}

/* Bytes that the engine has taken and not given yet */
static size_t pending(const struct silex_cm *cm)
{
	const struct silex_engine *engine = engine_of(cm);

	return engine->state ? engine->ops->pending(engine->state, SILEX_TAG_TYPE_OF(cm->fetch.tag))
			     : 0;
}

/* What the engine has just done with `held` bytes that it had and `fetched` more takes its time */
static void count_work(struct silex_cm *cm, size_t fetched, size_t held)
{
	silex_cm_schedule_data(&cm->schedule, fetched, held, &cm->work, cm->fifo_used > 0);
	cm->work = (struct silex_work){ 0 };
}

static size_t process(struct silex_cm *cm, const uint8_t *input, size_t size, uint8_t *output)
{
	const struct silex_engine *engine = engine_of(cm);

	if (engine->state)
		return engine->ops->data(engine->state, SILEX_TAG_TYPE_OF(cm->fetch.tag), input,
					 size, output);
	cm->work.block_bytes = 1; /* goes as it comes */
	if (!is_bypass(cm))
		return 0;
	memmove(output, input, size);
	return size;
}

/* The same with bytes that were fetched */
static size_t process_fetched(struct silex_cm *cm, const uint8_t *input, size_t size,
			      uint8_t *output)
{
	size_t held = pending(cm), written = process(cm, input, size, output);

	count_work(cm, size, held);
	return written;
}

/* ---- data ---- */

/* Without a pusher the fetcher goes on until the FIFO is full */
static size_t ahead(const struct silex_cm *cm)
{
	return cm->push.running ? cm->bytes_left : SILEX_CM_FIFO_DEPTH;
}

static bool overlap(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
	return a < b + b_size && b < a + a_size;
}

/*
 * From memory to memory without a copy in between.  Not where input and output overlap and a
 * byte's result does not lie where the byte is, which a copy of each piece makes come out as from
 * a core with a FIFO.
 */
static bool process_direct(struct silex_cm *cm, struct piece *piece, size_t *used)
{
	size_t capacity, size, written;
	uint8_t *output = silex_cm_push_direct(cm, &capacity);

	if (!output)
		return false;
	size = silex_smaller(piece->size, capacity - SILEX_ENGINE_PENDING);
	if (output + pending(cm) != piece->bytes && overlap(output, capacity, piece->bytes, size)) {
		silex_cm_pushed_direct(cm, output, capacity, 0);
		return false;
	}
	written = process_fetched(cm, piece->bytes, size, output);
	silex_cm_pushed_direct(cm, output, capacity, written);
	*used = size;
	return true;
}

static bool fetch_data(struct silex_cm *cm)
{
	struct piece piece = { .size = silex_smaller(cm->fetch.left, ahead(cm)) };
	size_t used;

	if (!begin_piece(cm, &piece))
		return false;
	if (!piece.mapping || !process_direct(cm, &piece, &used)) {
		used = silex_smaller(piece.size, SILEX_MODEL_CHUNK);
		cm->fifo_used = process_fetched(cm, piece.bytes, used, cm->fifo);
	}
	end_piece(cm, &piece, used);
	return true;
}

/* What stands behind the valid bytes of an item is fetched and dropped */
static bool fetch_invalid(struct silex_cm *cm)
{
	struct piece piece = { .size = cm->fetch.invalid };

	if (cm->fetch.invalid == 0)
		return true;
	cm->fetch.left = cm->fetch.invalid;
	cm->fetch.invalid = 0;
	if (!begin_piece(cm, &piece))
		return false;
	silex_cm_schedule_fetch(&cm->schedule, piece.size, false);
	end_piece(cm, &piece, piece.size);
	return true;
}

/* Whether the item ends with the loaded descriptor of data, in a block that may not be full */
static bool is_padded(const struct silex_cm *cm)
{
	return SILEX_TAG_INVALID_OF(cm->fetch.tag) > 0;
}

/* What follows a realigned descriptor begins on a word: the one before is filled up with zeros,
 * unless the item ends here with invalid bytes */
static void fill_word(struct silex_cm *cm)
{
	static const uint8_t zeros[WORD];
	unsigned odd = (cm->fetch.odd + (cm->fetch.length & SILEX_LEN_MASK)) % WORD;
	size_t held = pending(cm), used;

	cm->fetch.odd = cm->fetch.length & SILEX_LEN_REALIGN ? 0 : odd;
	if (!odd || !(cm->fetch.length & SILEX_LEN_REALIGN) || is_padded(cm))
		return;
	used = process(cm, zeros, WORD - odd, cm->fifo + cm->fifo_used);
	count_work(cm, 0, held);
	cm->fifo_used += used;
	cm->item += WORD - odd;
}

/* What the engine still gives when the item, or with `last` the message, is over */
static void end_item(struct silex_cm *cm, const struct silex_engine *engine, bool last)
{
	size_t held = pending(cm);
	size_t used = engine->ops->end(engine->state, SILEX_TAG_TYPE_OF(cm->fetch.tag), last,
				       cm->fifo + cm->fifo_used);

	count_work(cm, 0, held);
	cm->fifo_used += used;
}

static bool finish_data(struct silex_cm *cm)
{
	const struct silex_engine *engine = engine_of(cm);
	unsigned type = SILEX_TAG_TYPE_OF(cm->fetch.tag);
	bool last = cm->fetch.tag & SILEX_TAG_LAST;

	cm->item += cm->fetch.length & SILEX_LEN_MASK;
	fill_word(cm);
	if (!fetch_invalid(cm))
		return false;
	if (is_padded(cm) || last) {
		cm->item = 0;
		if (engine->state)
			end_item(cm, engine, last);
	}
	if (!last || (engine->ops && !engine->ops->ends_message(type)))
		return true;
	return silex_cm_end_job(cm);
}

/* ---- configuration ---- */

/* A tag will come out of the message that has begun: the fault may spoil it */
static void may_spoil_tag(struct silex_cm *cm, const struct silex_engine *engine)
{
	if (silex_cm_strikes(cm, SILEX_FAULT_WRONG_TAG))
		engine->ops->spoil_tag(engine->state,
				       (unsigned)(cm->owner.random(cm->owner.opaque) % 128));
}

static bool fetch_config(struct silex_cm *cm)
{
	const struct silex_engine *engine = engine_of(cm);
	uint32_t done = (cm->fetch.length & SILEX_LEN_MASK) - cm->fetch.left;
	uint32_t offset = SILEX_TAG_OFFSET_OF(cm->fetch.tag) + done;
	struct piece piece = { .size = cm->fetch.left };

	cm->item = 0;
	if (!read_copy(cm, &piece))
		return false;
	if (engine->state && offset < CONFIG_END &&
	    engine->ops->configure(engine->state, offset, piece.bytes, piece.size))
		may_spoil_tag(cm, engine);
	silex_cm_schedule_fetch(&cm->schedule, piece.size, cm->work.key);
	cm->work.key = false;
	end_piece(cm, &piece, piece.size);
	return true;
}

/* ---- descriptors ---- */

/*
 * Bytes at the end of a data item that its tag calls invalid are no part of it.  They count from the
 * end of the engine's unit: those that are missing there were not fetched.
 */
static void split_invalid(struct silex_cm *cm)
{
	const struct silex_engine *engine = engine_of(cm);
	uint32_t unit = engine->ops ? engine->ops->unit : 1;
	uint32_t named = SILEX_TAG_INVALID_OF(cm->fetch.tag);
	uint32_t over = (cm->item + cm->fetch.left) % unit;
	uint32_t missing = over ? unit - over : 0;

	if (cm->fetch.tag & SILEX_TAG_CONFIG || named <= missing)
		return;
	cm->fetch.invalid = (uint32_t)silex_smaller(named - missing, cm->fetch.left);
	cm->fetch.left -= cm->fetch.invalid;
}

static void load(struct silex_cm *cm)
{
	struct silex_cm_side *fetch = &cm->fetch;

	if (!cm->in_job)
		silex_cm_begin_job(cm);
	if (cm->stuck || !silex_cm_load(cm, fetch))
		return;
	if (fetch->left > 0 && !is_zeros(fetch))
		silex_cm_schedule_request(&cm->schedule);
	split_invalid(cm);
	if (silex_cm_fetch_error_is_due(cm))
		silex_cm_bus_error(cm, fetch);
}

/* A piece of the loaded descriptor, or its end */
static bool fetch_piece(struct silex_cm *cm)
{
	bool config = cm->fetch.tag & SILEX_TAG_CONFIG;

	if (cm->fetch.left > 0)
		return config ? fetch_config(cm) : fetch_data(cm);
	if (!config && !finish_data(cm))
		return false;
	silex_cm_unload(cm, &cm->fetch);
	return true;
}

bool silex_cm_fetch_on(struct silex_cm *cm)
{
	if (!cm->fetch.running || cm->fifo_used > 0 || silex_cm_waits(cm, &cm->fetch))
		return false;
	if (!cm->fetch.loaded)
		load(cm);
	else if (!fetch_piece(cm))
		silex_cm_bus_error(cm, &cm->fetch);
	return true;
}
