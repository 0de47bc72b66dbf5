/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "cryptomaster-line.h"

void silex_cm_update_line(struct silex_cm *cm)
{
	bool level = cm->raw & cm->enabled;

	if (level == cm->line)
		return;
	cm->line = level;
	cm->statistics->cm_interrupts += level;
	cm->owner.interrupt(cm->owner.opaque, level);
}

void silex_cm_raise(struct silex_cm *cm, uint32_t bits)
{
	cm->raw |= bits;
	silex_cm_update_line(cm);
}
