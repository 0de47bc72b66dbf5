/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A request that calibrate.c repeats to measure it, and that the algorithm's class makes. */
#ifndef FIRESTEEL_TRIAL_H
#define FIRESTEEL_TRIAL_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/list.h>
#include <linux/scatterlist.h>

#include "algorithm.h"

struct firesteel_context;

struct firesteel_trial {
	/* calibrate.c */
	struct firesteel_algorithm *algorithm;
	const u8 *key; /* 64 bytes */
	crypto_completion_t ended; /* callback of the request, with the trial */
	struct scatterlist list; /* of what is used of the buffer, input and output */
	u8 iv[16];
	u8 digest[HASH_MAX_DIGESTSIZE];
	u8 *buffer;
	struct completion completion;
	atomic_t end; /* of the request */
	struct list_head late; /* in the list of those that end at last */
	bool spins; /* waits without going to sleep */
	bool stuck; /* the core may never end the request */

	/* the class; one of each union */
	struct firesteel_context *context; /* of the transform */
	union {
		struct crypto_skcipher *skcipher;
		struct crypto_aead *aead;
		struct crypto_ahash *ahash;
	};
	union {
		struct skcipher_request *skcipher_request;
		struct aead_request *aead_request;
		struct ahash_request *ahash_request;
	};
};

/* The next request has `bytes` of the buffer: all of a list is mapped, which costs time by its
 * length where DMA is not coherent
 */
static inline void firesteel_trial_use(struct firesteel_trial *trial, unsigned int bytes)
{
	sg_set_buf(&trial->list, trial->buffer, bytes);
}

#endif
