/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * How long operations take.
 *
 * No table of cycles of these cores is public: every constant here is an assumption, named, with
 * its derivation or the published row that it was chosen for beside its default (timing.c).
 */
#ifndef SILEX_TIMING_H
#define SILEX_TIMING_H

#include <stdbool.h>
#include <stdint.h>

/* What a fetcher does while the data of a descriptor flow */
enum silex_fetcher {
	SILEX_FETCHER_AHEAD, /* it reads the next descriptor */
	SILEX_FETCHER_SERIAL, /* nothing: it reads it when all before has been done */
};

struct silex_timing {
	bool zero; /* everything takes no time; the rest is then ignored */

	uint64_t clock_hz; /* of the cores */
	uint64_t register_ns; /* what a register access costs the processor */

	/* CryptoMaster */
	unsigned dma_bytes_per_beat; /* width of the bus */
	unsigned dma_latency_cycles; /* from a request to its first beat, and from the last beat of
				      * a write to memory's answer */
	enum silex_fetcher fetcher; /* of the pusher, too */
	unsigned start_cycles; /* from START to the first request */
	unsigned end_cycles; /* from the last answer to the status bit */

	/* BA411E: cycles per block of 16 bytes, and to expand a key */
	unsigned aes128_cycles;
	unsigned aes192_cycles;
	unsigned aes256_cycles;
	unsigned aes_key_cycles;

	/* BA413: cycles per block of 64 bytes, of 128 for SHA-384 and SHA-512 */
	unsigned sha1_cycles;
	unsigned sha256_cycles;
	unsigned sha512_cycles;

	/* BA414E: the formula stands in pk-timing.c, with the number of multipliers
	 * (silex_config.pk_multipliers) */
	unsigned pk_operation_cycles; /* once for each operation */
	unsigned pk_product_cycles; /* once for each modular product, to fill the pipeline */
	unsigned pk_row_cycles; /* from the start of a row of a product until the reduction's digit
				 * for it is known */
};

/* The 2015 FPGA board: 100 MHz */
void silex_timing_default(struct silex_timing *timing);

/* What an engine of CryptoMaster has done, counted by itself; cryptomaster-schedule.h says when */
struct silex_work {
	bool key; /* it has been given a key */
	uint64_t
		setup_cycles; /* before the first block: key expansion and what else needs no data */
	uint64_t cycles; /* for blocks */
	unsigned block_bytes; /* of the latest block; 0: there was none */
	unsigned block_cycles;
};

/* Cycles in ns, rounded up; 0 in zero-time mode */
uint64_t silex_cycles_ns(const struct silex_timing *timing, uint64_t cycles);

/* A time in ns or cycles made so many times as long, at most 2^62 */
uint64_t silex_longer(uint64_t time, unsigned factor);

#endif
