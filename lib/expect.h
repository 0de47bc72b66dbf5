/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long things take on this device.
 *
 * The public-key core's cycles follow a formula (docs/pk-timing.md); what one cycle takes is
 * measured when the device is opened.  CryptoMaster's messages take a constant plus a time per
 * byte, measured likewise.  Both are only first estimates, which factors correct for each kind of
 * operation.
 *
 * A measured time ends when the caller runs again, so it includes the wait for a processor that others
 * keep busy.  Who waits must expect this time.  Who chooses between core and software must not: such a
 * wait costs the processor nothing, as others have it meanwhile, and software would wait as well.  So
 * there are two factors, of which the second follows short times at once and long ones slowly.
 */
#ifndef FS_EXPECT_H
#define FS_EXPECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "include/firesteel/firesteel.h"

#define FS_EXPECT_KINDS 512u

/* What was learnt of a kind of operation; factors are of what the formulas give, in 1/1024 */
struct fs_experience {
	_Atomic uint32_t factor; /* of the time until the caller goes on, lately */
	_Atomic uint32_t undisturbed; /* of the time that the core needs, as far as can be told */
	_Atomic uint32_t least; /* of the shortest time ever, or 1: what the formulas give */
	atomic_bool sure; /* the last one took no less than was predicted, or hardly */
	_Atomic uint64_t learnt_ns; /* when */
};

struct fs_expectations {
	unsigned multipliers;
	uint64_t register_ns; /* of an access */
	uint64_t cycle_ps; /* of the public-key core */
	uint64_t message_ns; /* of CryptoMaster, for any message */
	uint32_t byte_q10
		[2]; /* AES, hash: ns / 1024, as a division takes long where a processor has none */
	uint64_t around_ns[2]; /* by core: what the processor does before and after */
	uint32_t copy_q10; /* of a byte to the cores' memory and back, ns / 1024 */
	_Atomic uint64_t last[2]; /* ns of the last operation, by core */
	_Atomic uint64_t recent[2]; /* ns that the core needed for an operation, by core, lately */
	struct fs_experience of[FS_EXPECT_KINDS];
};

struct fs_prediction {
	unsigned kind;
	unsigned core; /* enum fs_core */
	bool is_sure; /* it will hardly take less */
	uint64_t plain; /* ns, by the formulas alone */
	uint64_t ns; /* until the caller goes on */
};

/*
 * An operation of the public-key core, of which a request takes one or more: a constant.
 *
 * Its cycles are those of its parts (docs/pk-timing.md) with numbers as long as its operands.  A scalar
 * has as many bits as these, and so has an exponent whose length is not given; countermeasures make
 * both longer.
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
	bool fixed_length; /* countermeasures make its scalar no longer */
};

void fs_expect_begin(struct fs_expectations *expectations, unsigned multipliers);

/* An operation of the public-key core, with its countermeasures or without; `bits`: of the exponent, 0:
 * as many as the operands have.  A message of CryptoMaster. */
struct fs_prediction fs_expect_step(struct fs_expectations *expectations,
				    const struct fs_step *step, bool protect, size_t size,
				    unsigned bits);
struct fs_prediction fs_expect_message(struct fs_expectations *expectations, bool hash,
				       unsigned mode, size_t size);

/*
 * What a caller chooses by: the time that the core needs, ns.  If it is said to need more than it once did, and
 * has not been measured for long, it is said to need no more than then: it gets another try.  "Long" is so much
 * longer than an operation that tries in vain cost less than a hundredth of the time.
 */
uint64_t fs_expect_undisturbed(struct fs_expectations *expectations,
			       const struct fs_prediction *prediction);

/* Updates the factors with the time that it took: from `begin` to `end`, as fs_now() says them */
void fs_expect_learn(struct fs_expectations *expectations, const struct fs_prediction *prediction,
		     uint64_t begin, uint64_t end);

/* What the last operation of a core took, ns */
uint64_t fs_expect_last(struct fs_expectations *expectations, unsigned core);

/* What operations of a core needed lately, ns */
uint64_t fs_expect_recent(struct fs_expectations *expectations, unsigned core);

/* ---- a whole request: its operations, and the registers and bytes that the processor moves ---- */

struct fs_estimate {
	struct fs_expectations *expectations;
	const struct firesteel_capabilities *has;
	bool protect; /* with countermeasures */
	uint64_t ns;
};

/* Begins with what the processor does before and after */
struct fs_estimate fs_estimate_begin(struct fs_expectations *expectations,
				     const struct firesteel_capabilities *has, unsigned core,
				     bool protect);

/* `more`: operands that it loads besides its own.  A power by an exponent of so many bits. */
void fs_estimate_step(struct fs_estimate *estimate, const struct fs_step *step, size_t size,
		      unsigned more);
void fs_estimate_power(struct fs_estimate *estimate, const struct fs_step *step, size_t size,
		       unsigned bits);
void fs_estimate_message(struct fs_estimate *estimate, bool hash, unsigned mode, size_t size);

#endif
