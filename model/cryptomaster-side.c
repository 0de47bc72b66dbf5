/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "cryptomaster-side.h"

/* Descriptors lie on words */
#define DESCRIPTOR_ALIGN ((uint64_t)3)

static uint32_t word(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static uint64_t double_word(const uint8_t *bytes)
{
	return word(bytes) | (uint64_t)word(bytes + 4) << 32;
}

/* Of a pair of bits the one that is this side's */
static uint32_t bit_of(const struct silex_cm *cm, const struct silex_cm_side *side,
		       uint32_t fetch_bit, uint32_t push_bit)
{
	return side == &cm->fetch ? fetch_bit : push_bit;
}

bool silex_cm_waits(const struct silex_cm *cm, const struct silex_cm_side *side)
{
	return cm->config->back_pressure &&
	       (cm->raw | cm->pending) &
		       bit_of(cm, side, SILEX_CM_INT_FETCH_BLOCK_END, SILEX_CM_INT_PUSH_BLOCK_END);
}

void silex_cm_bus_error(struct silex_cm *cm, struct silex_cm_side *side)
{
	uint32_t bit = bit_of(cm, side, SILEX_CM_INT_FETCH_ERROR, SILEX_CM_INT_PUSH_ERROR);

	side->running = false;
	side->loaded = false;
	cm->pending |= bit;
	cm->over = true;
	cm->in_job = false;
	cm->error_plan = SILEX_CM_NO_ERROR;
	cm->statistics->cm_bus_errors++;
	cm->owner.event(cm->owner.opaque, "cm-bus-error", bit);
}

static struct silex_cm_clock *clock_of(struct silex_cm *cm, const struct silex_cm_side *side)
{
	return side == &cm->fetch ? &cm->schedule.fetch : &cm->schedule.push;
}

static bool read_descriptor(struct silex_cm *cm, struct silex_cm_side *side)
{
	const struct silex_host *host = cm->owner.host;
	uint8_t bytes[sizeof(struct silex_descriptor64)];
	size_t size = cm->config->address64 ? sizeof(struct silex_descriptor64)
					    : sizeof(struct silex_descriptor);
	const uint8_t *rest = bytes + size - 2 * sizeof(uint32_t);
	uint64_t address = side->next & ~DESCRIPTOR_ALIGN;

	silex_cm_schedule_descriptor(&cm->schedule, clock_of(cm, side), size);
	if (host->read(host->opaque, address, bytes, size) != 0)
		return false;
	side->address = cm->config->address64 ? double_word(bytes) : word(bytes);
	side->next = cm->config->address64 ? double_word(bytes + 8) : word(bytes + 4);
	side->last = side->next & SILEX_NEXT_STOP;
	side->length = word(rest);
	side->tag = word(rest + 4);
	cm->statistics->cm_descriptors++;
	return true;
}

bool silex_cm_load(struct silex_cm *cm, struct silex_cm_side *side)
{
	if (side->direct) {
		silex_cm_schedule_descriptor(&cm->schedule, clock_of(cm, side), 0);
	} else if (side->used++ >= SILEX_MODEL_DESCRIPTORS || !read_descriptor(cm, side)) {
		silex_cm_bus_error(cm, side);
		return false;
	}
	if ((side->length & SILEX_LEN_MASK) >> cm->config->length_bits) {
		silex_cm_bus_error(cm, side);
		return false;
	}
	side->loaded = true;
	side->left = side->length & SILEX_LEN_MASK;
	side->invalid = 0;
	cm->descriptors_left -= cm->descriptors_left > 0;
	return true;
}

/* Whether a part that wants the pusher's list to end as all public drivers end theirs misses that:
 * what silicon does then is not public (assumption: the list never ends) */
static bool is_endless(const struct silex_cm *cm, const struct silex_cm_side *side)
{
	return cm->config->push_end && side == &cm->push && side->last && !side->direct &&
	       !(side->length & SILEX_LEN_REALIGN && side->tag & SILEX_TAG_LAST);
}

void silex_cm_unload(struct silex_cm *cm, struct silex_cm_side *side)
{
	uint32_t stop = bit_of(cm, side, SILEX_CM_CONFIG_FETCH_STOP, SILEX_CM_CONFIG_PUSH_STOP);

	side->loaded = false;
	silex_cm_schedule_unload(&cm->schedule, clock_of(cm, side));
	if (side->length & SILEX_LEN_IRQ)
		cm->pending |= bit_of(cm, side, SILEX_CM_INT_FETCH_BLOCK_END,
				      SILEX_CM_INT_PUSH_BLOCK_END);
	if (is_endless(cm, side)) {
		cm->stuck = true;
	} else if (side->last || cm->mode & stop) {
		side->running = false;
		cm->pending |= bit_of(cm, side, SILEX_CM_INT_FETCH_STOPPED,
				      SILEX_CM_INT_PUSH_STOPPED);
	}
}
