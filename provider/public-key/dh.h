/* SPDX-License-Identifier: Apache-2.0 */
/* Diffie-Hellman on the core. */
#ifndef FSP_DH_H
#define FSP_DH_H

#include "base/provider.h"

enum fsc_trial fsp_dh_trial(struct fsp_provider *provider, enum fsp_task task,
			    int64_t *software_ns);

#endif
