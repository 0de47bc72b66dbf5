/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * wolfCrypt's own tests with the device: a main() for its wolfcrypt/test/test.c, compiled without
 * one and with the device's ID for its objects.
 *
 *	wolfcrypt-tests DEVICE all|some
 *
 * Ends with an error if a test of wolfCrypt's fails, or if the core did nothing of a work (all), or
 * nothing at all (some).
 */
#include <stdio.h>
#include <string.h>

#include "unit.h"

/* wolfCrypt's, which has no header; NULL: all tests */
int wolfcrypt_test(void *arguments);

int main(int argc, char **argv)
{
	int error;

	if (argc != 3) {
		fprintf(stderr, "usage: wolfcrypt-tests DEVICE all|some\n");
		return 2;
	}
	unit_open(argv[1], true);
	error = wolfcrypt_test(NULL);
	unit_print();
	CHECK(unit_hardware() > 0);
	for (unsigned i = 0; i < FIRESTEEL_WOLFSSL_WORKS && strcmp(argv[2], "all") == 0; i++)
		CHECK(unit_count(i).hardware > 0);
	unit_close();
	return error ? 1 : 0;
}
