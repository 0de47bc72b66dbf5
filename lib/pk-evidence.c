/* SPDX-License-Identifier: Apache-2.0 */
#include "pk-evidence.h"

#include <string.h>

#include "../silex/soc.h"
#include "barrier.h"
#include "health.h"
#include "pk.h"
#include "share.h"

/* At the end of the unused slot at which operands of this byte order do not lie: farthest from what
 * an operation with shorter operands could keep there */
static uint32_t offset_of(const struct fs_pk *pk)
{
	size_t offset = SILEX_PK_SLOT_UNUSED * pk->stride;

	if (pk->little)
		offset += pk->stride - sizeof(pk->evidence.canary);
	return SILEX_PK_RAM_BASE + (uint32_t)offset;
}

/* All zeros or all ones could come from registers that are not there */
static bool is_uniform(const struct fs_evidence *evidence)
{
	for (size_t i = 1; i < sizeof(evidence->canary); i++)
		if (evidence->canary[i] != evidence->canary[0])
			return false;
	return true;
}

static void draw(struct fs_random *random, struct fs_evidence *evidence)
{
	do
		fs_random_get(random, evidence->canary, sizeof(evidence->canary));
	while (is_uniform(evidence));
}

void fs_evidence_prepare(struct fs_pk *pk)
{
	draw(&pk->device->random, &pk->evidence);
	pk->transport->ops->put(pk->transport, offset_of(pk), pk->evidence.canary,
				FS_EVIDENCE_WORDS);
	fs_write(pk->transport, FS_PK, SILEX_PK_BASE + SILEX_PK_TIMER, 0);
}

static bool is_intact(struct fs_pk *pk)
{
	uint8_t found[sizeof(pk->evidence.canary)];

	pk->transport->ops->get(pk->transport, offset_of(pk), found, FS_EVIDENCE_WORDS);
	return memcmp(found, pk->evidence.canary, sizeof(found)) == 0;
}

int fs_evidence_check(struct fs_pk *pk)
{
	uint32_t command, timer;
	bool intact;

	fs_barrier_read();
	intact = is_intact(pk);
	command = fs_read(pk->transport, FS_PK, SILEX_PK_BASE + SILEX_PK_COMMAND);
	timer = fs_read(pk->transport, FS_PK, SILEX_PK_BASE + SILEX_PK_TIMER);
	fs_barrier_read();
	if (intact && command == pk->command && timer != 0 && timer != FS_ALL_ONES &&
	    fs_share_generation(pk->transport) == pk->generation)
		return FIRESTEEL_OK;
	pk->unproven = true;
	fs_count(&pk->device->statistics.unproven, 1);
	return command == FS_ALL_ONES ? fs_health_gone(pk->device, FS_PK)
				      : fs_health_faulty(pk->device, FS_PK);
}
