/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * BA414E: registers, operand RAM, and when an operation begins and ends.
 *
 * Operand RAM keeps numbers big-endian at the end of their slots, as drivers see them with
 * SWAP_BYTES.  Without it a byte lies as far from the start of its slot as it is kept from the
 * end: so an operand that is written one way and read the other comes out reversed, and both ways
 * the core computes with the same number.  (Assumption: the core is only known to swap bytes on
 * its bus, with operands where they are described above.)
 */
#include "pk.h"

#include <gcrypt.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../silex/soc.h"
#include "pk-opcode.h"
#include "pk-timing.h"
#include "wipe.h"

#define COMMAND_RESET SILEX_PK_OP_CLEAR_MEMORY
#define COMMAND_MASK  0xf77bffffu /* source: a Microchip device header */
#define POINTERS_MASK 0x0f0f0f0fu

struct silex_pk {
	const struct silex_config *config;
	struct silex_owner owner;
	struct silex_statistics *statistics;

	uint32_t pointers;
	uint32_t command;
	uint32_t status; /* without BUSY */
	uint32_t timer;

	bool busy;
	bool clearing; /* ... with CLEAR_MEMORY, or after power-on */
	bool quiet; /* no interrupt at the end */
	uint64_t begin; /* ns, of the running operation */
	uint64_t end; /* ns, or SILEX_MODEL_NEVER */
	uint64_t cycles;

	size_t stride;
	uint8_t ram[SILEX_PK_RAM_SIZE];
	uint8_t code[SILEX_PK_CODE_SIZE];
	bool loaded[SILEX_PK_CODE_SIZE]; /* bytes of it that were written since the last reset */
};

static void begin_libgcrypt(void)
{
	/* the program around us, QEMU for one, may have done so */
	if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P))
		return;
	gcry_check_version(NULL);
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

struct silex_pk *silex_pk_new(const struct silex_config *config, const struct silex_owner *owner,
			      struct silex_statistics *statistics)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct silex_pk *pk = calloc(1, sizeof(*pk));

	if (!pk)
		return NULL;
	pthread_once(&once, begin_libgcrypt);
	pk->config = config;
	pk->owner = *owner;
	pk->statistics = statistics;
	pk->stride = SILEX_PK_STRIDE(config->pk_max_bytes);
	silex_pk_reset(pk);
	return pk;
}

void silex_pk_free(struct silex_pk *pk)
{
	if (!pk)
		return;
	silex_wipe(pk, sizeof(*pk));
	free(pk);
}

static uint64_t now(const struct silex_pk *pk)
{
	return pk->owner.host->now(pk->owner.host->opaque);
}

static void set_irq(struct silex_pk *pk, bool level)
{
	bool was = pk->status & SILEX_PK_STATUS_IRQ;

	if (level == was)
		return;
	pk->status ^= SILEX_PK_STATUS_IRQ;
	if (level)
		pk->statistics->pk_interrupts++;
	pk->owner.interrupt(pk->owner.opaque, level);
}

static struct silex_pk_operation describe(struct silex_pk *pk)
{
	return (struct silex_pk_operation){
		.config = pk->config,
		.ram = pk->ram,
		.stride = pk->stride,
		.command = pk->command,
		.pointers = pk->pointers,
		.size = SILEX_PK_SIZE_OF(pk->command),
	};
}

static bool strikes(struct silex_pk *pk, enum silex_fault_kind kind)
{
	return pk->owner.fault(pk->owner.opaque, kind);
}

/* The fault: one bit of the last result */
static void flip_bit(struct silex_pk *pk, const struct silex_pk_operation *operation)
{
	unsigned slot = 0;
	uint64_t bit = pk->owner.random(pk->owner.opaque) % (8 * operation->size);

	while (operation->results >> (slot + 1))
		slot++;
	silex_pk_place(operation, slot)[bit / 8] ^= (uint8_t)(1u << (bit % 8));
}

static void count(struct silex_pk *pk, uint32_t errors)
{
	const struct silex_pk_opcode *opcode = silex_pk_find_opcode(pk->config, pk->command);

	pk->statistics->pk_operations++;
	if (errors)
		pk->statistics->pk_failed++;
	if (opcode && opcode->family == SILEX_PK_EXPONENTIATION)
		pk->statistics->pk_exponentiations++;
	else if (opcode && opcode->family != SILEX_PK_ARITHMETIC)
		pk->statistics->pk_points++;
}

/* Whether the part has the microcode that it demands: which it is makes no difference here */
static bool has_microcode(const struct silex_pk *pk)
{
	for (unsigned i = 0; i < pk->config->pk_microcode; i++)
		if (!pk->loaded[i])
			return false;
	return true;
}

/*
 * What a part says differs with its age.  Those whose bit 5 is another error (assumption): a point at
 * infinity cannot be inverted; without microcode no operation is implemented.
 */
