/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares results of ciphers with software's, for cores that are not trusted: without a tag,
 * nothing else detects a flipped bit.  The module parameter `verify`.
 */
#ifndef FIRESTEEL_VERIFY_H
#define FIRESTEEL_VERIFY_H

#include <crypto/skcipher.h>

#include "cmd.h"

/* One in this many requests is compared; 0: none.  Applies to transforms opened afterwards. */
extern unsigned int firesteel_verify;

/* A transform's second cipher; `cipher` is NULL: nothing is compared */
struct firesteel_verifier {
	struct crypto_sync_skcipher *cipher;
	atomic_t requests;
};

/* 0 or a negative error number */
int firesteel_verifier_open(struct firesteel_verifier *verifier, const char *algorithm);
int firesteel_verifier_set_key(struct firesteel_verifier *verifier, const u8 *key,
			       unsigned int size);
void firesteel_verifier_close(struct firesteel_verifier *verifier);

/* Counts a request; whether to compare it */
bool firesteel_verifier_count(struct firesteel_verifier *verifier);

static inline bool firesteel_verifier_is_due(struct firesteel_verifier *verifier)
{
	return verifier->cipher && firesteel_verifier_count(verifier);
}

/*
 * Compares a command's output with what software computes from its backup and the IV in its arena.
 * Replaces what differs; false: something did.
 */
bool firesteel_verifier_check(struct firesteel_verifier *verifier, struct firesteel_cmd *cmd,
			      bool decrypt);

#endif
