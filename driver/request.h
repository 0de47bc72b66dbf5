/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all classes of requests share: the transform's context, the choice between core and
 * software, the path through the queue and back.
 */
#ifndef FIRESTEEL_REQUEST_H
#define FIRESTEEL_REQUEST_H

#include "algorithm.h"
#include "cmd.h"
#include "compat.h"
#include "order.h"

/* The start of every transform's context */
struct firesteel_context {
	struct firesteel_algorithm *algorithm;
	struct firesteel_device *device; /* NULL: none is suitable */
	struct firesteel_order *order; /* in which its requests complete */
	unsigned int first_cmd; /* where to look for one: those used last hold the keys */
	u32 version; /* of the keys */
	enum firesteel_way way; /* of all its requests */
	unsigned int key_size; /* of one AES key */
	unsigned int mac_key_size;
	u8 salt[4]; /* of the nonce: RFC 4106, RFC 4309 */
	struct firesteel_keys keys;
};

/* Returns 0 or a negative error number */
int firesteel_context_open(struct firesteel_context *context,
			   struct firesteel_algorithm *algorithm);
void firesteel_context_close(struct firesteel_context *context);

/* Call before writing keys to the context: wipes the previous ones */
static inline void firesteel_context_clear(struct firesteel_context *context)
{
	memzero_explicit(&context->keys, sizeof(context->keys));
}

/* Whether AES keys of its mode have that size: XTS has two of one size */
bool firesteel_context_is_aes_key(const struct firesteel_context *context, unsigned int size);

/* Writes AES keys whose size was found right */
void firesteel_context_set_aes(struct firesteel_context *context, const u8 *key, unsigned int size);

/* The keys have changed */
void firesteel_context_keyed(struct firesteel_context *context);

/* The configuration word of AES, without the size of the key */
static inline u32 firesteel_context_aes_word(const struct firesteel_context *context, bool decrypt)
{
	return context->algorithm->mode | (decrypt ? SILEX_AES_DECRYPT : 0);
}

/* The context of a request's transform */
static inline void *firesteel_request_context(struct crypto_async_request *request)
{
	return crypto_tfm_ctx(request->tfm);
}

/*
 * Sends a request with `bytes` of payload to the core or to software, whichever costs less, and
 * counts it.  Returns what the crypto API expects.
 */
int firesteel_request_run(struct crypto_async_request *request, unsigned int bytes);

/* Does a request by `software`, which is no matter for the core, in its order */
int firesteel_request_run_in_software(struct crypto_async_request *request,
				      int (*software)(struct crypto_async_request *request));

/* The callback of a fallback's request, for which `request` is the data */
void firesteel_request_software_ended(firesteel_completed *completed, int result);

/* The queue's callback: struct firesteel_queue_callbacks */
void firesteel_request_resume(struct crypto_async_request *request, struct firesteel_cmd *cmd,
			      struct firesteel_section *section);

/* Flags for a fallback's request, which may come from atomic context */
static inline u32 firesteel_fallback_flags(const struct crypto_async_request *request)
{
	return request->flags & ~CRYPTO_TFM_REQ_MAY_SLEEP;
}

#endif
