/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Messages as jobs; what libcrypto makes of them is in message-libcrypto.c. */
#include "message.h"

#include <string.h>

#include "../../silex/ba411.h"
#include "../../silex/ba413.h"
#include "unit.h"

#define BLOCK SILEX_AES_BLOCK

bool message_has_payload(const struct message *message)
{
	return !message->hash && message->mode != SILEX_AES_MODE_CMAC;
}

size_t message_tail(const struct message *message)
{
	if (!message->hash)
		return message->mode == SILEX_AES_MODE_GCM || message->mode == SILEX_AES_MODE_CCM ||
				       message->mode == SILEX_AES_MODE_CMAC
			       ? SILEX_AES_TAG
			       : 0;
	switch (message->mode) {
	case SILEX_HASH_ALG_SHA1:
		return 20;
	case SILEX_HASH_ALG_SHA224:
		return 28;
	case SILEX_HASH_ALG_SHA256:
		return 32;
	case SILEX_HASH_ALG_SHA384:
		return 48;
	default:
		return 64;
	}
}

/* ---- hash ---- */

static void add_hash(struct jobs *jobs, struct message *message)
{
	const uint32_t key = SILEX_ENGINE_HASH | SILEX_TAG_TYPE(SILEX_HASH_DATA_KEY);

	jobs_word(jobs, SILEX_ENGINE_HASH,
		  message->mode | SILEX_HASH_PAD | SILEX_HASH_FINAL |
			  (message->hmac ? SILEX_HASH_HMAC : 0));
	if (message->hmac)
		jobs_data(jobs, key | SILEX_TAG_LAST, message->key, message->key_size,
			  SILEX_HASH_WORD);
	jobs_data(jobs, SILEX_ENGINE_HASH | SILEX_TAG_LAST, message->input, message->size,
		  SILEX_HASH_WORD);
	message->tail = jobs_output(jobs, message_tail(message));
}

/* ---- AES ---- */

static void add_keys(struct jobs *jobs, const struct message *message)
{
	bool two = message->mode == SILEX_AES_MODE_XTS;
	size_t size = two ? message->key_size / 2 : message->key_size;

	jobs_word(jobs, SILEX_ENGINE_AES,
		  message->mode | silex_aes_key_bits(size) |
			  (message->decrypt ? SILEX_AES_DECRYPT : 0));
	jobs_config(jobs, SILEX_ENGINE_AES, SILEX_AES_KEY, message->key, size);
	if (message->iv_size > 0 && message->mode != SILEX_AES_MODE_CCM)
		jobs_config(jobs, SILEX_ENGINE_AES, SILEX_AES_IV, message->iv, message->iv_size);
	if (two)
		jobs_config(jobs, SILEX_ENGINE_AES, SILEX_AES_KEY2, message->key + size, size);
}

static void add_header(struct jobs *jobs, const uint8_t *bytes, size_t size)
{
	jobs_data(jobs, SILEX_ENGINE_AES | SILEX_TAG_TYPE(SILEX_AES_HEADER), bytes, size, BLOCK);
	jobs_discard(jobs, size + silex_padding(size, BLOCK));
}

static void add_ccm_header(struct jobs *jobs, const struct message *message)
{
	uint8_t bytes[SILEX_CCM_HEAD_MAX + sizeof(message->header)];
	unsigned head = silex_ccm_head(bytes, (unsigned)message->iv_size,
				       (unsigned)message->tag_size, (uint32_t)message->header_size,
				       message->size);

	memcpy(bytes + 1, message->iv, message->iv_size);
	memcpy(bytes + head, message->header, message->header_size);
	add_header(jobs, bytes, head + message->header_size);
}

static void add_lengths(struct jobs *jobs, const struct message *message)
{
	uint8_t bytes[SILEX_AES_TRAILER];

	silex_gcm_trailer(bytes, message->header_size, message->size);
	jobs_data(jobs, SILEX_ENGINE_AES | SILEX_TAG_LAST, bytes, sizeof(bytes), BLOCK);
}

static void add_trailer(struct jobs *jobs, const struct message *message)
{
	if (message->mode == SILEX_AES_MODE_GCM)
		add_lengths(jobs, message);
	else
		jobs_data(jobs, SILEX_ENGINE_AES | SILEX_TAG_LAST, message->received,
			  message->tag_size, BLOCK);
}

static void add_payload(struct jobs *jobs, struct message *message, uint32_t last, bool in_place)
{
	const bool aead = message->mode == SILEX_AES_MODE_GCM ||
			  message->mode == SILEX_AES_MODE_CCM;
	struct pieces input;

	if (aead && !last && message->size == 0)
		return; /* there is nothing, and the trailer ends the message */
	input = jobs_data(jobs, SILEX_ENGINE_AES | last, message->input, message->size, BLOCK);
	if (!message_has_payload(message))
		return;
	if (in_place) {
		message->payload = input;
		jobs_output_to(jobs, &input);
	} else {
		message->payload = jobs_output(jobs, message->size);
	}
	jobs_discard(jobs, silex_padding(message->size, BLOCK));
}

static void add_aes(struct jobs *jobs, struct message *message, bool in_place)
{
	bool trailer = message->mode == SILEX_AES_MODE_GCM ||
		       (message->mode == SILEX_AES_MODE_CCM && message->decrypt);

	add_keys(jobs, message);
	if (message->mode == SILEX_AES_MODE_CCM)
		add_ccm_header(jobs, message);
	else if (message->header_size > 0)
		add_header(jobs, message->header, message->header_size);
	add_payload(jobs, message, trailer ? 0 : SILEX_TAG_LAST, in_place);
	if (trailer)
		add_trailer(jobs, message);
	if (message_tail(message) > 0)
		message->tail = jobs_output(jobs, message_tail(message));
}

void message_add(struct jobs *jobs, struct message *message, bool in_place)
{
	message->payload.count = 0;
	message->tail.count = 0;
	if (message->hash)
		add_hash(jobs, message);
	else
		add_aes(jobs, message, in_place);
}
