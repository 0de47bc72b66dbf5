/* SPDX-License-Identifier: Apache-2.0 */
/* Ed25519 on the core. */
#ifndef FSP_ED25519_H
#define FSP_ED25519_H

#include "base/provider.h"

enum fsc_trial fsp_ed25519_trial(struct fsp_provider *provider, enum fsp_task task,
				 int64_t *software_ns);

#endif
