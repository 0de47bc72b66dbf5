/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The window: which core an access goes to, and what the cores share. */
#include "../silex/soc.h"

#include <stdio.h>
#include <stdlib.h>

#include "aes.h"
#include "config.h"
#include "cryptomaster.h"
#include "fault-plan.h"
#include "hash.h"
#include "pk.h"
#include "wipe.h"

/* What CryptoMaster can have behind it */
static const struct silex_engine_ops *const engines[] = {
	&silex_aes_engine,
	&silex_hash_engine,
	NULL,
};

struct silex_model {
	struct silex_config config;
	struct silex_host host;
	struct silex_statistics statistics;
	struct silex_fault_plan plan;
	bool gone; /* the fault */
	uint64_t leaves; /* ns at which the window goes, or NEVER */
	uint64_t returns; /* ns at which a window that is gone is back, or NEVER */
	uint64_t wake[SILEX_LINES]; /* ns at which each core wants to go on */
	struct silex_cm *cm; /* NULL: not there */
	struct silex_pk *pk;
};

/* ---- what the cores ask for ---- */

static void wish(struct silex_model *model, unsigned line, uint64_t when)
{
	uint64_t first;

	model->wake[line] = when;
	first = model->wake[SILEX_LINE_CM] < model->wake[SILEX_LINE_PK]
			? model->wake[SILEX_LINE_CM]
			: model->wake[SILEX_LINE_PK];
	model->host.wake_at(model->host.opaque, model->gone ? SILEX_MODEL_NEVER : first);
}

static void interrupt(struct silex_model *model, unsigned line, bool level)
{
	if (!model->gone)
		model->host.interrupt(model->host.opaque, line, level);
}

static void cm_wake_at(void *opaque, uint64_t when)
{
	wish(opaque, SILEX_LINE_CM, when);
}

static void pk_wake_at(void *opaque, uint64_t when)
{
	wish(opaque, SILEX_LINE_PK, when);
}

static void cm_interrupt(void *opaque, bool level)
{
	interrupt(opaque, SILEX_LINE_CM, level);
}

static void pk_interrupt(void *opaque, bool level)
{
	interrupt(opaque, SILEX_LINE_PK, level);
}

static void event(void *opaque, const char *what, uint64_t value)
{
	struct silex_model *model = opaque;

	if (model->host.event)
		model->host.event(model->host.opaque, what, value);
}

static uint64_t fault_choice(void *opaque)
{
	struct silex_model *model = opaque;

	return silex_fault_choice(&model->plan);
}

/* At `when`, which may be some time ago */
static void vanish(struct silex_model *model, uint64_t when)
{
	const struct silex_fault *fault = &model->config.faults.fault[SILEX_FAULT_GONE];

	model->statistics.faults[SILEX_FAULT_GONE]++;
	event(model, "fault", SILEX_FAULT_GONE);
	model->leaves = SILEX_MODEL_NEVER;
	model->returns = fault->for_ns     ? when + fault->for_ns
			 : fault->until_ns ? fault->until_ns
					   : SILEX_MODEL_NEVER;
	for (unsigned line = 0; line < SILEX_LINES; line++)
		interrupt(model, line, false);
	model->gone = true;
	wish(model, SILEX_LINE_CM, SILEX_MODEL_NEVER);
}

static uint64_t now(const struct silex_model *model)
{
	return model->host.now(model->host.opaque);
}

/* Whether the window is gone at once; otherwise it goes while the operation runs, or later */
static bool strike_gone(struct silex_model *model)
{
	uint64_t delay = silex_fault_delay(&model->plan, SILEX_FAULT_GONE);

	if (delay > 0)
		model->leaves = now(model) + delay;
	else
		vanish(model, now(model));
	return delay == 0;
}

static bool fault(void *opaque, enum silex_fault_kind kind)
{
	struct silex_model *model = opaque;

	if (!silex_fault_strikes(&model->plan, kind, now(model)))
		return false;
	if (kind == SILEX_FAULT_GONE)
		return strike_gone(model);
	model->statistics.faults[kind]++;
	event(model, "fault", kind);
	return true;
}

/* ---- life ---- */

/* What all cores of a window share; a core adds its line and its wake-up */
static struct silex_owner owner_of(struct silex_model *model)
{
	return (struct silex_owner){
		.opaque = model,
		.host = &model->host,
		.fault = fault,
		.random = fault_choice,
		.event = event,
	};
}

static struct silex_cm *new_cm(struct silex_model *model)
{
	struct silex_owner owner = owner_of(model);

	owner.wake_at = cm_wake_at;
	owner.interrupt = cm_interrupt;
	return silex_cm_new(&model->config, &owner, &model->statistics, engines);
}

static struct silex_pk *new_pk(struct silex_model *model)
{
	struct silex_owner owner = owner_of(model);

	owner.wake_at = pk_wake_at;
	owner.interrupt = pk_interrupt;
	return silex_pk_new(&model->config, &owner, &model->statistics);
}

static struct silex_model *allocate(const struct silex_config *config,
				    const struct silex_host *host)
{
	struct silex_model *model = calloc(1, sizeof(*model));

	if (!model)
		return NULL;
	model->config = *config;
	model->host = *host;
	model->leaves = SILEX_MODEL_NEVER;
	model->returns = SILEX_MODEL_NEVER;
	for (unsigned line = 0; line < SILEX_LINES; line++)
		model->wake[line] = SILEX_MODEL_NEVER;
	silex_fault_plan_begin(&model->plan, &model->config.faults);
	if (config->cryptomaster)
		model->cm = new_cm(model);
	if (config->pk)
		model->pk = new_pk(model);
	if ((config->cryptomaster && !model->cm) || (config->pk && !model->pk)) {
		silex_model_free(model);
		return NULL;
	}
	return model;
}

