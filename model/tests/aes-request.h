/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Requests for AES as the descriptors that the driver (driver/cmd.c, firesteel_cmd_cipher) and the
 * library (lib/cipher.c) make of them: configuration word, key, IV, and the payload in as many
 * pieces as the caller has it, from where it lies to where it lies.
 */
#ifndef SILEX_TESTS_AES_REQUEST_H
#define SILEX_TESTS_AES_REQUEST_H

#include "driver.h"

struct aes_request {
	uint32_t mode; /* SILEX_AES_MODE_*, one with an IV of a block */
	unsigned key; /* bytes */
	uint32_t size; /* of the payload, in whole blocks */
	uint32_t piece; /* bytes of each piece; 0: there is one */
};

/* Writes `count` requests as one list on each side, each with an interrupt at the end of its
 * output, which replaces the input; prepares the registers */
void aes_request_prepare(struct bus *bus, const struct aes_request *requests, unsigned count);

/* Cycles at 100 MHz from START to the interrupt that tells of the end of a job, already prepared */
uint64_t aes_request_run(struct bus *bus);

/* Both for one request: on cores of this configuration */
uint64_t aes_request_cycles(const char *configuration, const struct aes_request *request);

#endif
