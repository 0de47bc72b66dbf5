/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "aes-shape.h"

#include <string.h>

struct silex_config aes_config;
struct silex_work aes_work_done;
struct silex_statistics aes_counted;
struct silex_engine aes_engine;
uint8_t aes_bytes[256];

const uint32_t aes_modes[AES_MODES] = {
	SILEX_AES_MODE_ECB, SILEX_AES_MODE_CBC, SILEX_AES_MODE_CTR,
	SILEX_AES_MODE_CFB, SILEX_AES_MODE_OFB, SILEX_AES_MODE_CCM,
	SILEX_AES_MODE_GCM, SILEX_AES_MODE_XTS, SILEX_AES_MODE_CMAC,
};

/* ---- an engine for each test ---- */

struct silex_engine aes_new(void)
{
	const struct silex_engine_ops *ops = &silex_aes_engine;
	struct silex_engine engine = { ops,
				       ops->create(&aes_config, &aes_work_done, &aes_counted) };

	assert_non_null(engine.state);
	return engine;
}

int aes_open(void **state)
{
	(void)state;
	silex_config_default(&aes_config);
	memset(&aes_work_done, 0, sizeof(aes_work_done));
	memset(&aes_counted, 0, sizeof(aes_counted));
	for (unsigned i = 0; i < sizeof(aes_bytes); i++)
		aes_bytes[i] = (uint8_t)(101 * i + 37);
	aes_engine = aes_new();
	return 0;
}

int aes_close(void **state)
{
	(void)state;
	aes_engine.ops->destroy(aes_engine.state);
	return 0;
}

/* ---- messages ---- */

void aes_put_word(uint32_t word)
{
	const uint8_t item[4] = { (uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
				  (uint8_t)(word >> 24) };

	aes_engine.ops->configure(aes_engine.state, SILEX_AES_CONFIG, item, sizeof(item));
}

void aes_put_registers(const struct shape *shape)
{
	aes_put_word(shape->word);
	aes_engine.ops->configure(aes_engine.state, SILEX_AES_KEY, aes_bytes, shape->key);
	aes_engine.ops->configure(aes_engine.state, SILEX_AES_IV, aes_bytes + 40, BLOCK);
	aes_engine.ops->configure(aes_engine.state, SILEX_AES_CONTEXT2, aes_bytes + 60, BLOCK);
	if (shape->key2 > 0)
		aes_engine.ops->configure(aes_engine.state, SILEX_AES_KEY2, aes_bytes + 80,
					  shape->key2);
}

bool aes_is_tagged(uint32_t word)
{
	return word & (SILEX_AES_MODE_CCM | SILEX_AES_MODE_GCM);
}

static bool has_trailer(uint32_t word)
{
	return !(word & SILEX_AES_CONTEXT_SAVE) &&
	       (word & SILEX_AES_MODE_GCM ||
		(word & SILEX_AES_MODE_CCM && word & SILEX_AES_DECRYPT));
}

size_t aes_data(unsigned type, const uint8_t *input, size_t size, uint8_t *output)
{
	size_t written = aes_engine.ops->data(aes_engine.state, type, input, size, output);

	assert_true(written <= size + SILEX_ENGINE_PENDING);
	return written;
}

size_t aes_end(unsigned type, bool last, uint8_t *output)
{
	size_t written = aes_engine.ops->end(aes_engine.state, type, last, output);

	assert_true(written <= SILEX_ENGINE_TAIL);
	return written;
}

size_t aes_put_header(const struct shape *shape, uint8_t *output)
{
	uint8_t header[HEADER];
	size_t written;

	if (!aes_is_tagged(shape->word))
		return 0;
	memcpy(header, aes_bytes + 120, sizeof(header));
	header[0] = 0x7a; /* B0: associated data, a tag of 16 bytes, a length of 3 */
	written = aes_data(SILEX_AES_HEADER, header, sizeof(header), output);
	return written + aes_end(SILEX_AES_HEADER, false, output + written);
}

/* The payload in up to three calls, apart or where it comes out */
size_t aes_put_payload(const struct shape *shape, uint8_t *output)
{
	const size_t ends[] = { shape->first, shape->second, shape->payload };
	const uint8_t *input = shape->in_place ? output : aes_bytes + 128;
	size_t done = 0, written = 0;

	if (shape->in_place)
		memcpy(output, aes_bytes + 128, shape->payload);
	for (unsigned i = 0; i < 3; i++) {
		written += aes_data(SILEX_AES_PAYLOAD, input + done, ends[i] - done,
				    output + written);
		done = ends[i];
	}
	return written;
}

/* The trailer, if the mode has one, and the end */
size_t aes_put_end(const struct shape *shape, uint8_t *output)
{
	size_t written = 0;

	if (has_trailer(shape->word)) {
		if (shape->payload % BLOCK)
			written = aes_end(SILEX_AES_PAYLOAD, false, output);
		written += aes_data(SILEX_AES_PAYLOAD, aes_bytes + 20, BLOCK, output + written);
	}
	return written + aes_end(SILEX_AES_PAYLOAD, true, output + written);
}

size_t aes_put_data(const struct shape *shape, uint8_t *output)
{
	size_t written = aes_put_header(shape, output);

	written += aes_put_payload(shape, output + written);
	return written + aes_put_end(shape, output + written);
}

/* A whole message; returns the number of bytes that came out */
size_t aes_run(const struct shape *shape, uint8_t *output)
{
	aes_put_registers(shape);
	return aes_put_data(shape, output);
}

struct shape aes_shape(uint32_t word, unsigned key)
{
	return (struct shape){
		.word = word,
		.key = key,
		.key2 = word & SILEX_AES_MODE_XTS ? key : 0,
		.payload = SIZE,
		.first = SIZE,
		.second = SIZE,
	};
}
