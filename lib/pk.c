/* SPDX-License-Identifier: Apache-2.0 */
#include "pk.h"

#include <endian.h>
#include <string.h>

#include "../silex/soc.h"
#include "barrier.h"
#include "clock.h"
#include "health.h"
#include "share.h"
#include "wait.h"

#define REGISTER(offset) (SILEX_PK_BASE + (offset))

/* Bits that STATUS can have; a core that shows others cannot be trusted */
#define STATUS_BITS \
	(SILEX_PK_STATUS_ERRORS | SILEX_PK_STATUS_BUSY | SILEX_PK_STATUS_IRQ | 0x1fu << 24 | 0x0fu)

/* A core that another one has just left is clearing its memory; after a reset, too */
static const struct fs_prediction free_soon = { .ns = 20 * FS_MICROSECOND };

#define RAND_ALL (SILEX_PK_RAND_MOD | SILEX_PK_RAND_KE | SILEX_PK_RAND_PROJ)

static uint32_t read_status(struct fs_pk *pk)
{
	return fs_read(pk->transport, FS_PK, REGISTER(SILEX_PK_STATUS));
}

static void write_register(struct fs_pk *pk, uint32_t offset, uint32_t value)
{
	fs_write(pk->transport, FS_PK, REGISTER(offset), value);
}

/* ---- waiting ---- */

/* All ones in STATUS include BUSY, and end the wait, too: the caller checks for them */
static bool is_free(void *opaque)
{
	struct fs_pk *pk = opaque;

	pk->status = read_status(pk);
	return !(pk->status & SILEX_PK_STATUS_BUSY) || pk->status == SILEX_GONE;
}

static void arm(void *opaque)
{
	struct fs_pk *pk = opaque;

	pk->transport->ops->arm(pk->transport);
}

static int wait_until_free(struct fs_pk *pk, const struct fs_prediction *prediction)
{
	const struct fs_wait wait = { pk->device, FS_PK, is_free, arm, pk };

	if (fs_wait(&wait, prediction) < 0)
		return fs_health_faulty(pk->device, FS_PK);
	if (pk->status == SILEX_GONE)
		return fs_health_gone(pk->device, FS_PK);
	if (pk->status & ~STATUS_BITS)
		return fs_health_faulty(pk->device, FS_PK);
	return FIRESTEEL_OK;
}

/* ---- acquire, release ---- */

int fs_pk_acquire(struct firesteel *device, struct fs_pk *pk)
{
	struct fs_deadline deadline = { .wait_ns = fs_timeout(device) };
	bool waited = false;
	int error = fs_health_error(device, FS_PK);

	if (error)
		return error;
	*pk = (struct fs_pk){ .device = device, .transport = device->transport };
	pk->stride = SILEX_PK_STRIDE(device->capabilities.operand_bytes);
	if (!fs_turn_acquire(&device->turn[FS_PK], &deadline, &waited))
		return FIRESTEEL_ERROR_TIMEOUT;
	error = fs_share_acquire(pk->transport, fs_deadline_at(&deadline), &pk->evidence.generation,
				 &waited);
	if (waited)
		fs_count(&device->statistics.queued, 1);
	if (error) {
		fs_turn_release(&device->turn[FS_PK]);
		return error == FIRESTEEL_ERROR_GONE ? fs_health_gone(device, FS_PK) : error;
	}
	return FIRESTEEL_OK;
}

/* The next owner waits until it is done */
static void start_clearing(struct fs_pk *pk)
{
	write_register(pk, SILEX_PK_COMMAND, SILEX_PK_OP_CLEAR_MEMORY);
	fs_barrier_write();
	write_register(pk, SILEX_PK_CONTROL, SILEX_PK_CONTROL_RUN);
}

/* The register that no owner leaves at 0: silex/share.h */
static bool was_reset(struct fs_pk *pk)
{
	return pk->unproven && fs_read(pk->transport, FS_PK, REGISTER(SILEX_PK_POINTERS)) == 0;
}

void fs_pk_release(struct fs_pk *pk)
{
	uint32_t status = read_status(pk);

	if (status != SILEX_GONE && (status & SILEX_PK_STATUS_BUSY || was_reset(pk))) {
		/* It does not answer: nobody may touch it until the kernel has recovered it.  Or
		 * it was reset: the kernel notifies the others. */
		fs_share_give_up(pk->transport);
	} else {
		if (status != SILEX_GONE)
			start_clearing(pk);
		fs_share_release(pk->transport);
	}
	fs_turn_release(&pk->device->turn[FS_PK]);
}

