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
#include "rules.h"
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
	struct silex_rules *rules; /* NULL: they are not checked */
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

static bool rules_memory(void *opaque, uint64_t address, void *data, size_t size)
{
	const struct silex_host *host = opaque;

	return host->read(host->opaque, address, data, size) == 0;
}

static struct silex_rules *new_rules(struct silex_model *model)
{
	struct silex_rules *rules = malloc(sizeof(*rules));

	if (!rules)
		return NULL;
	silex_rules_begin(rules, SILEX_PK_STRIDE(model->config.pk_max_bytes),
			  model->config.address64, rules_memory, &model->host);
	/* the core takes several messages for a START, though no other driver gives it as many */
	rules->except = 1u << SILEX_RULE_CM_ONE;
	return rules;
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
	if (config->rules)
		model->rules = new_rules(model);
	if ((config->cryptomaster && !model->cm) || (config->pk && !model->pk) ||
	    (config->rules && !model->rules)) {
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
	free(model->rules);
	silex_wipe(model, sizeof(*model));
	free(model);
}

void silex_model_reset(struct silex_model *model)
{
	if (model->cm)
		silex_cm_reset(model->cm);
	if (model->pk)
		silex_pk_reset(model->pk);
	if (model->rules)
		silex_rules_reset(model->rules);
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

/* ---- rules of public drivers ---- */

static void check(struct silex_model *model, uint32_t offset, uint32_t value, unsigned size,
		  void (*access)(struct silex_rules *rules, uint32_t offset, uint32_t value))
{
	unsigned before;

	if (!model->rules || size != sizeof(uint32_t))
		return;
	before = silex_rules_breaches(model->rules, 0);
	access(model->rules, offset, value);
	if (silex_rules_breaches(model->rules, 0) != before)
		event(model, "rule-broken", offset);
}

const char *silex_model_breach(const struct silex_model *model)
{
	return model->rules ? model->rules->first : "";
}

/* ---- registers ---- */

static uint32_t presence(const struct silex_config *config)
{
	uint32_t value = config->presence_others;

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
	case SILEX_SHA3_CAPS:
		return config->sha3_caps;
	case SILEX_SM4_CAPS:
		return config->sm4_caps;
	case SILEX_ARIA_CAPS:
		return config->aria_caps;
	default:
		return 0;
	}
}

static bool within(uint32_t offset, uint32_t base, uint32_t size)
{
	return offset >= base && offset - base < size;
}

static bool is_operand_ram(const struct silex_model *model, uint32_t offset)
{
	return model->pk && within(offset, SILEX_PK_RAM_BASE, SILEX_PK_RAM_SIZE);
}

static bool is_microcode_ram(const struct silex_model *model, uint32_t offset)
{
	return model->pk && within(offset, SILEX_PK_CODE_BASE, SILEX_PK_CODE_SIZE);
}

static uint32_t read_register(struct silex_model *model, uint32_t offset)
{
	if (model->cm && within(offset, SILEX_CM_BASE, SILEX_CM_SIZE))
		return silex_cm_read(model->cm, offset - SILEX_CM_BASE);
	if (within(offset, SILEX_PRESENCE_BASE, SILEX_PRESENCE_SIZE))
		return read_presence(&model->config, offset);
	if (model->pk && within(offset, SILEX_PK_BASE, SILEX_PK_SPACE))
		return silex_pk_read(model->pk, offset - SILEX_PK_BASE);
	return 0;
}

/* Words, and in both RAMs what they are made of */
static bool is_aligned(uint32_t offset, unsigned size)
{
	return (size == 1 || size == 2 || size == sizeof(uint32_t)) && offset % size == 0;
}

static uint32_t read_part(struct silex_model *model, uint32_t offset, unsigned size)
{
	if (!is_aligned(offset, size))
		return 0;
	if (is_operand_ram(model, offset))
		return silex_pk_ram_read(model->pk, offset - SILEX_PK_RAM_BASE, size);
	if (is_microcode_ram(model, offset))
		return silex_pk_code_read(model->pk, offset - SILEX_PK_CODE_BASE, size);
	return size == sizeof(uint32_t) ? read_register(model, offset) : 0;
}

uint32_t silex_model_read_part(struct silex_model *model, uint32_t offset, unsigned size)
{
	uint32_t value;

	model->statistics.register_reads++;
	if (is_gone(model))
		return size < sizeof(uint32_t) ? (1u << 8 * size) - 1 : SILEX_GONE;
	value = read_part(model, offset, size);
	check(model, offset, value, size, silex_rules_read);
	follow(model);
	return value;
}

uint32_t silex_model_read(struct silex_model *model, uint32_t offset)
{
	return silex_model_read_part(model, offset, sizeof(uint32_t));
}

static void write_register(struct silex_model *model, uint32_t offset, uint32_t value)
{
	if (model->cm && within(offset, SILEX_CM_BASE, SILEX_CM_SIZE))
		silex_cm_write(model->cm, offset - SILEX_CM_BASE, value);
	else if (model->pk && within(offset, SILEX_PK_BASE, SILEX_PK_SPACE))
		silex_pk_write(model->pk, offset - SILEX_PK_BASE, value);
}

static void write_part(struct silex_model *model, uint32_t offset, uint32_t value, unsigned size)
{
	if (!is_aligned(offset, size))
		return;
	if (is_operand_ram(model, offset))
		silex_pk_ram_write(model->pk, offset - SILEX_PK_RAM_BASE, value, size);
	else if (is_microcode_ram(model, offset))
		silex_pk_code_write(model->pk, offset - SILEX_PK_CODE_BASE, value, size);
	else if (size == sizeof(uint32_t))
		write_register(model, offset, value);
}

void silex_model_write_part(struct silex_model *model, uint32_t offset, uint32_t value,
			    unsigned size)
{
	model->statistics.register_writes++;
	if (is_gone(model))
		return;
	check(model, offset, value, size, silex_rules_write);
	write_part(model, offset, value, size);
	follow(model);
}

void silex_model_write(struct silex_model *model, uint32_t offset, uint32_t value)
{
	silex_model_write_part(model, offset, value, sizeof(uint32_t));
}

/* ---- CryptoMaster's way to operand RAM; source: Silicon Labs sx_memcpy.c ---- */

static bool dma_reaches(const struct silex_model *model, uint32_t offset, size_t size)
{
	return is_operand_ram(model, offset) &&
	       size <= SILEX_PK_RAM_BASE + SILEX_PK_RAM_SIZE - offset;
}

/* The DMA's accesses are words where they can be, as those of a processor */
static unsigned dma_piece(uint32_t offset, size_t size)
{
	return offset % sizeof(uint32_t) == 0 && size >= sizeof(uint32_t) ? sizeof(uint32_t) : 1;
}

int silex_model_dma_read(struct silex_model *model, uint32_t offset, void *data, size_t size)
{
	uint8_t *bytes = data;

	if (!dma_reaches(model, offset, size))
		return -1;
	while (size > 0) {
		unsigned piece = dma_piece(offset, size);
		uint32_t value = read_part(model, offset, piece);

		for (unsigned i = 0; i < piece; i++)
			*bytes++ = (uint8_t)(value >> (8 * i));
		offset += piece;
		size -= piece;
	}
	return 0;
}

int silex_model_dma_write(struct silex_model *model, uint32_t offset, const void *data, size_t size)
{
	const uint8_t *bytes = data;

	if (!dma_reaches(model, offset, size))
		return -1;
	while (size > 0) {
		unsigned piece = dma_piece(offset, size);
		uint32_t value = 0;

		for (unsigned i = 0; i < piece; i++)
			value |= (uint32_t)*bytes++ << (8 * i);
		write_part(model, offset, value, piece);
		offset += piece;
		size -= piece;
	}
	return 0;
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
