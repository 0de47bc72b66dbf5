/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An algorithm of the kernel's crypto API, done by the core or by software. */
#ifndef FIRESTEEL_ALGORITHM_H
#define FIRESTEEL_ALGORITHM_H

#include <crypto/internal/aead.h>
#include <crypto/internal/hash.h>
#include <crypto/internal/skcipher.h>

#include "cost.h"
#include "device.h"
#include "statistics.h"

enum firesteel_kind { FIRESTEEL_SKCIPHER, FIRESTEEL_AEAD, FIRESTEEL_AHASH };

struct firesteel_algorithm {
	enum firesteel_kind kind;
	struct firesteel_need need;
	u32 mode; /* SILEX_AES_MODE_*; of hashes SILEX_HASH_ALG_* */
	const struct firesteel_request_ops *ops; /* request.h */
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

#define FIRESTEEL_FLAGS (CRYPTO_ALG_ASYNC | CRYPTO_ALG_NEED_FALLBACK | CRYPTO_ALG_KERN_DRIVER_ONLY)

const char *firesteel_algorithm_name(const struct firesteel_algorithm *algorithm);
const char *firesteel_algorithm_driver_name(const struct firesteel_algorithm *algorithm);

/* Registers the algorithms that devices support, and measures each new one */
int firesteel_algorithms_register(void);

/* A device was added: does that in the background, once the module has been initialised */
void firesteel_algorithms_expect(void);

/* At module exit, when there is no transform and no new device */
void firesteel_algorithms_unregister(void);

/* Calls `change`, unless NULL, while nothing is measured; then updates all break-evens */
void firesteel_algorithms_update(void (*change)(void *data), void *data);

/* Calls `each` for every algorithm that is registered */
void firesteel_algorithms_each(void (*each)(struct firesteel_algorithm *algorithm, void *data),
			       void *data);

/* A key of the kind that an AEAD takes, from 64 bytes; for calibrate.c */
int firesteel_aead_trial_key(const struct firesteel_algorithm *algorithm,
			     struct crypto_aead *transform, const u8 *key);

int firesteel_authenc_trial_key(struct crypto_aead *transform, const u8 *key);

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
