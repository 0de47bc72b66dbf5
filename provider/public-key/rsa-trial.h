/* SPDX-License-Identifier: Apache-2.0 */
/* The trials of RSA. */
#ifndef FSP_RSA_TRIAL_H
#define FSP_RSA_TRIAL_H

#include "base/provider.h"

enum fsc_trial fsp_rsa_trial(struct fsp_provider *provider, enum fsp_task task,
			     int64_t *software_ns);

#endif
