/* SPDX-License-Identifier: Apache-2.0 */
#include "../../silex/ba411.h"
#include "../../silex/ba413.h"
#include "../../silex/cryptomaster.h"
#include "../../silex/message.h"
#include "../pool.h"
#include "rules.h"
#include "unit.h"

unsigned rules_messages;

static struct {
	const struct fs_transport *transport;
	uint32_t fetch, push, config;
	bool cleared; /* INT_STAT, since the last START */
} master;

/* What a fetch list says of a message, bytes with their padding */
struct message {
	uint32_t engine, word; /* configuration */
	size_t key; /* bytes */
	size_t header, payload; /* AES */
	size_t item; /* bytes of the item so far */
	bool data; /* there were data: no more configuration */
};

static const void *at(uint32_t address, size_t size)
{
	const struct fs_transport *transport = master.transport;
	const uint32_t results = address - transport->results_bus;

	assert_int_equal(address % 4, 0);
	if (transport->results && results <= transport->results_size)
		return transport->results + results;
	assert_true(address >= transport->bus && size <= transport->dma_size &&
		    address - transport->bus <= transport->dma_size - size);
	return transport->dma + (address - transport->bus);
}

static bool is_last(const struct silex_descriptor *descriptor)
{
	return silex_to_le32(descriptor->next) & SILEX_NEXT_STOP;
}

/* Nordic cmdma.c, Silicon Labs sx_dma.c, IOsonata cryptomaster.cpp; bytes: Nordic cmdma.h */
static uint32_t check_descriptor(const struct silex_descriptor *descriptor)
{
	const uint32_t length = silex_to_le32(descriptor->length);
	const uint32_t bytes = length & SILEX_LEN_MASK;

	assert_true(bytes > 0 && bytes < 1u << 24);
	assert_false(length & SILEX_LEN_CONST_ADDR);
	if (is_last(descriptor)) {
		assert_true(length & SILEX_LEN_REALIGN);
		assert_true(silex_to_le32(descriptor->tag) & SILEX_TAG_LAST);
	}
	return bytes;
}

/* ---- what is fetched ---- */

static unsigned unit_of(uint32_t engine)
{
	return engine == SILEX_ENGINE_AES ? SILEX_AES_BLOCK : SILEX_HASH_WORD;
}

static void check_configuration(struct message *message, const struct silex_descriptor *descriptor,
				uint32_t bytes)
{
	const uint32_t offset = SILEX_TAG_OFFSET_OF(silex_to_le32(descriptor->tag));
	const silex_le32 *word = at(silex_to_le32(descriptor->addr), bytes);

	assert_false(message->data || is_last(descriptor));
	assert_false(silex_to_le32(descriptor->tag) & SILEX_TAG_LAST);
	assert_true(silex_to_le32(descriptor->length) & SILEX_LEN_REALIGN);
	if (offset == 0) {
		assert_int_equal(bytes, 4);
		message->word = silex_to_le32(*word);
		return;
	}
	/* the word comes first */
	assert_true(message->word != 0 && message->engine == SILEX_ENGINE_AES);
	assert_true(offset + bytes <= SILEX_AES_REGISTERS);
	if (offset == SILEX_AES_KEY)
		message->key = bytes;
}

/* State and key of a hash have a LAST of their own, everything else only where the list ends */
static bool may_be_last(const struct message *message, const struct silex_descriptor *descriptor)
{
	const unsigned type = SILEX_TAG_TYPE_OF(silex_to_le32(descriptor->tag));

	return is_last(descriptor) ||
	       (message->engine == SILEX_ENGINE_HASH &&
		(type == SILEX_HASH_DATA_STATE || type == SILEX_HASH_DATA_KEY));
}

/* An item ends on a whole unit; what of that is invalid, the descriptor says that ends it */
static void check_data(struct message *message, const struct silex_descriptor *descriptor,
		       uint32_t bytes)
{
	const uint32_t tag = silex_to_le32(descriptor->tag), invalid = SILEX_TAG_INVALID_OF(tag);
	const bool header = SILEX_TAG_TYPE_OF(tag) == SILEX_AES_HEADER;
	const unsigned unit = unit_of(message->engine);

	if (tag & SILEX_TAG_LAST)
		assert_true(may_be_last(message, descriptor));
	message->data = true;
	message->item += bytes;
	if (message->engine == SILEX_ENGINE_AES && header)
		assert_int_equal(message->payload, 0);
	if (message->engine == SILEX_ENGINE_AES)
		*(header ? &message->header : &message->payload) += bytes;
	if (!(silex_to_le32(descriptor->length) & SILEX_LEN_REALIGN)) {
		assert_int_equal(invalid, 0);
		return;
	}
	assert_int_equal(message->item % unit, 0);
	assert_true(invalid < unit || (invalid == unit && message->item == unit));
	assert_true(invalid <= bytes);
	message->item = 0;
}

