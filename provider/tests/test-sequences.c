/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random sequences of calls on ciphers, AEADs, digests and MACs, ours beside the default provider's of the
 * same libcrypto: on the core, by size, in software, and on cores that fail.
 *
 *   test-sequences                        the same sequences each time
 *   test-sequences FAMILY SEED [COUNT]    these, under every setting
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sequences.h"

#define ROUNDS 3000u /* of each family under each setting */

static const struct family {
	const char *name;
	void (*make)(const struct unit *unit);
} families[] = {
	{ "cipher", sequence_of_cipher },
	{ "aead", sequence_of_aead },
	{ "digest", sequence_of_digest },
	{ "mac", sequence_of_mac },
};

static const struct {
	const char *device, *thresholds;
} settings[] = {
	{ "model:zero=on,hash=on", "all=1" },
	{ "model:zero=on,hash=on", "all=100" },
	{ "model:zero=on,hash=on", "all=1000000" },
	{ "model:zero=on,hash=on,faults=dma-error:rate=3", "all=1" },
	{ "model:zero=on,hash=on,faults=wrong-tag:rate=2", "all=1" },
};

static void run(const struct family *family, uint64_t from, uint64_t count)
{
	for (unsigned i = 0; i < COUNT(settings); i++) {
		struct unit unit = unit_open(settings[i].device, settings[i].thresholds);

		for (uint64_t seed = from; seed < from + count; seed++) {
			sequence_begin(family->name, seed);
			sequence_note("device %s, thresholds %s", settings[i].device,
				      settings[i].thresholds);
			family->make(&unit);
		}
		unit_close(&unit);
	}
}

int main(int count, char **arguments)
{
	if (count < 3) {
		for (unsigned i = 0; i < COUNT(families); i++)
			run(&families[i], 0, ROUNDS);
		return 0;
	}
	for (unsigned i = 0; i < COUNT(families); i++) {
		if (strcmp(families[i].name, arguments[1]) == 0) {
			run(&families[i], strtoull(arguments[2], NULL, 10),
			    count > 3 ? strtoull(arguments[3], NULL, 10) : 1);
			return 0;
		}
	}
	fprintf(stderr, "test-sequences: no family %s; there are cipher, aead, digest and mac\n",
		arguments[1]);
	return 2;
}
