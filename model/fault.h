/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Faults on demand: which, how often, and with what effect.
 *
 * An operation is a CryptoMaster job (a message up to LAST) or a public-key operation.  Each
 * fault has its own count of the operations that it can strike and its own random sequence, so
 * that one does not change when another is added.
 */
#ifndef SILEX_FAULT_H
#define SILEX_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum silex_fault_kind {
	SILEX_FAULT_DMA_ERROR, /* "dma-error": bus error at a random descriptor of the job */
	SILEX_FAULT_WRONG_TAG, /* "wrong-tag": one bit of GCM's, CCM's or CMAC's tag is flipped */
	SILEX_FAULT_STUCK_BUSY, /* "stuck-busy": the operation never ends; a reset ends it */
	SILEX_FAULT_LOST_INTERRUPT, /* "lost-interrupt": the operation ends, its bit in INT_STAT or
				     * STATUS is not set */
	SILEX_FAULT_SPURIOUS_INTERRUPT, /* "spurious-interrupt": an interrupt when it starts */
	SILEX_FAULT_LATE, /* "late": takes `factor` times as long */
	SILEX_FAULT_FLIPPED_BIT, /* "flipped-bit": one bit of the result is flipped */
	SILEX_FAULT_GONE, /* "gone": from then on all registers read all ones, for good, for
			   * `for_ns` or up to `until_ns`; nothing is written and no interrupt
			   * comes.  A reset, if `for_ns` is shorter than an access takes. */
	SILEX_FAULT_KINDS
};

#define SILEX_FAULT_LATE_FACTOR 100u /* unless said otherwise */

struct silex_fault {
	bool armed;
	uint64_t rate; /* strikes one operation in so many, at random; 0: by `nth` */
	uint64_t nth; /* strikes that one operation, counted from 1; 0: by `rate` */
	unsigned factor; /* late: how many times as long, 2 to 1,000,000 */
	/* The host's time in which it can strike, ns; until_ns is 0: for ever.  Operations before and
	 * after do not count. */
	uint64_t from_ns;
	uint64_t until_ns;

	/* Of gone alone: where in an operation it strikes, and when the window is back */
	uint64_t accesses; /* follows one access to a register in so many, at random, instead of
			    * striking operations; 0: by `rate` or `nth` */
	uint64_t
		within_ns; /* strikes at random up to so long after the operation's start; 0: then */
	uint64_t for_ns; /* after so long the window is as after power-on, and can be struck again;
			  * 0: for good, or up to until_ns */
};

struct silex_faults {
	struct silex_fault fault[SILEX_FAULT_KINDS];
	uint64_t seed;
};

/* "dma-error" and so on */
const char *silex_fault_name(enum silex_fault_kind kind);

/*
 * Reads "KIND:rate=N", "KIND:nth=N", "late:rate=N:factor=N", "gone:accesses=N", any of them with
 * ":from=MS" and ":until=MS" (ms), "gone" with ":for=NS" and, by rate or nth, ":within=NS" (ns),
 * several separated by semicolons, "" for none, into `faults` (its seed stays).  Returns 0, or -1
 * with a sentence in `error` that says what is wrong and what is allowed.
 */
int silex_faults_parse(const char *text, struct silex_faults *faults, char *error, size_t size);

#endif
