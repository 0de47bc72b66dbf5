/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all kinds of requests have in common: the transform's context, and the choice. */
#ifndef FIRESTEEL_REQUEST_H
#define FIRESTEEL_REQUEST_H

#include "algorithm.h"
#include "job.h"

/* The begin of every transform's context */
struct firesteel_context {
	struct firesteel_algorithm *algorithm;
	struct firesteel_device *device; /* NULL: none has what is needed */
	unsigned int key_size; /* of one AES key */
	u8 key[32];
	u8 key2[32]; /* XTS */
	u8 salt[4]; /* of the nonce: RFC 4106, RFC 4309 */
};

void firesteel_context_open(struct firesteel_context *context,
			    struct firesteel_algorithm *algorithm);
void firesteel_context_close(struct firesteel_context *context);

/* The device of a transform, whose context begins with a struct firesteel_context */
static inline struct firesteel_device *firesteel_context_device(const void *context)
{
	return ((const struct firesteel_context *)context)->device;
}

/* A job for a request of so many bytes, or NULL: to software; counted either way */
struct firesteel_job *firesteel_request_begin(struct firesteel_context *context,
					      unsigned int bytes);

/* The job cannot be put together: back with it, and to software after all */
void firesteel_request_cancel(struct firesteel_context *context, struct firesteel_job *job,
			      unsigned int bytes);

/* At the begin of job->finish(): unmaps; after a fault also gives the job back, and the request goes
 * to software.  True: the core has done it. */
bool firesteel_request_ended(struct firesteel_context *context, struct firesteel_job *job,
			     enum firesteel_fault fault);

/* What a fallback returned, as a job's result: a queue of its own completes the request */
static inline int firesteel_fallback_result(int err)
{
	return err == -EBUSY ? -EINPROGRESS : err;
}

/* Configuration word and key; the IV is for the caller */
void firesteel_request_configure(struct firesteel_context *context, struct firesteel_job *job,
				 bool decrypt);

#define FIRESTEEL_AES_CONFIG(offset) \
	(SILEX_ENGINE_AES | SILEX_TAG_CONFIG | SILEX_TAG_OFFSET(offset))

#endif