/* ---- operands and results ---- */

/* Operands go in words; a big-endian one ends with its slot */
static size_t words_of(const struct fs_pk_call *call)
{
	return (call->size + 3) / 4;
}

static uint32_t offset_of(const struct fs_pk *pk, const struct fs_pk_call *call, unsigned slot)
{
	size_t offset = slot * pk->stride;

	if (!call->step->little)
		offset += pk->stride - 4 * words_of(call);
	return SILEX_PK_RAM_BASE + (uint32_t)offset;
}

static void put(struct fs_pk *pk, const struct fs_pk_call *call, unsigned slot,
		struct firesteel_bytes number)
{
	size_t words = words_of(call);
	uint8_t bytes[FS_NUMBER_MAX];

	if (call->step->little) {
		size_t used = number.size < 4 * words ? number.size : 4 * words;

		memcpy(bytes, number.data, used);
		memset(bytes + used, 0, 4 * words - used);
	} else {
		fs_number_pad(number, bytes, 4 * words);
	}
	pk->transport->ops->put(pk->transport, offset_of(pk, call, slot), bytes, words);
	firesteel_wipe(bytes, 4 * words);
}

static void get(struct fs_pk *pk, const struct fs_pk_call *call, unsigned slot, uint8_t *bytes)
{
	size_t words = words_of(call), skip = call->step->little ? 0 : 4 * words - call->size;
	uint8_t found[FS_NUMBER_MAX];

	pk->transport->ops->get(pk->transport, offset_of(pk, call, slot), found, words);
	memcpy(bytes, found + skip, call->size);
	firesteel_wipe(found, 4 * words);
}

/* Whole even where operands are shorter */
static void put_blinding(struct fs_pk *pk, const struct fs_pk_call *call)
{
	uint8_t bytes[SILEX_PK_BLINDING_BYTES];
	struct fs_pk_call whole = *call;
	uint64_t factor;

	if (whole.size < sizeof(bytes))
		whole.size = sizeof(bytes);
	fs_random_get(&pk->device->random, bytes, sizeof(bytes));
	memcpy(&factor, bytes, sizeof(factor));
	factor = SILEX_PK_BLINDING(factor);
	factor = call->step->little ? htole64(factor) : htobe64(factor);
	memcpy(bytes, &factor, sizeof(bytes));
	put(pk, &whole, SILEX_PK_SLOT_BLINDING, (struct firesteel_bytes){ bytes, sizeof(bytes) });
	firesteel_wipe(bytes, sizeof(bytes));
	firesteel_wipe(&factor, sizeof(factor));
}

/* ---- a call ---- */

static bool is_protected(const struct fs_pk *pk)
{
	return pk->protect && pk->device->capabilities.protection;
}

static uint32_t command_of(const struct fs_pk *pk, const struct fs_pk_call *call)
{
	uint32_t command = call->step->command | call->more | SILEX_PK_SIZE(call->size);

	if (!is_protected(pk))
		command &= ~RAND_ALL;
	return command | (call->step->little ? 0 : SILEX_PK_SWAP_BYTES);
}

/*
 * The core is free.  Its status is read once more when the evidence lies in operand RAM: the
 * clearing that follows a reset is then not under way, so all that comes later is cleared with the
 * evidence or not at all.
 */
static int prepare_evidence(struct fs_pk *pk, const struct fs_pk_call *call)
{
	pk->evidence.command = pk->command;
	fs_evidence_prepare(&pk->evidence, pk->transport, &pk->device->random, pk->stride,
			    call->step->little);
	if (is_free(pk) && !(pk->status & ~STATUS_BITS))
		return FIRESTEEL_OK;
	return pk->status == SILEX_GONE ? fs_health_gone(pk->device, FS_PK)
					: fs_health_faulty(pk->device, FS_PK);
}

/* COMMAND comes first: it rules how operand RAM is accessed */
static int begin(struct fs_pk *pk, const struct fs_pk_call *call)
{
	int error = wait_until_free(pk, &free_soon);

	if (error)
		return error;
	pk->command = command_of(pk, call);
	write_register(pk, SILEX_PK_COMMAND, pk->command);
	error = prepare_evidence(pk, call);
	if (error)
		return error;
	/* Some operations ignore them, but silex/share.h wants them never to be 0 */
	write_register(pk, SILEX_PK_POINTERS, silex_pk_pointers(pk->command));
	if (pk->command & RAND_ALL)
		put_blinding(pk, call);
	for (unsigned i = 0; i < call->operands; i++)
		put(pk, call, call->operand[i].slot, call->operand[i].number);
	return FIRESTEEL_OK;
}

