/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An algorithm of the kernel's crypto API, done by the core or by software; and its class. */
#ifndef FIRESTEEL_ALGORITHM_H
#define FIRESTEEL_ALGORITHM_H

#include <crypto/internal/aead.h>
#include <crypto/internal/hash.h>
#include <crypto/internal/skcipher.h>
#include <linux/module.h>

#include "cost.h"
#include "devices.h"
#include "statistics.h"

struct firesteel_algorithm;
struct firesteel_cmd;
struct firesteel_trial;

/* What has become of a request on the core */
enum firesteel_outcome {
	FIRESTEEL_GOOD,
	FIRESTEEL_NOT_AUTHENTIC, /* its tag is not that of the message */
	FIRESTEEL_NOT_FOR_CORE, /* the core cannot do it, or not all of it */
	FIRESTEEL_WAS_WRONG, /* the core's result was wrong, and has been replaced */
};

/* Where a request goes; all but those that measure go where it costs less */
enum firesteel_way {
	FIRESTEEL_CHEAPEST,
	FIRESTEEL_SOFTWARE,
	FIRESTEEL_POLLED, /* to the core, by polling */
	FIRESTEEL_INTERRUPTED, /* to the core, by interrupt */
};

/* What the algorithms of one class do in their own way: skcipher, aead, authenc, ahash */
struct firesteel_class {
	/* What the crypto API knows about it */
	struct crypto_alg *(*api)(struct firesteel_algorithm *algorithm);
	int (*add)(struct firesteel_algorithm *algorithm);
	void (*remove)(struct firesteel_algorithm *algorithm);

	/* ---- requests ---- */

	/* Where its state is, which begins with a struct firesteel_ticket: bytes from the struct
	 * crypto_async_request on
	 */
	size_t state;

	/* Bytes of payload: what it costs */
	unsigned int (*bytes)(struct crypto_async_request *request);

	/* Maps lists, builds the command */
	enum firesteel_outcome (*build)(struct crypto_async_request *request,
					struct firesteel_cmd *cmd);

	/* The core is done, lists are unmapped: reads the arena */
	enum firesteel_outcome (*finish)(struct crypto_async_request *request,
					 struct firesteel_cmd *cmd);

	/* Does all of it in software; the result, or -EINPROGRESS and the like, after which
	 * firesteel_request_software_ended() is called
	 */
	int (*software)(struct crypto_async_request *request);

	/* ---- a request to measure: trial.h ---- */

	/* Returns 0 or a negative number; firesteel_class.trial_close in either case */
	int (*trial_open)(struct firesteel_trial *trial);
	int (*trial_start)(struct firesteel_trial *trial, unsigned int size);
	void (*trial_close)(struct firesteel_trial *trial);
};

struct firesteel_algorithm {
	const struct firesteel_class *class;
	struct firesteel_need need;
	u32 mode; /* SILEX_AES_MODE_*; of hashes SILEX_HASH_ALG_* */
	bool is_reference; /* its times on the core serve for all */
	const struct firesteel_aead_form *form; /* GCM, CCM: how requests are laid out */
	const struct firesteel_authenc_form *authenc; /* CBC with HMAC: the MAC */
	struct firesteel_cost cost;
	struct firesteel_use use;
	bool registered;
	union {
		struct skcipher_alg skcipher;
		struct aead_alg aead;
		struct ahash_alg ahash;
	} api;
};

/* Higher than any software, including the kernel's composed algorithms (authenc: ten times the
 * cipher's and the MAC's, 3300 with NEON).  Where the core does not cost less, the driver itself
 * uses software: docs/driver.md.
 */
#define FIRESTEEL_PRIORITY 5000

/* Lower than any software: only who asks for ours by its driver's name gets it */
#define FIRESTEEL_PRIORITY_ASIDE 0

#define FIRESTEEL_FLAGS (CRYPTO_ALG_ASYNC | CRYPTO_ALG_NEED_FALLBACK | CRYPTO_ALG_KERN_DRIVER_ONLY)

/* What software, which does what the core does not, must not be: an engine of another vendor, which
 * may itself wait for memory or fail as the core does; nor may it allocate memory for a request, as
 * our flags promise disks, which write to free memory.  Engines have one of these three flags.
 * Asynchronous software is welcome where it runs at once: the kernel's fastest code on 32-bit ARM
 * is of that kind.
 */
#define FIRESTEEL_FALLBACK_MASK \
	(CRYPTO_ALG_NEED_FALLBACK | CRYPTO_ALG_KERN_DRIVER_ONLY | CRYPTO_ALG_ALLOCATES_MEMORY)

/* What all algorithms have alike; `context`: bytes of a transform's */
static inline void firesteel_algorithm_complete(struct crypto_alg *base, unsigned int context)
{
	base->cra_priority = FIRESTEEL_PRIORITY;
	base->cra_flags = FIRESTEEL_FLAGS;
	base->cra_ctxsize = context;
	base->cra_module = THIS_MODULE;
}

static inline const char *firesteel_algorithm_name(struct firesteel_algorithm *algorithm)
{
	return algorithm->class->api(algorithm)->cra_name;
}

static inline const char *firesteel_algorithm_driver_name(struct firesteel_algorithm *algorithm)
{
	return algorithm->class->api(algorithm)->cra_driver_name;
}

/* The tables, each in the file of that name */
extern struct firesteel_algorithm firesteel_skciphers[];
extern const unsigned int firesteel_skcipher_count;
extern struct firesteel_algorithm firesteel_aeads[];
extern const unsigned int firesteel_aead_count;
extern struct firesteel_algorithm firesteel_authencs[];
extern const unsigned int firesteel_authenc_count;
extern struct firesteel_algorithm firesteel_ahashes[];
extern const unsigned int firesteel_ahash_count;

#endif
