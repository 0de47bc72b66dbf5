/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long things take on this device.
 *
 * The public-key core's cycles follow a formula (docs/pk-timing.md); the length of a cycle is
 * measured when the device is opened.  CryptoMaster's messages take a constant plus a time per
 * byte, which are also measured then.  Both are only first estimates; factors correct them for each
 * kind of operation.
 *
 * A measured time ends when the caller runs again, so it includes waiting for a busy processor.  A
 * caller that waits must expect this time.  A caller that chooses between core and software must
 * not: other threads use the processor during such a wait, and software would wait as well.  So
 * there are two factors.  The second follows short times at once and long times slowly.
 */
#ifndef FS_EXPECT_H
#define FS_EXPECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "include/firesteel/firesteel.h"

#define FS_EXPECT_KINDS 512u

/* Measurements of a kind of operation; each factor multiplies the formula's result, in 1/1024 */
struct fs_experience {
	_Atomic uint32_t factor; /* for the recent time until the caller goes on */
	_Atomic uint32_t undisturbed; /* for the time that the core needs, as far as known */
	_Atomic uint32_t least; /* for the shortest time ever, or 1 */
	atomic_bool sure; /* the last operation took about as long as predicted, or longer */
	_Atomic uint64_t learnt_ns; /* when */
};

struct fs_expectations {
	unsigned multipliers;
	uint64_t register_ns; /* of an access */
	uint64_t cycle_ps; /* of the public-key core */
	uint64_t message_ns; /* of CryptoMaster, the constant of a message */
	uint32_t byte_q10
		[2]; /* AES, hash: ns / 1024, because some processors lack a fast division */
	uint64_t around_ns[2]; /* by core: the processor's work before and after */
	uint32_t copy_q10; /* for a byte to the cores' memory and back, ns / 1024 */
	_Atomic uint64_t last[2]; /* ns of the last operation, by core */
	_Atomic uint64_t recent[2]; /* ns that the core recently needed for an operation, by core */
	struct fs_experience of[FS_EXPECT_KINDS];
};

struct fs_prediction {
	unsigned kind;
	unsigned core; /* enum fs_core */
	bool is_sure; /* it will hardly take less time */
	uint64_t plain; /* ns, by the formulas without factors */
	uint64_t ns; /* until the caller goes on */
};

/*
 * An operation of the public-key core, a constant.  A request takes one or more.
 *
 * Its cycles are the sum of its parts (docs/pk-timing.md), with numbers as long as its operands.  A
 * scalar has as many bits as the operands.  So does an exponent of unknown length.  Countermeasures
 * make both longer.
 */
struct fs_step {
	uint32_t command; /* opcode and countermeasures */
	bool little; /* operands are little-endian */
	unsigned operands; /* that are written and read */

	unsigned powers; /* exponentiations */
	unsigned half_powers; /* with numbers of half the length */
	unsigned products_per_bit; /* of the scalar */
	unsigned products;
	unsigned inverses;
	bool fixed_length; /* countermeasures do not make its scalar longer */
};

void fs_expect_begin(struct fs_expectations *expectations, unsigned multipliers);

/* An operation of the public-key core, with or without its countermeasures, and a message of
 * CryptoMaster.  `bits` is the length of the exponent; 0: the length of the operands. */
struct fs_prediction fs_expect_step(struct fs_expectations *expectations,
				    const struct fs_step *step, bool protect, size_t size,
				    unsigned bits);
struct fs_prediction fs_expect_message(struct fs_expectations *expectations, bool hash,
				       unsigned mode, size_t size);

/*
 * The time that the core needs, ns: callers choose by it.  If the core became slower and was not
 * measured for a long time, the function returns the shortest earlier time, so that the core gets
 * another try.  "Long" means that tries in vain cost less than a hundredth of the time.
 */
uint64_t fs_expect_undisturbed(struct fs_expectations *expectations,
			       const struct fs_prediction *prediction);

/* Updates the factors with the measured time: from `begin` to `end`, both from fs_now() */
void fs_expect_learn(struct fs_expectations *expectations, const struct fs_prediction *prediction,
		     uint64_t begin, uint64_t end);

/* Duration of a core's last operation, ns */
uint64_t fs_expect_last(struct fs_expectations *expectations, unsigned core);

/* Recent duration of a core's operations, ns */
uint64_t fs_expect_recent(struct fs_expectations *expectations, unsigned core);

/* ---- a whole request: its operations, and the registers and bytes that the processor moves ---- */

struct fs_estimate {
	struct fs_expectations *expectations;
	const struct firesteel_capabilities *has;
	bool protect; /* with countermeasures */
	uint64_t ns;
};

/* Begins with the processor's work before and after */
struct fs_estimate fs_estimate_begin(struct fs_expectations *expectations,
				     const struct firesteel_capabilities *has, unsigned core,
				     bool protect);

/* `more`: operands that it loads in addition to the step's.  fs_estimate_power(): a power whose
 * exponent has `bits` bits. */
void fs_estimate_step(struct fs_estimate *estimate, const struct fs_step *step, size_t size,
		      unsigned more);
void fs_estimate_power(struct fs_estimate *estimate, const struct fs_step *step, size_t size,
		       unsigned bits);
void fs_estimate_message(struct fs_estimate *estimate, bool hash, unsigned mode, size_t size);

#endif
