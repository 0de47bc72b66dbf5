/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Functions of wolfSSL's in whose place the loader finds ours, in the program: they call wolfSSL's,
 * unless a test wants another wolfSSL.  An object that was not initialised must not be freed: that
 * ends the program.
 */
#ifndef FSW_TESTS_INTERPOSED_H
#define FSW_TESTS_INTERPOSED_H

#include <wolfssl/options.h>

#include <wolfssl/wolfcrypt/types.h>

#include "check.h"

enum interposed {
	INTERPOSED_AES,
	INTERPOSED_SHA1,
	INTERPOSED_SHA256,
	INTERPOSED_SHA512,
	INTERPOSED_CURVE25519,
	INTERPOSED_NUMBER,
	INTERPOSED_NUMBERS, /* several at once */
	INTERPOSED_KINDS
};

/* wolfSSL's version; 0: its own */
extern word32 interposed_version;

/* Bytes that an object of a kind takes more than the headers say, which its initialisation sets */
extern size_t interposed_excess[INTERPOSED_KINDS];

/* How many objects were initialised, or were to be */
extern unsigned interposed_count[INTERPOSED_KINDS];

/* From now on, the nth initialisation of a kind fails, once; 0: none, and what failed is forgotten
 */
void interposed_fail(enum interposed kind, unsigned nth);

/* Whether the one that was asked for last has failed */
bool interposed_failed(void);

#endif
