/* SPDX-License-Identifier: Apache-2.0 */
#include "pk-evidence.h"

#include <string.h>

#include "../silex/ba414.h"
#include "../silex/soc.h"
#include "barrier.h"
#include "share.h"

/* At the end of the unused slot at which operands of this byte order do not lie: farthest from what
 * an operation with shorter operands could keep there */
static uint32_t offset_of(size_t stride, bool little)
{
	size_t offset = SILEX_PK_SLOT_UNUSED * stride;

	if (little)
		offset += stride - 4 * FS_EVIDENCE_WORDS;
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

void fs_evidence_prepare(struct fs_evidence *evidence, struct fs_transport *transport,
			 struct fs_random *random, size_t stride, bool little)
{
	evidence->offset = offset_of(stride, little);
	draw(random, evidence);
	transport->ops->put(transport, evidence->offset, evidence->canary, FS_EVIDENCE_WORDS);
	fs_write(transport, FS_PK, SILEX_PK_BASE + SILEX_PK_TIMER, 0);
}

static bool is_intact(const struct fs_evidence *evidence, struct fs_transport *transport)
{
	uint8_t found[sizeof(evidence->canary)];

	transport->ops->get(transport, evidence->offset, found, FS_EVIDENCE_WORDS);
	return memcmp(found, evidence->canary, sizeof(found)) == 0;
}

int fs_evidence_check(const struct fs_evidence *evidence, struct fs_transport *transport)
{
	uint32_t command, timer;
	bool intact;

	fs_barrier_read();
	intact = is_intact(evidence, transport);
	command = fs_read(transport, FS_PK, SILEX_PK_BASE + SILEX_PK_COMMAND);
	timer = fs_read(transport, FS_PK, SILEX_PK_BASE + SILEX_PK_TIMER);
	fs_barrier_read();
	if (intact && command == evidence->command && timer != 0 && timer != SILEX_GONE &&
	    fs_share_generation(transport) == evidence->generation)
		return FIRESTEEL_OK;
	return command == SILEX_GONE ? FIRESTEEL_ERROR_GONE : FIRESTEEL_ERROR_FAULT;
}
