/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "cryptomaster-push.h"

#include <string.h>

#include "cryptomaster-side.h"
#include "smaller.h"
#include "wipe.h"

#define WORD sizeof(uint32_t)

/* Less is not worth a mapping */
#define DIRECT_MIN (4 * SILEX_ENGINE_PENDING)

/* A job's first bytes pass: the fault may flip one bit of them */
static void spoil(struct silex_cm *cm, uint8_t *bytes, size_t size)
{
	uint64_t bit;

	if (cm->spoiled)
		return;
	cm->spoiled = true;
	if (!silex_cm_strikes(cm, SILEX_FAULT_FLIPPED_BIT))
		return;
	bit = cm->owner.random(cm->owner.opaque) % (8 * size);
	bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
}

/*
 * Each word goes to the same address, and what counts is what stays there: the last whole word,
 * and over it the bytes of one that is not.  Words are counted from the descriptor's start.
 */
static int store_at_one_address(struct silex_cm *cm, const uint8_t *bytes, size_t size)
{
	const struct silex_host *host = cm->owner.host;
	uint64_t address = cm->push.address;
	unsigned phase = cm->push.phase;
	size_t first = silex_smaller(size, WORD - phase), whole = (size - first) / WORD * WORD;
	size_t rest = size - first - whole;
	int status = host->write(host->opaque, address + phase, bytes, first);

	if (status == 0 && whole > 0)
		status = host->write(host->opaque, address, bytes + first + whole - WORD, WORD);
	if (status == 0 && rest > 0)
		status = host->write(host->opaque, address, bytes + size - rest, rest);
	cm->push.phase = (unsigned)((phase + size) % WORD);
	return status;
}

static bool store(struct silex_cm *cm, size_t size)
{
	const struct silex_host *host = cm->owner.host;
	struct silex_cm_side *push = &cm->push;
	int status;

	spoil(cm, cm->fifo, size);
	if (push->length & SILEX_LEN_CONST_ADDR) {
		status = store_at_one_address(cm, cm->fifo, size);
	} else {
		status = host->write(host->opaque, push->address, cm->fifo, size);
		push->address += size;
	}
	if (status != 0)
		return false;
	cm->statistics->cm_bytes_pushed += size;
	return true;
}

static bool push_piece(struct silex_cm *cm)
{
	struct silex_cm_side *push = &cm->push;
	size_t size = silex_smaller(silex_smaller(push->left, cm->fifo_used), SILEX_MODEL_CHUNK);

	if (cm->error_plan == SILEX_CM_PUSH_ERROR ||
	    (!(push->length & SILEX_LEN_DISCARD) && !store(cm, size))) {
		silex_cm_bus_error(cm, push);
		return true;
	}
	silex_cm_schedule_push(&cm->schedule, size, cm->fifo_used,
			       push->length & SILEX_LEN_DISCARD);
	push->left -= (uint32_t)size;
	cm->fifo_used -= size;
	memmove(cm->fifo, cm->fifo + size, cm->fifo_used);
	silex_wipe(cm->fifo + cm->fifo_used, size);
	return true;
}

bool silex_cm_push_on(struct silex_cm *cm)
{
	struct silex_cm_side *push = &cm->push;

	if (!push->running || silex_cm_waits(cm, push))
		return false;
	if (!push->loaded) {
		silex_cm_load(cm, push);
		return true;
	}
	if (push->left == 0) {
		silex_cm_unload(cm, push);
		return true;
	}
	return cm->fifo_used > 0 && push_piece(cm);
}

uint8_t *silex_cm_push_direct(struct silex_cm *cm, size_t *size)
{
	const struct silex_host *host = cm->owner.host;
	const struct silex_cm_side *push = &cm->push;
	uint8_t *output;

	if (!host->map || !push->running || !push->loaded || push->left < DIRECT_MIN ||
	    push->length & (SILEX_LEN_DISCARD | SILEX_LEN_CONST_ADDR) ||
	    cm->error_plan == SILEX_CM_PUSH_ERROR)
		return NULL;
	*size = push->left;
	output = host->map(host->opaque, push->address, size, true);
	if (output && *size < DIRECT_MIN) {
		host->unmap(host->opaque, output, *size, true, 0);
		return NULL;
	}
	return output;
}

void silex_cm_pushed_direct(struct silex_cm *cm, uint8_t *output, size_t size, size_t written)
{
	const struct silex_host *host = cm->owner.host;

	if (written > 0)
		spoil(cm, output, written);
	host->unmap(host->opaque, output, size, true, written);
	cm->push.address += written;
	cm->push.left -= (uint32_t)written;
	if (written > 0)
		silex_cm_schedule_push(&cm->schedule, written, written, false);
	cm->statistics->cm_bytes_pushed += written;
}
