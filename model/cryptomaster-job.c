/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "cryptomaster-job.h"

#include "cryptomaster-line.h"

/* Fetch descriptors of a job among which the fault "dma-error" chooses */
#define ERROR_DESCRIPTORS 8u

/* On one side or the other, at one of the first descriptors */
static void plan_error(struct silex_cm *cm)
{
	uint64_t choice = cm->owner.random(cm->owner.opaque);

	cm->error_plan = choice & 1 ? SILEX_CM_PUSH_ERROR : SILEX_CM_FETCH_ERROR;
	cm->error_after = (unsigned)((choice >> 1) % ERROR_DESCRIPTORS);
}

void silex_cm_begin_job(struct silex_cm *cm)
{
	cm->in_job = true;
	cm->spoiled = false;
	cm->late = 1;
	cm->error_plan = SILEX_CM_NO_ERROR;
	cm->stuck = silex_cm_strikes(cm, SILEX_FAULT_GONE) ||
		    silex_cm_strikes(cm, SILEX_FAULT_STUCK_BUSY);
	if (cm->stuck)
		return;
	if (silex_cm_strikes(cm, SILEX_FAULT_LATE))
		cm->late = cm->config->faults.fault[SILEX_FAULT_LATE].factor;
	if (silex_cm_strikes(cm, SILEX_FAULT_SPURIOUS_INTERRUPT))
		silex_cm_raise(cm, SILEX_CM_INT_PUSH_STOPPED);
	if (silex_cm_strikes(cm, SILEX_FAULT_DMA_ERROR))
		plan_error(cm);
}

bool silex_cm_fetch_error_is_due(struct silex_cm *cm)
{
	return cm->error_plan == SILEX_CM_FETCH_ERROR &&
	       (cm->error_after-- == 0 || cm->fetch.tag & SILEX_TAG_LAST || cm->fetch.last);
}

bool silex_cm_end_job(struct silex_cm *cm)
{
	if (cm->error_plan == SILEX_CM_PUSH_ERROR && cm->fifo_used == 0)
		return false;
	cm->over = true;
	cm->in_job = false;
	cm->statistics->cm_jobs++;
	cm->owner.event(cm->owner.opaque, "cm-job", cm->statistics->cm_jobs);
	return true;
}
