/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the classes of AEAD share: their fallback, registration, and a request to measure. */
#ifndef FIRESTEEL_AEAD_COMMON_H
#define FIRESTEEL_AEAD_COMMON_H

#include <crypto/internal/aead.h>

#include "request.h"
#include "trial.h"

/* Does `request` by another transform, with `fallback` as its request */
int firesteel_aead_software(struct aead_request *request, struct crypto_aead *transform,
			    struct aead_request *fallback, bool decrypt);

/* Gives a fallback the key of `transform`, and its flags */
int firesteel_aead_set_fallback_key(struct crypto_aead *transform, struct crypto_aead *fallback,
				    const u8 *key, unsigned int size);

/* Where the state of struct firesteel_class is */
#define FIRESTEEL_AEAD_STATE \
	(offsetof(struct aead_request, __ctx) - offsetof(struct aead_request, base))

/* ---- parts of struct firesteel_class ---- */

struct crypto_alg *firesteel_aead_api(struct firesteel_algorithm *algorithm);
void firesteel_aead_remove(struct firesteel_algorithm *algorithm);

/* The transform still needs a key */
int firesteel_aead_trial_open(struct firesteel_trial *trial);
int firesteel_aead_trial_start(struct firesteel_trial *trial, unsigned int size);
void firesteel_aead_trial_close(struct firesteel_trial *trial);

#endif
