/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long things take on this device.
 *
 * The public-key core's cycles follow a formula (docs/pk-timing.md); what one cycle takes is
 * measured when the device is opened.  CryptoMaster's messages take a constant plus a time per
 * byte, measured likewise.  Both are only first estimates, so each kind of operation has a factor
 * that follows the measured time.
 */
#ifndef FS_EXPECT_H
#define FS_EXPECT_H

#include <stdatomic.h>
#include <stdint.h>

#include "include/firesteel/firesteel.h"

#define FS_EXPECT_KINDS 512u

struct fs_expectations {
	unsigned multipliers;
	uint64_t register_ns; /* of an access */
	uint64_t cycle_ps; /* of the public-key core */
	uint64_t message_ns; /* of CryptoMaster, for any message */
	uint64_t byte_ps[2]; /* AES, hash */
	uint64_t around_ns[2]; /* by core: what the processor does before and after */
	uint64_t copy_ps; /* of a byte to the cores' memory and back */
	_Atomic uint64_t last[2]; /* ns of the last operation, by core */
	_Atomic uint64_t recent[2]; /* ns of an operation, by core, lately */
	_Atomic uint32_t factor[FS_EXPECT_KINDS]; /* of what the above gives, in 1/1024 */
};

struct fs_prediction {
	unsigned kind;
	unsigned core; /* enum fs_core */
	uint64_t plain; /* ns, without the factor */
	uint64_t ns;
};

void fs_expect_begin(struct fs_expectations *expectations, unsigned multipliers);

/* An operation of the public-key core; a message of CryptoMaster */
struct fs_prediction fs_expect_operation(struct fs_expectations *expectations, uint32_t command,
					 size_t size);
struct fs_prediction fs_expect_message(struct fs_expectations *expectations, bool hash,
				       unsigned mode, size_t size);

/* Updates the factor with the time that it took */
void fs_expect_learn(struct fs_expectations *expectations, const struct fs_prediction *prediction,
		     uint64_t ns);

/* What the last operation of a core took, ns */
uint64_t fs_expect_last(struct fs_expectations *expectations, unsigned core);

/* What operations of a core took lately, ns */
uint64_t fs_expect_recent(struct fs_expectations *expectations, unsigned core);

/* A whole request: registers, operations, what is between */
uint64_t fs_expect_request(struct fs_expectations *expectations,
			   const struct firesteel_capabilities *has,
			   const struct firesteel_request *request);

#endif
