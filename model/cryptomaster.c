/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "cryptomaster.h"

#include <stdlib.h>

#include "cryptomaster-fetch.h"
#include "cryptomaster-line.h"
#include "cryptomaster-push.h"
#include "wipe.h"

/* Assumption: a soft reset takes so many cycles of the cores' clock */
#define RESET_CYCLES 32u

static uint64_t now(const struct silex_cm *cm)
{
	return cm->owner.host->now(cm->owner.host->opaque);
}

/* ---- life ---- */

static bool add_engine(struct silex_cm *cm, const struct silex_engine_ops *ops)
{
	struct silex_engine *engine = &cm->engines[ops->number];

	engine->ops = ops;
	if (!ops->present(cm->config))
		return true;
	engine->state = ops->create(cm->config, &cm->work, cm->statistics);
	return engine->state;
}

struct silex_cm *silex_cm_new(const struct silex_config *config, const struct silex_owner *owner,
			      struct silex_statistics *statistics,
			      const struct silex_engine_ops *const *engines)
{
	struct silex_cm *cm = calloc(1, sizeof(*cm));

	if (!cm)
		return NULL;
	cm->config = config;
	cm->owner = *owner;
	cm->statistics = statistics;
	silex_cm_schedule_begin(&cm->schedule, &config->timing);
	for (; *engines; engines++) {
		if (!add_engine(cm, *engines)) {
			silex_cm_free(cm);
			return NULL;
		}
	}
	return cm;
}

void silex_cm_free(struct silex_cm *cm)
{
	if (!cm)
		return;
	for (unsigned i = 0; i < SILEX_CM_ENGINES; i++)
		if (cm->engines[i].state)
			cm->engines[i].ops->destroy(cm->engines[i].state);
	silex_wipe(cm, sizeof(*cm));
	free(cm);
}

/* ---- reset ---- */

static void reset_engines(struct silex_cm *cm)
{
	for (unsigned i = 0; i < SILEX_CM_ENGINES; i++)
		if (cm->engines[i].state)
			cm->engines[i].ops->reset(cm->engines[i].state);
}

/* The step's time counts when it is over, or as far as it got */
static void count_busy(struct silex_cm *cm, uint64_t until)
{
	uint64_t passed = until - cm->begin;

	cm->statistics->cm_busy_ns += passed < cm->step_ns ? passed : cm->step_ns;
}

/* What a soft reset discards: the lists, the data in flight, the message and its keys */
static void cleanse(struct silex_cm *cm)
{
	reset_engines(cm);
	if (cm->active)
		count_busy(cm, now(cm));
	cm->work = (struct silex_work){ 0 };
	silex_cm_schedule_begin(&cm->schedule, &cm->config->timing);
	cm->late = 1;
	silex_wipe(cm->input, sizeof(cm->input));
	silex_wipe(cm->fifo, sizeof(cm->fifo));
	cm->fifo_used = 0;
	cm->fetch = (struct silex_cm_side){ 0 };
	cm->push = (struct silex_cm_side){ 0 };
	cm->active = false;
	cm->pending = 0;
	cm->in_job = false;
	cm->item = 0;
	cm->stuck = false;
	cm->error_plan = SILEX_CM_NO_ERROR;
	cm->raw = 0;
	cm->enabled = 0;
	silex_cm_update_line(cm);
	cm->owner.wake_at(cm->owner.opaque, SILEX_MODEL_NEVER);
}

static void soft_reset(struct silex_cm *cm)
{
	cleanse(cm);
	cm->reset_end = now(cm) + silex_cycles_ns(&cm->config->timing, RESET_CYCLES);
	cm->statistics->cm_resets++;
	cm->owner.event(cm->owner.opaque, "cm-reset", cm->statistics->cm_resets);
}

void silex_cm_reset(struct silex_cm *cm)
{
	cleanse(cm);
	cm->fetch_address = 0;
	cm->push_address = 0;
	cm->fetch_length = 0;
	cm->fetch_tag = 0;
	cm->push_length = 0;
	cm->mode = 0;
	cm->reset_end = 0;
}

static bool in_reset(const struct silex_cm *cm)
{
	return cm->mode & SILEX_CM_CONFIG_SOFT_RESET || now(cm) < cm->reset_end;
}

/* ---- steps ---- */

static bool may_go_on(const struct silex_cm *cm)
{
	return !cm->over && !cm->stuck && cm->descriptors_left > 0 && cm->bytes_left > 0;
}

static void refill(struct silex_cm *cm)
{
	cm->descriptors_left = SILEX_CM_STEP_DESCRIPTORS;
	cm->bytes_left = SILEX_CM_STEP_BYTES;
}