static int start_and_wait(struct fs_pk *pk, const struct fs_prediction *prediction)
{
	int error;

	fs_barrier_write();
	write_register(pk, SILEX_PK_CONTROL, SILEX_PK_CONTROL_RUN);
	error = wait_until_free(pk, prediction);
	if (error)
		return error;
	write_register(pk, SILEX_PK_CONTROL, SILEX_PK_CONTROL_CLEAR_IRQ);
	pk->status &= SILEX_PK_STATUS_ERRORS;
	return FIRESTEEL_OK;
}

static int check_evidence(struct fs_pk *pk)
{
	int error = fs_evidence_check(&pk->evidence, pk->transport);

	if (!error)
		return FIRESTEEL_OK;
	pk->unproven = true;
	fs_count(&pk->device->statistics.unproven, 1);
	return error == FIRESTEEL_ERROR_GONE ? fs_health_gone(pk->device, FS_PK)
					     : fs_health_faulty(pk->device, FS_PK);
}

static int error_of(struct fs_pk *pk, uint32_t errors)
{
	if (!errors)
		return FIRESTEEL_OK;
	/*
	 * Older cores say "infinity" with the bit by which newer ones say that their microcode is bad:
	 * software does it either way, and refuses what leads to infinity.  That is no fault of the core,
	 * as a peer can choose such a point.
	 */
	if (errors & (SILEX_PK_STATUS_NOT_IMPLEMENTED | SILEX_PK_STATUS_INFINITY))
		return FIRESTEEL_ERROR_ABSENT;
	if (errors & SILEX_PK_STATUS_BAD_SIGNATURE)
		return FIRESTEEL_ERROR_SIGNATURE;
	if (errors & (SILEX_PK_STATUS_NOT_ON_CURVE | SILEX_PK_STATUS_OUT_OF_RANGE |
		      SILEX_PK_STATUS_BAD_MODULUS | SILEX_PK_STATUS_BAD_CURVE |
		      SILEX_PK_STATUS_NOT_INVERTIBLE))
		return FIRESTEEL_ERROR_REFUSED;
	/* "composite", "no root" and the like: no step asks for these */
	return fs_health_faulty(pk->device, FS_PK);
}

/* What the core answers, which must not be used before the evidence is checked */
static int finish(struct fs_pk *pk, const struct fs_pk_call *call)
{
	struct fs_prediction prediction = fs_expect_step(&pk->device->expectations, call->step,
							 is_protected(pk), call->size, call->bits);
	uint64_t begin = fs_now(), end;
	int error = start_and_wait(pk, &prediction);

	if (error)
		return error;
	end = fs_now();
	for (unsigned i = 0; i < call->results && !pk->status; i++)
		get(pk, call, call->result[i].slot, call->result[i].bytes);
	error = check_evidence(pk);
	if (error)
		return error;
	fs_expect_learn(&pk->device->expectations, &prediction, begin, end);
	return error_of(pk, pk->status);
}

int fs_pk_run(struct fs_pk *pk, const struct fs_pk_call *call)
{
	int error = begin(pk, call);

	if (!error)
		error = finish(pk, call);
	for (unsigned i = 0; i < call->results && error; i++)
		firesteel_wipe(call->result[i].bytes, call->size);
	return error;
}

/* ---- requests ---- */

/* After a spurious "not invertible"; each retry has another blinding factor */
#define RETRIES 8u

static bool is_spurious(const struct fs_pk *pk, int error)
{
	return error == FIRESTEEL_ERROR_REFUSED && pk->command & RAND_ALL &&
	       pk->status & SILEX_PK_STATUS_NOT_INVERTIBLE;
}

int fs_pk_do(struct firesteel *device,
	     int (*steps)(struct fs_pk *pk, const struct firesteel_request *request),
	     const struct firesteel_request *request)
{
	struct fs_pk pk;
	int error = fs_pk_acquire(device, &pk);

	if (error)
		return error;
	pk.protect = !(request->flags & FIRESTEEL_UNPROTECTED);
	for (unsigned retry = 0; retry <= RETRIES; retry++) {
		if (retry > 0)
			fs_count(&device->statistics.retries, 1);
		error = steps(&pk, request);
		if (!is_spurious(&pk, error))
			break;
	}
	if (error == FIRESTEEL_ERROR_CHECK)
		fs_count(&device->statistics.checks_failed, 1);
	fs_pk_release(&pk);
	return error;
}