static const struct silex_descriptor *next_of(const struct silex_descriptor *descriptor)
{
	return is_last(descriptor) ? NULL
				   : at(silex_to_le32(descriptor->next), sizeof(*descriptor));
}

static struct message check_fetch_list(void)
{
	const struct silex_descriptor *descriptor = at(master.fetch, sizeof(*descriptor));
	struct message message = {
		.engine = silex_to_le32(descriptor->tag) & SILEX_TAG_ENGINE,
	};

	for (; descriptor; descriptor = next_of(descriptor)) {
		const uint32_t bytes = check_descriptor(descriptor);
		const uint32_t tag = silex_to_le32(descriptor->tag);

		assert_int_equal(tag & SILEX_TAG_ENGINE, message.engine);
		assert_false(silex_to_le32(descriptor->length) &
			     (SILEX_LEN_ZERO_PAD | SILEX_LEN_IRQ));
		if (tag & SILEX_TAG_CONFIG)
			check_configuration(&message, descriptor, bytes);
		else
			check_data(&message, descriptor, bytes);
	}
	assert_true(message.data && message.item == 0);
	return message;
}

/* ---- what comes back ---- */

#define AEAD (SILEX_AES_MODE_GCM | SILEX_AES_MODE_CCM)

/* Associated data, payload, then tag or context; a trailer went in besides */
static size_t aes_output(const struct message *message)
{
	const uint32_t word = message->word;
	const bool save = word & SILEX_AES_CONTEXT_SAVE, decrypt = word & SILEX_AES_DECRYPT;
	size_t size = message->header;

	if (!(word & SILEX_AES_MODE_CMAC))
		size += message->payload;
	if (!save && (word & SILEX_AES_MODE_GCM || (word & SILEX_AES_MODE_CCM && decrypt)))
		size -= SILEX_AES_TRAILER;
	if (save)
		return size + (word & AEAD ? SILEX_AES_AEAD_CONTEXT : SILEX_AES_CONTEXT);
	return size + (word & (AEAD | SILEX_AES_MODE_CMAC) ? SILEX_AES_TAG : 0);
}

static size_t hash_output(uint32_t word)
{
	const bool final = word & SILEX_HASH_FINAL;

	switch (word & SILEX_HASH_ALG_MASK) {
	case SILEX_HASH_ALG_SHA1:
		return 20;
	case SILEX_HASH_ALG_SHA224:
		return final ? 28 : SILEX_HASH_STATE_SHA256;
	case SILEX_HASH_ALG_SHA256:
		return 32;
	case SILEX_HASH_ALG_SHA384:
		return final ? 48 : SILEX_HASH_STATE_SHA512;
	case SILEX_HASH_ALG_SHA512:
		return 64;
	default:
		fail_msg("the configuration %#x has not one algorithm", word);
		return 0;
	}
}

static size_t check_push_list(void)
{
	const struct silex_descriptor *descriptor = at(master.push, sizeof(*descriptor));
	size_t sum = 0;

	for (; descriptor; descriptor = next_of(descriptor)) {
		const uint32_t length = silex_to_le32(descriptor->length);
		const uint32_t bytes = check_descriptor(descriptor);

		if (!(length & SILEX_LEN_DISCARD))
			at(silex_to_le32(descriptor->addr), bytes);
		assert_int_equal(!!(length & SILEX_LEN_IRQ), is_last(descriptor));
		sum += bytes;
	}
	return sum;
}

/* ---- START ---- */

static void check_message(void)
{
	const struct message message = check_fetch_list();
	const size_t output = check_push_list();

	assert_int_equal(master.config, SILEX_CM_CONFIG_SG);
	assert_true(master.cleared);
	if (message.engine == SILEX_ENGINE_AES) {
		assert_int_equal(silex_aes_key_size(message.word), message.key);
		assert_int_equal(output, aes_output(&message));
	} else {
		assert_int_equal(message.engine, SILEX_ENGINE_HASH);
		assert_int_equal(output, hash_output(message.word));
	}
	master.cleared = false;
	rules_messages++;
}

void rules_cm_begin(const struct fs_transport *transport)
{
	master.transport = transport;
	master.config = SILEX_CM_CONFIG_SG; /* as opening has left it */
	master.cleared = false;
	rules_messages = 0;
}

void rules_cm_write(uint32_t offset, uint32_t value)
{
	switch (offset) {
	case SILEX_CM_FETCH_ADDR:
		master.fetch = value;
		return;
	case SILEX_CM_PUSH_ADDR:
		master.push = value;
		return;
	case SILEX_CM_CONFIG:
		master.config = value;
		return;
	case SILEX_CM_INT_STAT_CLR:
		assert_int_equal(value, SILEX_CM_INT_ALL);
		master.cleared = true;
		return;
	case SILEX_CM_INT_EN:
		assert_int_equal(value & ~SILEX_CM_INT_ENDED, 0);
		return;
	default:
		assert_int_equal(offset, SILEX_CM_START);
		assert_int_equal(value, SILEX_CM_START_BOTH);
		check_message();
	}
}
