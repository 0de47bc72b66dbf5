/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* A message for the symmetric engines: as a job of the cores, and computed by libcrypto. */
#ifndef SILEX_TESTS_MESSAGE_H
#define SILEX_TESTS_MESSAGE_H

#include "descriptors.h"

#define MESSAGE_TAG 64u /* the longest tag or digest */

struct message {
	/* what is asked */
	uint32_t mode; /* SILEX_AES_MODE_*; with `hash` SILEX_HASH_ALG_* */
	bool hash;
	bool hmac;
	bool decrypt;
	uint8_t key[400]; /* XTS: both keys, one after the other */
	size_t key_size;
	uint8_t iv[16]; /* CCM: the nonce */
	size_t iv_size;
	uint8_t header[400]; /* associated data */
	size_t header_size;
	uint8_t received[16]; /* CCM, decrypting: the tag that came with the message */
	size_t tag_size; /* CCM */
	const uint8_t *input;
	size_t size; /* of input and of `expected` */

	/* what should come out */
	uint8_t *expected; /* payload; unused by hashes and CMAC */
	uint8_t tag[MESSAGE_TAG];

	/* where it comes out */
	struct pieces payload;
	struct pieces tail;
};

/* Adds the job to a list; `in_place`: the payload comes out where it was */
void message_add(struct jobs *jobs, struct message *message, bool in_place);

/* Has libcrypto fill in what should come out.  GCM, decrypting: the tag is the computed one;
 * CCM, decrypting: its difference from the received one. */
void message_compute(struct message *message);

/* Whether payload comes out, and how many bytes of tag or digest */
bool message_has_payload(const struct message *message);
size_t message_tail(const struct message *message);

/* Name of mode or algorithm */
const char *message_mode(const struct message *message);

#endif
