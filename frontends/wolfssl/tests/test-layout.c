/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Another wolfSSL than the one that the library was compiled for is refused: of another version
 * before a structure of its is touched, with larger structures without harm.
 */
#include <wolfssl/options.h>

#include <stdio.h>
#include <string.h>

#include <wolfssl/version.h>
#include <wolfssl/wolfcrypt/types.h>

#include "interposed.h"
#include "unit.h"

/* More than a page: behind an object on the stack it would be everything */
#define EXCESS 8192u

static void refused(const char *with)
{
	char message[FIRESTEEL_MESSAGE_SIZE] = "";
	int device = 1;

	memset(interposed_count, 0, sizeof(interposed_count));
	CHECK(firesteel_wolfssl_register("model", &device, message) == FIRESTEEL_ERROR_INVALID);
	printf("%s\n", message);
	CHECK(device == INVALID_DEVID && strstr(message, with));
}

static void another_version(word32 version)
{
	interposed_version = version;
	refused("compiled for version " LIBWOLFSSL_VERSION_STRING);
	for (unsigned i = 0; i < INTERPOSED_KINDS; i++)
		CHECK(interposed_count[i] == 0);
	interposed_version = 0;
}

static void larger(enum interposed kind)
{
	interposed_excess[kind] = EXCESS;
	refused("other options");
	CHECK(interposed_count[kind] > 0);
	interposed_excess[kind] = 1;
	refused("other options");
	interposed_excess[kind] = 0;
}

static void not_initialised(enum interposed kind)
{
	interposed_fail(kind, 1);
	refused("other options");
	CHECK(interposed_failed());
}

int main(void)
{
	static const enum interposed looked_at[] = { INTERPOSED_AES, INTERPOSED_SHA256,
						     INTERPOSED_SHA512 };

	another_version(LIBWOLFSSL_VERSION_HEX + 1);
	another_version(LIBWOLFSSL_VERSION_HEX - 1);
	for (unsigned i = 0; i < COUNT(looked_at); i++) {
		larger(looked_at[i]);
		not_initialised(looked_at[i]);
	}
	unit_open("model", true);
	unit_close();
	return 0;
}