/* After the end of a job: what is in the FIFO still belongs to it */
static bool drain(struct silex_cm *cm)
{
	bool worked = false;

	while (!cm->stuck && cm->descriptors_left > 0 && silex_cm_push_on(cm))
		worked = true;
	return worked;
}

/* The data of a step; false when there was nothing to do */
static bool work(struct silex_cm *cm)
{
	bool worked = false;

	cm->over = false;
	while (may_go_on(cm) && (silex_cm_push_on(cm) || silex_cm_fetch_on(cm)))
		worked = true;
	return drain(cm) || worked;
}

static uint64_t step_ns(struct silex_cm *cm)
{
	const struct silex_timing *timing = &cm->config->timing;
	uint64_t ns = silex_cycles_ns(timing, silex_cm_schedule_step(&cm->schedule));

	return cm->late > 1 ? silex_longer(ns, cm->late) : ns;
}

static void end_step(struct silex_cm *cm)
{
	uint32_t bits = cm->pending;

	cm->active = false;
	cm->pending = 0;
	if (!cm->in_job)
		cm->late = 1;
	if (bits && !silex_cm_strikes(cm, SILEX_FAULT_LOST_INTERRUPT))
		silex_cm_raise(cm, bits);
}

/* The step's data are done; it ends when its time is over, and not within a call that has done
 * as much as one may */
static void begin_wait(struct silex_cm *cm, uint64_t ns)
{
	cm->active = true;
	cm->step_ns = ns;
	cm->begin = now(cm);
	cm->end = cm->begin + (ns > 0 ? ns : 1);
	cm->owner.wake_at(cm->owner.opaque, cm->end);
}

static void go_on(struct silex_cm *cm)
{
	refill(cm);
	while (!cm->active && !cm->stuck) {
		uint64_t ns;

		cm->fetch_shown = cm->fetch.running;
		cm->push_shown = cm->push.running;
		if (!work(cm))
			return;
		ns = step_ns(cm);
		if (ns == 0 && cm->descriptors_left > 0 && cm->bytes_left > 0)
			end_step(cm);
		else
			begin_wait(cm, ns);
	}
}

void silex_cm_advance(struct silex_cm *cm)
{
	if (!cm->active || now(cm) < cm->end)
		return;
	cm->owner.wake_at(cm->owner.opaque, SILEX_MODEL_NEVER);
	count_busy(cm, cm->end);
	end_step(cm);
	go_on(cm);
}

/* ---- registers ---- */

/* A side is busy until the step in which it stops is over */
static bool is_busy(const struct silex_cm *cm, const struct silex_cm_side *side, bool shown)
{
	return side->running || (cm->active && shown);
}

static void start_fetch(struct silex_cm *cm)
{
	if (is_busy(cm, &cm->fetch, cm->fetch_shown))
		return;
	cm->fetch = (struct silex_cm_side){
		.running = true,
		.direct = !(cm->mode & SILEX_CM_CONFIG_FETCH_SG),
		.next = cm->fetch_address,
		.address = cm->fetch_address,
		.length = cm->fetch_length & ~SILEX_LEN_IRQ,
		.tag = cm->fetch_tag,
		.last = true,
	};
	silex_cm_schedule_start(&cm->schedule, &cm->schedule.fetch);
	cm->statistics->cm_starts++;
	cm->owner.event(cm->owner.opaque, "cm-start", cm->statistics->cm_starts);
}

static void start_push(struct silex_cm *cm)
{
	if (is_busy(cm, &cm->push, cm->push_shown))
		return;
	cm->push = (struct silex_cm_side){
		.running = true,
		.direct = !(cm->mode & SILEX_CM_CONFIG_PUSH_SG),
		.next = cm->push_address,
		.address = cm->push_address,
		.length = cm->push_length & ~SILEX_LEN_IRQ,
		.last = true,
	};
	silex_cm_schedule_start(&cm->schedule, &cm->schedule.push);
}

static void start(struct silex_cm *cm, uint32_t sides)
{
	if (in_reset(cm) || cm->stuck)
		return;
	if (!cm->active) /* all that was begun earlier is long done */
		silex_cm_schedule_begin(&cm->schedule, &cm->config->timing);
	if (sides & SILEX_CM_START_FETCH)
		start_fetch(cm);
	if (sides & SILEX_CM_START_PUSH)
		start_push(cm);
	if (!cm->active)
		go_on(cm);
}

static void configure(struct silex_cm *cm, uint32_t value)
{
	bool was_reset = cm->mode & SILEX_CM_CONFIG_SOFT_RESET;

	cm->mode = value & (SILEX_CM_CONFIG_SG | SILEX_CM_CONFIG_FETCH_STOP |
			    SILEX_CM_CONFIG_PUSH_STOP | SILEX_CM_CONFIG_SOFT_RESET);
	if (!was_reset && cm->mode & SILEX_CM_CONFIG_SOFT_RESET)
		soft_reset(cm);
}

