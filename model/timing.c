/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "timing.h"

#define NS_PER_SECOND 1000000000u

/* The longest time, 146 years: added to any time, it does not overflow */
#define LONGEST ((uint64_t)1 << 62)

void silex_timing_default(struct silex_timing *timing)
{
	*timing = (struct silex_timing){
		/* published/README.md, delhaye2015: the cores' clock on the Cyclone V */
		.clock_hz = 100000000,

		/* Assumption: 12 cycles of the cores' clock to cross the bridge from processor to
		 * FPGA and back, with the processor waiting */
		.register_ns = 120,

		/* Assumption: 64 bits, the width at which that FPGA reaches the processor's
		 * memory: 800 MB/s, several times what AES takes, so that DMA is no limit for
		 * long jobs */
		.dma_bytes_per_beat = 8,

		/* Assumption: 300 ns for a read of memory through bridge, interconnect and
		 * memory controller */
		.dma_latency_cycles = 30,

		/* Assumption: the least that hides latency, one descriptor in advance.  A prototype
		 * in RTL of ours does so; docs/cores.md has its cycles beside the model's */
		.fetcher = SILEX_FETCHER_AHEAD,

		/* Assumption: some cycles of state machine and clock crossing at either end */
		.start_cycles = 10,
		.end_cycles = 10,

		/* Assumption: one round a cycle, as a core with the widest data path has it, and
		 * one cycle to load: 10, 12, 14 rounds.  AES-256-CBC at 100 MHz: 107 MB/s */
		.aes128_cycles = 11,
		.aes192_cycles = 13,
		.aes256_cycles = 15,

		/* Assumption: a round key a cycle */
		.aes_key_cycles = 15,

		/* Assumption: one step a cycle (80, 64, 80 steps: FIPS 180-4) and one to add up.
		 * SHA-256 at 100 MHz: 98 MB/s */
		.sha1_cycles = 81,
		.sha256_cycles = 65,
		.sha512_cycles = 81,

		/* Assumptions, argued with the multipliers in docs/pk-timing.md */
		.pk_operation_cycles = 200,
		.pk_product_cycles = 20,
		.pk_row_cycles = 0,
	};
}

uint64_t silex_cycles_ns(const struct silex_timing *timing, uint64_t cycles)
{
	uint64_t seconds, rest;

	if (timing->zero)
		return 0;
	seconds = cycles / timing->clock_hz;
	rest = cycles % timing->clock_hz;
	if (seconds >= LONGEST / NS_PER_SECOND)
		return LONGEST;
	return seconds * NS_PER_SECOND +
	       (rest * NS_PER_SECOND + timing->clock_hz - 1) / timing->clock_hz;
}

uint64_t silex_longer(uint64_t time, unsigned factor)
{
	return time > LONGEST / factor ? LONGEST : time * factor;
}
