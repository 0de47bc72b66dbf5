/* SPDX-License-Identifier: Apache-2.0 */
/* The core's answers and times for ciphers, hashes and MACs, compared with software's. */
#ifndef FSP_SYMMETRIC_TRIAL_H
#define FSP_SYMMETRIC_TRIAL_H

#include "base/provider.h"

/* The bytes that trial and break-even process in software */
#define FSP_SYMMETRIC_TRIAL_COST 17664u

/* One message by the core and by software; software is not timed */
enum fsc_trial fsp_symmetric_trial(struct fsp_provider *provider, enum fsp_task task,
				   int64_t *software_ns);

/* The smallest size for which the core is expected to be faster, or FSC_NEVER */
size_t fsp_symmetric_break_even(struct fsp_provider *provider, enum fsp_task task);

/*
 * Software's time for bytes, ns: AES in its fastest mode (CTR, which computes blocks in parallel),
 * and SHA-256.  No kind of work takes less.  So other kinds are timed only if the core does not
 * clearly win against these.  0: not measured yet; negative: unknown.
 */
struct fsp_software_times {
	int64_t aes, hash;
};

/* Whether the core costs less at any size; true while software cannot be asked yet.  `times` is
 * kept between calls; zeros at first. */
bool fsp_symmetric_pays(struct fsp_provider *provider, enum fsp_task task,
			struct fsp_software_times *times);

#endif
