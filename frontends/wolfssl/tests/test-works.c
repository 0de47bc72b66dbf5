/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * All that the front end does, on a core that works: the same as wolfCrypt in software, and the
 * counters show that the core did it.  And what it leaves to software: because of the core, or of
 * the time.
 */
#include <stdio.h>

#include "works.h"

static void the_core_does_it(void)
{
	unit_open("model:hash=on", true);
	works_all(12);
	unit_print();
	for (unsigned i = 0; i < FIRESTEEL_WOLFSSL_WORKS; i++) {
		const struct firesteel_wolfssl_counters of = unit_count(i);

		CHECK(of.hardware >= 12);
		CHECK((of.bytes > 10000) == (i <= FIRESTEEL_WOLFSSL_SHA512));
		CHECK(of.failed == 0);
		CHECK(of.break_even == (i <= FIRESTEEL_WOLFSSL_SHA512 ? 1 : 0));
	}
	CHECK(unit_count(FIRESTEEL_WOLFSSL_GCM).rejected >= 12);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_CCM).rejected >= 12);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_ECDSA_VERIFY).rejected >= 12);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_ED25519_VERIFY).rejected >= 10);
	unit_close();
}

/* A model's time on this machine is longer than software's: by size and by estimate, software does
 * it */
static void software_does_what_it_does_faster(void)
{
	unit_open("model:hash=on,clock_hz=1000000", false);
	works_all(3);
	unit_print();
	CHECK(unit_hardware() == 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_GCM).small > 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_GCM).break_even == UINT64_MAX);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_SHA256).small > 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_RSA_PRIVATE).small > 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_X25519).small > 0);
	unit_close();
}

/* Secrets are not for a core without countermeasures; and half of the cores are not there */
static void software_does_what_the_core_lacks(void)
{
	unit_open("model:hash=off,pk_protection=off", true);
	works_all(3);
	unit_print();
	CHECK(unit_count(FIRESTEEL_WOLFSSL_SHA256).hardware == 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_GCM).hardware > 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_RSA_PRIVATE).hardware == 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_RSA_PRIVATE).unfit > 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_RSA_PUBLIC).hardware > 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_X25519).hardware == 0);
	unit_close();
	unit_open("model:cryptomaster=off,aes=off,hash=off", true);
	works_all(3);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_GCM).hardware == 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_X25519).hardware > 0);
	unit_close();
}

int main(void)
{
	works_begin();
	the_core_does_it();
	software_does_what_it_does_faster();
	software_does_what_the_core_lacks();
	works_end();
	return 0;
}
