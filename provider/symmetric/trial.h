/* SPDX-License-Identifier: Apache-2.0 */
/* The core's answers and times for ciphers, hashes and MACs, compared with software's. */
#ifndef FSP_SYMMETRIC_TRIAL_H
#define FSP_SYMMETRIC_TRIAL_H

#include "base/provider.h"

/* The bytes that the trial and the search for the break-even do in software */
#define FSP_SYMMETRIC_TRIAL_COST 17664u

/* One message by the core and by software; software is not timed */
enum fsc_trial fsp_symmetric_trial(struct fsp_provider *provider, enum fsp_task task,
				   int64_t *software_ns);

/* The smallest size for which the core is expected to be faster, or FSC_NEVER */
size_t fsp_symmetric_break_even(struct fsp_provider *provider, enum fsp_task task);

/*
 * What bytes take in software, ns: of AES in the mode that is fastest there (CTR, whose blocks are done
 * side by side), and of SHA-256.  No kind of work takes less, so that each is timed by itself only where
 * the core does not clearly win against these.  0: not measured yet; less than 0: unknown.
 */
struct fsp_software_times {
	int64_t aes, hash;
};

/* Whether there is any size at which the core costs less; true when software cannot be asked yet.
 * `times` is kept between calls; zeros at first. */
bool fsp_symmetric_pays(struct fsp_provider *provider, enum fsp_task task,
			struct fsp_software_times *times);

#endif