struct silex_model *silex_model_new(const struct silex_config *config,
				    const struct silex_host *host,
				    char error[SILEX_MODEL_ERROR_SIZE])
{
	struct silex_model *model;

	if (silex_config_check(config, error, SILEX_MODEL_ERROR_SIZE) < 0)
		return NULL;
	model = allocate(config, host);
	if (!model)
		snprintf(error, SILEX_MODEL_ERROR_SIZE, "no memory for the model of the cores");
	return model;
}

void silex_model_free(struct silex_model *model)
{
	if (!model)
		return;
	silex_cm_free(model->cm);
	silex_pk_free(model->pk);
	silex_wipe(model, sizeof(*model));
	free(model);
}

void silex_model_reset(struct silex_model *model)
{
	if (model->cm)
		silex_cm_reset(model->cm);
	if (model->pk)
		silex_pk_reset(model->pk);
}

/* Whether the window has disappeared; after the fault's end it is as after power-on */
static bool is_gone(struct silex_model *model)
{
	if (!model->gone && model->leaves != SILEX_MODEL_NEVER && now(model) >= model->leaves)
		vanish(model, model->leaves);
	if (model->gone && model->returns != SILEX_MODEL_NEVER && now(model) >= model->returns) {
		model->gone = false;
		silex_model_reset(model);
	}
	return model->gone;
}

/* The fault that follows an access */
static void follow(struct silex_model *model)
{
	if (model->config.faults.fault[SILEX_FAULT_GONE].accesses && !model->gone &&
	    silex_fault_follows(&model->plan, SILEX_FAULT_GONE, now(model)))
		vanish(model, now(model));
}

/* ---- registers ---- */

static uint32_t presence(const struct silex_config *config)
{
	uint32_t value = 0;

	if (config->aes)
		value |= SILEX_PRESENCE_AES;
	if (config->hash)
		value |= SILEX_PRESENCE_HASH;
	if (config->pk)
		value |= SILEX_PRESENCE_PK;
	return value;
}

static uint32_t read_presence(const struct silex_config *config, uint32_t offset)
{
	switch (offset) {
	case SILEX_PRESENCE:
		return presence(config);
	case SILEX_AES_CAPS:
		return config->aes ? config->aes_caps : 0;
	case SILEX_AES_COUNTER_BITS:
		return config->aes ? config->aes_counter_bits : 0;
	case SILEX_HASH_CAPS:
		return config->hash ? config->hash_caps : 0;
	default:
		return 0;
	}
}

static bool within(uint32_t offset, uint32_t base, uint32_t size)
{
	return offset >= base && offset - base < size;
}

static uint32_t read_register(struct silex_model *model, uint32_t offset)
{
	if (offset % sizeof(uint32_t))
		return 0;
	if (model->cm && within(offset, SILEX_CM_BASE, SILEX_CM_SIZE))
		return silex_cm_read(model->cm, offset - SILEX_CM_BASE);
	if (within(offset, SILEX_PRESENCE_BASE, SILEX_PRESENCE_SIZE))
		return read_presence(&model->config, offset);
	if (model->pk && within(offset, SILEX_PK_BASE, SILEX_PK_SPACE))
		return silex_pk_read(model->pk, offset - SILEX_PK_BASE);
	if (model->pk && within(offset, SILEX_PK_RAM_BASE, SILEX_PK_RAM_SIZE))
		return silex_pk_ram_read(model->pk, offset - SILEX_PK_RAM_BASE);
	return 0;
}

uint32_t silex_model_read(struct silex_model *model, uint32_t offset)
{
	uint32_t value;

	model->statistics.register_reads++;
	if (is_gone(model))
		return SILEX_GONE;
	value = read_register(model, offset);
	follow(model);
	return value;
}

static void write_register(struct silex_model *model, uint32_t offset, uint32_t value)
{
	if (offset % sizeof(uint32_t))
		return;
	if (model->cm && within(offset, SILEX_CM_BASE, SILEX_CM_SIZE))
		silex_cm_write(model->cm, offset - SILEX_CM_BASE, value);
	else if (model->pk && within(offset, SILEX_PK_BASE, SILEX_PK_SPACE))
		silex_pk_write(model->pk, offset - SILEX_PK_BASE, value);
	else if (model->pk && within(offset, SILEX_PK_RAM_BASE, SILEX_PK_RAM_SIZE))
		silex_pk_ram_write(model->pk, offset - SILEX_PK_RAM_BASE, value);
}

void silex_model_write(struct silex_model *model, uint32_t offset, uint32_t value)
{
	model->statistics.register_writes++;
	if (is_gone(model))
		return;
	write_register(model, offset, value);
	follow(model);
}

uint64_t silex_model_access_ns(const struct silex_model *model)
{
	return model->config.timing.zero ? 0 : model->config.timing.register_ns;
}

void silex_model_advance(struct silex_model *model)
{
	if (is_gone(model))
		return;
	if (model->cm)
		silex_cm_advance(model->cm);
	if (model->pk)
		silex_pk_advance(model->pk);
}

const struct silex_statistics *silex_model_statistics(const struct silex_model *model)
{
	return &model->statistics;
}
