/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Messages that public drivers give to the engines behind CryptoMaster. */
#ifndef SILEX_TESTS_CONFORMANCE_MESSAGES_H
#define SILEX_TESTS_CONFORMANCE_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ITEMS 8u

enum kind { NONE, CONFIG, DATA };

struct item {
	enum kind kind;
	unsigned what; /* offset of configuration, type of data */
	const char *digits;
};

struct message {
	const char *source;
	const char *name;
	uint32_t engine;
	uint32_t caps; /* of SILEX_AES_CAPS, that it needs */
	struct item item[ITEMS];
	unsigned drop; /* bytes that come out before the result */
	const char *result;
};

extern const struct message conformance_messages[];
extern const unsigned conformance_message_count;

#endif
