/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The two sides of CryptoMaster, fetcher and pusher, and the state that they share. */
#ifndef SILEX_CRYPTOMASTER_SIDE_H
#define SILEX_CRYPTOMASTER_SIDE_H

#include "../silex/cryptomaster.h"
#include "cryptomaster.h"
#include "engine.h"

/* Bytes that wait for the pusher: what an engine gives for one piece of data, and at its end */
#define SILEX_CM_FIFO_SIZE (SILEX_MODEL_CHUNK + SILEX_ENGINE_PENDING + SILEX_ENGINE_TAIL)

/* A fetcher whose output nobody takes goes on until the FIFO is as full, bytes (assumption) */
#define SILEX_CM_FIFO_DEPTH 64u

/* One side: a list of descriptors, or one set of registers */
struct silex_cm_side {
	bool running;
	bool direct; /* one set of registers, no list */
	bool loaded; /* a descriptor is being worked on */
	unsigned used; /* descriptors since START */
	uint64_t next; /* address of the next descriptor */
	bool last; /* ... there is none */

	/* the descriptor that is loaded */
	uint64_t address; /* of the next byte */
	uint32_t length; /* its word: SILEX_LEN_* */
	uint32_t tag;
	uint32_t left; /* bytes still to come, without invalid ones */
	uint32_t invalid; /* bytes after them */

	unsigned phase; /* CONST_ADDR: bytes of a word that have passed */
	unsigned odd; /* bytes of a word that is not full, since the last realigned descriptor */
};

/* The fault "dma-error": on which side it strikes this job */
enum silex_cm_error_plan { SILEX_CM_NO_ERROR, SILEX_CM_FETCH_ERROR, SILEX_CM_PUSH_ERROR };

struct silex_cm {
	const struct silex_config *config;
	struct silex_owner owner;
	struct silex_statistics *statistics;
	struct silex_aes *aes; /* NULL: not there */
	struct silex_hash *hash;
	struct silex_work work; /* of the running step */

	/* registers */
	uint64_t fetch_address;
	uint64_t push_address;
	uint32_t fetch_length;
	uint32_t fetch_tag;
	uint32_t push_length;
	uint32_t enabled; /* interrupts */
	uint32_t raw;
	uint32_t mode; /* CONFIG */
	bool line; /* level of the interrupt */
	uint64_t reset_end; /* ns: until then RESET_BUSY */

	struct silex_cm_side fetch;
	struct silex_cm_side push;
	uint8_t input[SILEX_MODEL_CHUNK];
	uint8_t fifo[SILEX_CM_FIFO_SIZE];
	size_t fifo_used;

	/* the running step */
	bool active; /* its time is not over */
	uint64_t step_ns; /* what it takes */
	uint64_t begin; /* ns */
	uint64_t end; /* ns; in zero-time mode later than what it takes */
	uint32_t pending; /* interrupt bits that come at its end */
	bool fetch_shown; /* FETCH_BUSY and PUSH_BUSY until then */
	bool push_shown;
	bool over; /* it goes no further: the job has ended, or there was a bus error */
	unsigned descriptors_left; /* what it may still do */
	size_t bytes_left;

	/* the job */
	bool in_job;
	bool stuck; /* for ever */
	unsigned late; /* takes so many times as long */
	bool spoiled; /* the fault "flipped-bit" has had its chance */
	enum silex_cm_error_plan error_plan;
	unsigned error_after; /* descriptors, on the fetch side */
};

/* Each carries its side on by a little; false when it can do nothing now */
bool silex_cm_fetch_on(struct silex_cm *cm);
bool silex_cm_push_on(struct silex_cm *cm);

/*
 * Where an engine can write its output in memory: at least SILEX_ENGINE_PENDING bytes more than the
 * input it is to be given then, *size bytes in all.  NULL: into the FIFO.  After writing
 * silex_cm_pushed_direct() returns the output with the number of bytes written.
 */
uint8_t *silex_cm_push_direct(struct silex_cm *cm, size_t *size);
void silex_cm_pushed_direct(struct silex_cm *cm, uint8_t *output, size_t size, size_t written);

/* Loads a side's next descriptor; false: bus error */
bool silex_cm_load(struct silex_cm *cm, struct silex_cm_side *side);

/* The descriptor is done: interrupt, and the end of the list */
void silex_cm_unload(struct silex_cm *cm, struct silex_cm_side *side);

/* A side stops with a bus error, and the step with it */
void silex_cm_bus_error(struct silex_cm *cm, struct silex_cm_side *side);

/* Of a pair of bits the one that is this side's */
uint32_t silex_cm_bit(const struct silex_cm *cm, const struct silex_cm_side *side,
		      uint32_t fetch_bit, uint32_t push_bit);

/* A job starts or ends; which faults strike it is decided at its start.  False: it ends with a bus
 * error, as the one that was to strike its output found none. */
void silex_cm_begin_job(struct silex_cm *cm);
bool silex_cm_end_job(struct silex_cm *cm);

/* Whether the fault "dma-error" strikes the fetch descriptor that was just loaded */
bool silex_cm_fetch_error_is_due(struct silex_cm *cm);

/* Whether a fault strikes what happens now */
bool silex_cm_strikes(struct silex_cm *cm, enum silex_fault_kind kind);

/* Sets raw interrupt bits, and the line as they and the enabled ones say */
void silex_cm_raise(struct silex_cm *cm, uint32_t bits);

#endif
