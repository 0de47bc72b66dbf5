/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The state of CryptoMaster, which its parts share: fetcher, pusher, jobs and registers. */
#ifndef SILEX_CRYPTOMASTER_STATE_H
#define SILEX_CRYPTOMASTER_STATE_H

#include "../silex/cryptomaster.h"
#include "cryptomaster-schedule.h"
#include "engine.h"
#include "owner.h"

/* As many as a tag can name */
#define SILEX_CM_ENGINES (SILEX_TAG_ENGINE + 1u)

/* Bytes that wait for the pusher: what an engine gives for one piece of data, and at its end */
#define SILEX_CM_FIFO_SIZE (SILEX_MODEL_CHUNK + SILEX_ENGINE_PENDING + SILEX_ENGINE_TAIL)

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
	struct silex_engine engines[SILEX_CM_ENGINES]; /* by number */
	struct silex_work work; /* what an engine has just done */
	struct silex_cm_schedule schedule;

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
	uint32_t item; /* bytes of the data item that have been fetched, modulo 2^32 */
	bool stuck; /* for ever */
	unsigned late; /* takes so many times as long */
	bool spoiled; /* the fault "flipped-bit" has had its chance */
	enum silex_cm_error_plan error_plan;
	unsigned error_after; /* descriptors, on the fetch side */
};

/* Whether a fault strikes what happens now */
static inline bool silex_cm_strikes(struct silex_cm *cm, enum silex_fault_kind kind)
{
	return cm->owner.fault(cm->owner.opaque, kind);
}

#endif
