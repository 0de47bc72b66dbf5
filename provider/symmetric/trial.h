/* SPDX-License-Identifier: Apache-2.0 */
/* The core's answers and times for ciphers, hashes and MACs, compared with software's. */
#ifndef FSP_SYMMETRIC_TRIAL_H
#define FSP_SYMMETRIC_TRIAL_H

#include "base/provider.h"

/* One message by the core and by software; software is not timed */
enum fsp_trial fsp_symmetric_trial(struct fsp_provider *provider, enum fsp_task task,
				   int64_t *software_ns);

/* The smallest size for which the core is expected to be faster, or FSP_NEVER */
size_t fsp_symmetric_break_even(struct fsp_provider *provider, enum fsp_task task);

/* Whether there is any size at which the core costs less; true when software cannot be asked yet */
bool fsp_symmetric_pays(struct fsp_provider *provider, enum fsp_task task);

#endif
