/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Cores that fail in the middle of all works: hang, have bus errors, compute wrong tags, are
 * unplugged. Nothing is wrong and nothing is refused that is right, as works.c compares each answer
 * with wolfCrypt's. Where a core computes a wrong result that has no check (flipped-bit), works
 * that have one are tried.
 */
#include <stdio.h>
#include <stdlib.h>

#include "works.h"

#define ROUNDS 3u

enum use { UNUSED, USED, EITHER };

/* What the model is told; whether the core is used after a while; and that it failed at
 * something */
static void faults(const char *kind, unsigned nth, void (*work)(unsigned rounds), enum use after)
{
	struct firesteel_wolfssl_counters of;
	uint64_t before, failed = 0, done;
	char device[128];

	snprintf(device, sizeof(device),
		 nth ? "model:hash=on,faults=%s:nth=%u" : "model:hash=on,faults=%s", kind, nth);
	unit_open(device, true);
	work(ROUNDS);
	before = unit_hardware();
	work(1);
	done = unit_hardware() - before;
	for (unsigned i = 0; i < FIRESTEEL_WOLFSSL_WORKS; i++) {
		of = unit_count(i);
		failed += of.failed + of.rejected;
	}
	printf("%s: before %llu, after %llu operations on the core, %llu failed or rejected\n",
	       device, (unsigned long long)before, (unsigned long long)done,
	       (unsigned long long)failed);
	fflush(stdout);
	CHECK(failed > 0);
	CHECK(after == EITHER || (after == USED) == (done > 0));
	unit_close();
}

static void at_several_places(const char *kind, void (*work)(unsigned rounds), enum use after)
{
	static const unsigned places[] = { 8, 33, 80 };

	for (unsigned i = 0; i < COUNT(places); i++)
		faults(kind, places[i], work, after);
}

int main(void)
{
	/* A hanging core is given up sooner than in earnest */
	setenv("FIRESTEEL_TIMEOUT_MS", "20", 1);
	works_begin();
	at_several_places("dma-error", works_all, USED);
	at_several_places("stuck-busy", works_all, EITHER);
	at_several_places("gone", works_all, UNUSED);
	faults("dma-error:rate=5", 0, works_all, USED);
	faults("gone:accesses=2000:for=1000", 0, works_all, EITHER);
	at_several_places("wrong-tag", works_tags, USED);
	faults("wrong-tag:rate=3", 0, works_tags, USED);
	faults("wrong-tag:rate=1", 0, works_tags, EITHER);
	at_several_places("flipped-bit", works_secrets, EITHER);
	faults("flipped-bit:rate=4", 0, works_secrets, EITHER);
	works_end();
	return 0;
}
