/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Threads that are ended by pthread_cancel(), as by default at cancellation points alone: the front end
 * has none.  Work with keys is left out: wolfCrypt's random numbers are read from a file, which is one.
 */
#include "frontends/common/tests/cancelled.h"
#include "works.h"

static void symmetric(void)
{
	works_ciphers(2);
	works_hashes(2);
}

static void open_and_close(void)
{
	unit_open("model:hash=on", true);
	unit_close();
}

int main(void)
{
	/* Each work for the first time, so with its trial, then without */
	unit_open("model:hash=on", true);
	CHECK(survives_cancelled(NULL, symmetric));
	CHECK(survives_cancelled(NULL, symmetric));
	CHECK(unit_count(FIRESTEEL_WOLFSSL_GCM).hardware > 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_SHA256).hardware > 0);
	unit_close();
	CHECK(survives_cancelled(NULL, open_and_close));
	return 0;
}