static uint32_t as_told(const struct silex_pk *pk, uint32_t errors)
{
	const struct silex_config *config = pk->config;

	if (errors == SILEX_PK_STATUS_INFINITY && !config->pk_infinity)
		return SILEX_PK_STATUS_NOT_INVERTIBLE;
	if (errors == SILEX_PK_STATUS_BAD_ORDER && !config->pk_bad_order)
		return SILEX_PK_STATUS_BAD_CURVE;
	return errors;
}

static uint32_t run_operation(struct silex_pk *pk, struct silex_pk_operation *operation)
{
	if (has_microcode(pk))
		return as_told(pk, silex_pk_run(operation));
	return pk->config->pk_infinity ? SILEX_PK_STATUS_NOT_IMPLEMENTED
				       : SILEX_PK_STATUS_BAD_MICROCODE;
}

/* Takes the operands, computes, writes results and errors */
static void compute(struct silex_pk *pk)
{
	struct silex_pk_operation operation = describe(pk);
	uint32_t errors = run_operation(pk, &operation);

	if (errors)
		pk->status |= errors | operation.fail << (pk->config->pk_fail_pointer_old ? 0 : 24);
	if (operation.results && strikes(pk, SILEX_FAULT_FLIPPED_BIT))
		flip_bit(pk, &operation);
	count(pk, errors);
}

/* The running operation's time, as far as it got: one that hangs has none */
static void count_busy(struct silex_pk *pk)
{
	uint64_t until = now(pk) < pk->end ? now(pk) : pk->end;

	if (pk->busy && pk->end != SILEX_MODEL_NEVER)
		pk->statistics->pk_busy_ns += until - pk->begin;
}

static void finish(struct silex_pk *pk)
{
	count_busy(pk);
	pk->busy = false;
	pk->owner.wake_at(pk->owner.opaque, SILEX_MODEL_NEVER);
	pk->timer = pk->cycles > UINT32_MAX ? UINT32_MAX - 1 : (uint32_t)pk->cycles;
	if (pk->clearing)
		silex_wipe(pk->ram, sizeof(pk->ram));
	else
		compute(pk);
	pk->owner.event(pk->owner.opaque, "pk-end", pk->status);
	if (!pk->quiet)
		set_irq(pk, true);
}

void silex_pk_advance(struct silex_pk *pk)
{
	if (pk->busy && now(pk) >= pk->end)
		finish(pk);
}

/* Becomes busy for so many cycles; in zero-time mode the end is there at once */
static void run(struct silex_pk *pk, uint64_t cycles)
{
	uint64_t ns = silex_cycles_ns(&pk->config->timing, cycles);

	pk->busy = true;
	pk->cycles = cycles & ~(uint64_t)1;
	pk->begin = now(pk);
	pk->end = pk->begin + ns;
	if (ns == 0)
		finish(pk);
	else
		pk->owner.wake_at(pk->owner.opaque, pk->end);
}

/* Never ends; a reset of the whole window does */
static void hang(struct silex_pk *pk)
{
	pk->busy = true;
	pk->end = SILEX_MODEL_NEVER;
}

static void start_operation(struct silex_pk *pk)
{
	struct silex_pk_operation operation = describe(pk);
	uint64_t cycles = has_microcode(pk) ? silex_pk_cycles(&operation)
					    : pk->config->timing.pk_operation_cycles;

	if (strikes(pk, SILEX_FAULT_GONE) || strikes(pk, SILEX_FAULT_STUCK_BUSY)) {
		hang(pk);
		return;
	}
	pk->quiet = strikes(pk, SILEX_FAULT_LOST_INTERRUPT);
	if (strikes(pk, SILEX_FAULT_SPURIOUS_INTERRUPT))
		set_irq(pk, true);
	if (strikes(pk, SILEX_FAULT_LATE))
		cycles = silex_longer(cycles, pk->config->faults.fault[SILEX_FAULT_LATE].factor);
	run(pk, cycles);
}

static void start(struct silex_pk *pk)
{
	pk->status &= SILEX_PK_STATUS_IRQ;
	pk->clearing = (pk->command & SILEX_PK_OPCODE_MASK) == SILEX_PK_OP_CLEAR_MEMORY;
	pk->quiet = false;
	pk->owner.event(pk->owner.opaque, "pk-start", pk->command);
	if (pk->clearing)
		run(pk, pk->config->timing.pk_operation_cycles + silex_pk_clear_cycles(pk->config));
	else
		start_operation(pk);
}

void silex_pk_reset(struct silex_pk *pk)
{
	set_irq(pk, false);
	count_busy(pk);
	pk->pointers = 0;
	pk->command = COMMAND_RESET;
	pk->status = 0;
	pk->timer = 0;
	pk->clearing = true;
	pk->quiet = false; /* a driver sleeps until it is over; source: Nordic pk_baremetal.c */
	silex_wipe(pk->ram, sizeof(pk->ram));
	silex_wipe(pk->code, sizeof(pk->code));
	memset(pk->loaded, 0, sizeof(pk->loaded));
	run(pk, silex_pk_clear_cycles(pk->config));
}

