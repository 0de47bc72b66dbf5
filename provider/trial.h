/* SPDX-License-Identifier: Apache-2.0 */
/* The core's answers and times, compared with software's. */
#ifndef FSP_TRIAL_H
#define FSP_TRIAL_H

#include "provider.h"

enum fsp_trial {
	FSP_TRIAL_GOOD, /* core and software agree on one message */
	FSP_TRIAL_BAD, /* they do not */
	FSP_TRIAL_NONE, /* one of them gave no answer: try again later */
};

enum fsp_trial fsp_trial_answers(struct fsp_provider *provider, enum fsp_work work);

/* The smallest size for which the core is expected to be faster, or FSP_NEVER */
/* Whether there is any size at which the core costs less; true when software cannot be asked yet */
bool fsp_trial_pays(struct fsp_provider *provider, enum fsp_work work);

size_t fsp_trial_break_even(struct fsp_provider *provider, enum fsp_work work);

#endif