static uint32_t status(const struct silex_cm *cm)
{
	bool busy = cm->active || cm->stuck;
	bool fetching = busy ? cm->fetch_shown : cm->fetch.running;
	bool pushing = busy ? cm->push_shown : cm->push.running;
	uint32_t words = (uint32_t)(cm->fifo_used + 3) / 4;
	uint32_t value = 0;

	if (fetching)
		value |= SILEX_CM_STATUS_FETCH_BUSY;
	if (pushing)
		value |= SILEX_CM_STATUS_PUSH_BUSY;
	if (in_reset(cm))
		value |= SILEX_CM_STATUS_RESET_BUSY;
	if (busy)
		return value;
	if (fetching && cm->fifo_used > 0)
		value |= SILEX_CM_STATUS_FETCH_NOT_EMPTY;
	if (pushing)
		value |= SILEX_CM_STATUS_PUSH_WAITING;
	return value | words << 16;
}

uint32_t silex_cm_read(struct silex_cm *cm, uint32_t offset)
{
	silex_cm_advance(cm);
	switch (offset) {
	case SILEX_CM_FETCH_ADDR:
		return (uint32_t)cm->fetch_address;
	case SILEX_CM_FETCH_ADDR_HI:
		return (uint32_t)(cm->fetch_address >> 32);
	case SILEX_CM_FETCH_LEN:
		return cm->fetch_length;
	case SILEX_CM_FETCH_TAG:
		return cm->fetch_tag;
	case SILEX_CM_PUSH_ADDR:
		return (uint32_t)cm->push_address;
	case SILEX_CM_PUSH_ADDR_HI:
		return (uint32_t)(cm->push_address >> 32);
	case SILEX_CM_PUSH_LEN:
		return cm->push_length;
	case SILEX_CM_INT_EN:
		return cm->enabled;
	case SILEX_CM_INT_STAT_RAW:
		return cm->raw;
	case SILEX_CM_INT_STAT:
		return cm->raw & cm->enabled;
	case SILEX_CM_CONFIG:
		return cm->mode;
	case SILEX_CM_STATUS:
		return status(cm);
	default:
		return 0;
	}
}

/* Cores of 32-bit hosts have no high words */
static uint64_t set_half(const struct silex_cm *cm, uint64_t address, uint32_t value, bool high)
{
	if (!high)
		return (address & ~(uint64_t)UINT32_MAX) | value;
	return cm->config->address64 ? (address & UINT32_MAX) | (uint64_t)value << 32 : address;
}

static void write_interrupts(struct silex_cm *cm, uint32_t offset, uint32_t value)
{
	value &= SILEX_CM_INT_ALL;
	if (offset == SILEX_CM_INT_EN)
		cm->enabled = value;
	else if (offset == SILEX_CM_INT_SET)
		cm->enabled |= value;
	else if (offset == SILEX_CM_INT_CLR)
		cm->enabled &= ~value;
	else
		cm->raw &= ~value;
	silex_cm_update_line(cm);
	if (cm->config->back_pressure && !cm->active && !cm->stuck)
		go_on(cm);
}

void silex_cm_write(struct silex_cm *cm, uint32_t offset, uint32_t value)
{
	silex_cm_advance(cm);
	switch (offset) {
	case SILEX_CM_FETCH_ADDR:
	case SILEX_CM_FETCH_ADDR_HI:
		cm->fetch_address = set_half(cm, cm->fetch_address, value,
					     offset == SILEX_CM_FETCH_ADDR_HI);
		break;
	case SILEX_CM_PUSH_ADDR:
	case SILEX_CM_PUSH_ADDR_HI:
		cm->push_address = set_half(cm, cm->push_address, value,
					    offset == SILEX_CM_PUSH_ADDR_HI);
		break;
	case SILEX_CM_FETCH_LEN:
		cm->fetch_length = value;
		break;
	case SILEX_CM_FETCH_TAG:
		cm->fetch_tag = value;
		break;
	case SILEX_CM_PUSH_LEN:
		cm->push_length = value;
		break;
	case SILEX_CM_INT_EN:
	case SILEX_CM_INT_SET:
	case SILEX_CM_INT_CLR:
	case SILEX_CM_INT_STAT_CLR:
		write_interrupts(cm, offset, value);
		break;
	case SILEX_CM_CONFIG:
		configure(cm, value);
		break;
	case SILEX_CM_START:
		start(cm, value);
		break;
	}
}