static uint32_t hardware(const struct silex_config *config)
{
	/* 4^power multipliers, where the field has 0, 1, 2, 4 and 8 for powers 0 to 4 */
	uint32_t multipliers = config->pk_multipliers == 256  ? 8
			       : config->pk_multipliers == 64 ? 4
			       : config->pk_multipliers == 16 ? 2
			       : config->pk_multipliers == 4  ? 1
							      : 0;
	uint32_t value = config->pk_max_bytes | SILEX_PK_HWCONFIG_MULTIPLIERS(multipliers) |
			 config->pk_curves | config->pk_features;

	return config->pk_protection ? value : value | SILEX_PK_HWCONFIG_NO_PROTECTION;
}

uint32_t silex_pk_read(struct silex_pk *pk, uint32_t offset)
{
	silex_pk_advance(pk);
	switch (offset) {
	case SILEX_PK_POINTERS:
		return pk->pointers;
	case SILEX_PK_COMMAND:
		return pk->command;
	case SILEX_PK_STATUS:
		return pk->busy ? pk->status | SILEX_PK_STATUS_BUSY : pk->status;
	case SILEX_PK_VERSION:
		return pk->config->pk_version;
	case SILEX_PK_TIMER:
		return pk->timer;
	case SILEX_PK_HWCONFIG:
		return hardware(pk->config);
	default:
		return 0;
	}
}

void silex_pk_write(struct silex_pk *pk, uint32_t offset, uint32_t value)
{
	silex_pk_advance(pk);
	if (offset == SILEX_PK_CONTROL) {
		if (value & SILEX_PK_CONTROL_CLEAR_IRQ)
			set_irq(pk, false);
		if (value & SILEX_PK_CONTROL_START && !pk->busy)
			start(pk);
		return;
	}
	if (pk->busy)
		return;
	if (offset == SILEX_PK_POINTERS)
		pk->pointers = value & POINTERS_MASK;
	else if (offset == SILEX_PK_COMMAND)
		pk->command = value & COMMAND_MASK;
	else if (offset == SILEX_PK_TIMER)
		pk->timer = value & ~1u;
}

/* Whether both RAMs take accesses of that size */
static bool takes(const struct silex_pk *pk, unsigned size)
{
	return size == sizeof(uint32_t) || !pk->config->pk_words;
}

/* What is in operand RAM at `offset`: where its first byte is kept, and the step to the next */
static uint8_t *locate(struct silex_pk *pk, uint32_t offset, int *step)
{
	size_t begin = offset / pk->stride * pk->stride;

	if (pk->command & SILEX_PK_SWAP_BYTES) {
		*step = 1;
		return pk->ram + offset;
	}
	*step = -1;
	return pk->ram + begin + (begin + pk->stride - 1 - offset);
}

/* Whether the part takes an access of that size there, and is not at work on its operands */
static bool is_ram(const struct silex_pk *pk, uint32_t offset, unsigned size)
{
	return !pk->busy && offset < SILEX_PK_SLOTS * pk->stride && takes(pk, size);
}

uint32_t silex_pk_ram_read(struct silex_pk *pk, uint32_t offset, unsigned size)
{
	uint32_t value = 0;
	int step;

	silex_pk_advance(pk);
	if (!is_ram(pk, offset, size))
		return 0;

	const uint8_t *byte = locate(pk, offset, &step);

	for (unsigned i = 0; i < size; i++)
		value |= (uint32_t)byte[(int)i * step] << (8 * i);
	return value;
}

void silex_pk_ram_write(struct silex_pk *pk, uint32_t offset, uint32_t value, unsigned size)
{
	int step;

	silex_pk_advance(pk);
	if (!is_ram(pk, offset, size))
		return;

	uint8_t *byte = locate(pk, offset, &step);

	for (unsigned i = 0; i < size; i++)
		byte[(int)i * step] = (uint8_t)(value >> (8 * i));
}

uint32_t silex_pk_code_read(struct silex_pk *pk, uint32_t offset, unsigned size)
{
	uint32_t value = 0;

	for (unsigned i = 0; takes(pk, size) && i < size; i++)
		value |= (uint32_t)pk->code[offset + i] << (8 * i);
	return value;
}

void silex_pk_code_write(struct silex_pk *pk, uint32_t offset, uint32_t value, unsigned size)
{
	for (unsigned i = 0; takes(pk, size) && i < size; i++) {
		pk->code[offset + i] = (uint8_t)(value >> (8 * i));
		pk->loaded[offset + i] = true;
	}
}
