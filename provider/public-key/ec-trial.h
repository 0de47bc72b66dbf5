/* SPDX-License-Identifier: Apache-2.0 */
/* The trials of ECDSA and ECDH. */
#ifndef FSP_EC_TRIAL_H
#define FSP_EC_TRIAL_H

#include "base/provider.h"

enum fsc_trial fsp_ec_trial(struct fsp_provider *provider, enum fsp_task task,
			    int64_t *software_ns);

#endif
