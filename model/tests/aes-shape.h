/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Messages to BA411E at the interface that CryptoMaster sees; their bytes are the same in all. */
#ifndef SILEX_TESTS_AES_SHAPE_H
#define SILEX_TESTS_AES_SHAPE_H

#include "../../silex/ba411.h"
#include "../aes.h"
#include "unit.h"

#define BLOCK  SILEX_AES_BLOCK
#define SIZE   75u /* of most payloads: four blocks and a part of one */
#define HEADER 37u /* B0 of CCM and associated data that fill a block and begin another */
#define STREAM (HEADER + BLOCK + SIZE + BLOCK + SILEX_ENGINE_TAIL)

/* What a message consists of */
struct shape {
	uint32_t word;
	unsigned key; /* bytes */
	unsigned key2;
	size_t payload;
	size_t first; /* calls of data() end after so many bytes of payload */
	size_t second; /* ... and after so many */
	bool in_place;
};

/* The engine under test, new for each test, and what it is made with */
extern struct silex_config aes_config;
extern struct silex_work aes_work_done;
extern struct silex_statistics aes_counted;
extern struct silex_engine aes_engine;

/* Another one */
struct silex_engine aes_new(void);

/* Key at 0, IV at 40, second half of a context at 60, second key at 80, payload at 128 */
extern uint8_t aes_bytes[256];

#define AES_MODES 9u
extern const uint32_t aes_modes[AES_MODES];

int aes_open(void **state);
int aes_close(void **state);
#define AES_TEST(name) cmocka_unit_test_setup_teardown(name, aes_open, aes_close)

/* A message of SIZE bytes of payload in one call */
struct shape aes_shape(uint32_t word, unsigned key);
bool aes_is_tagged(uint32_t word); /* GCM, CCM */

/* The engine's operations, which must keep to their bounds */
size_t aes_data(unsigned type, const uint8_t *input, size_t size, uint8_t *output);
size_t aes_end(unsigned type, bool last, uint8_t *output);

/* A message and its parts; each returns the number of bytes that came out */
void aes_put_word(uint32_t word);
void aes_put_registers(const struct shape *shape);
size_t aes_put_header(const struct shape *shape, uint8_t *output);
size_t aes_put_payload(const struct shape *shape, uint8_t *output);
size_t aes_put_end(const struct shape *shape, uint8_t *output); /* with trailer */
size_t aes_put_data(const struct shape *shape, uint8_t *output); /* all but registers */
size_t aes_run(const struct shape *shape, uint8_t *output);

#endif
