/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * wolfSSL's front end on real devices, with all works compared with wolfCrypt's software, as
 * frontends/wolfssl/tests/ does on the model.
 *
 *     wolfssl all|faster|away
 *
 * Prints counters, and at last "ok NAME has ended"; a difference ends it before.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "works.h"

/* All that the cores can do */
static void all(void)
{
	unit_open("auto", true);
	works_all(3);
	unit_print();
	for (unsigned i = 0; i < FIRESTEEL_WOLFSSL_WORKS; i++) {
		CHECK(unit_count(i).hardware > 0);
		CHECK(unit_count(i).failed == 0);
	}
	CHECK(unit_count(FIRESTEEL_WOLFSSL_GCM).rejected > 0);
}

/* What they are expected to do faster than this processor */
static void faster(void)
{
	unit_open("auto", false);
	works_all(3);
	unit_print();
	for (unsigned i = 0; i <= FIRESTEEL_WOLFSSL_SHA512; i++)
		printf("# %s: break-even %lld\n", firesteel_wolfssl_work_name(i),
		       (long long)unit_count(i).break_even);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_GCM).hardware > 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_ECB).small > 0); /* single blocks of CTR's ends */
	CHECK(unit_count(FIRESTEEL_WOLFSSL_RSA_PRIVATE).hardware > 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_ECDSA_SIGN).hardware > 0);
}

/* Somebody takes the devices away when /run/ready is there: nothing is wrong, before and after */
static void away(void)
{
	uint64_t before;
	unsigned rounds = 0;

	unit_open("auto", true);
	works_ciphers(1);
	before = unit_hardware();
	CHECK(before > 0);
	close(open("/run/ready", O_CREAT | O_WRONLY, 0600));
	while (unit_count(FIRESTEEL_WOLFSSL_GCM).failed == 0 && rounds++ < 1000)
		works_ciphers(1);
	works_all(1);
	before = unit_hardware();
	works_all(1);
	unit_print();
	CHECK(unit_hardware() == before);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_GCM).failed > 0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*play)(void);
	} scenarios[] = { { "all", all }, { "faster", faster }, { "away", away } };

	works_begin();
	for (unsigned i = 0; i < COUNT(scenarios); i++)
		if (argc == 2 && strcmp(argv[1], scenarios[i].name) == 0) {
			scenarios[i].play();
			unit_close();
			printf("ok %s has ended\n", argv[1]);
		}
	works_end();
	return 0;
}
