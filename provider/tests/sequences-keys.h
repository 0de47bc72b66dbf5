/* SPDX-License-Identifier: Apache-2.0 */
/* Random sequences of calls for public keys: what steps work on. */
#ifndef FSP_TESTS_SEQUENCES_KEYS_H
#define FSP_TESTS_SEQUENCES_KEYS_H

#include "answer.h"

#define SEQUENCE_BYTES 512u

/* ---- keys ---- */

enum {
	OF_RSA,
	OF_RSA_THREE,
	OF_PSS,
	OF_PSS_BOUND,
	OF_DH,
	OF_DHX,
	OF_EC,
	OF_EC_SOFT,
	OF_X25519,
	OF_ED25519,
	KINDS
};

/* Of each kind two, as a whole and as a public key alone */
extern struct pair sequence_keys[KINDS][2][2];

void sequence_keys_make(const struct unit *unit);
void sequence_keys_free(void);

/* ---- a sequence ---- */

/* What a step chooses; both sides get the same */
struct choice {
	unsigned kind, other, what, which, size, capacity, flag;
	uint8_t bytes[SEQUENCE_BYTES];
};

struct side {
	bool here;
	EVP_PKEY *key; /* its own copy */
	EVP_PKEY_CTX *context; /* of the key */
	EVP_MD_CTX *message;
	bool copied; /* OpenSSL 3.0 then keeps the algorithm's identifier where the first context was */
	enum { NOTHING, SIGNING, VERIFYING } begun; /* EVP crashes on messages that have not */
};

typedef int sequence_step(struct side *side, const struct choice *choice, struct answer *answer);

/* Gives a side another key, which it takes over, and a context of it */
void sequence_renew(struct side *side, EVP_PKEY *key);

/* ---- steps with controls: sequences-controls.c ---- */

extern sequence_step sequence_control, sequence_ask, sequence_ask_key;

/* ---- steps with keys: sequences-pairs.c ---- */

extern sequence_step sequence_check, sequence_compare, sequence_export, sequence_copy_key,
	sequence_import, sequence_set_public;

#endif
