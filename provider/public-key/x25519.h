/* SPDX-License-Identifier: Apache-2.0 */
/* X25519 on the core. */
#ifndef FSP_X25519_H
#define FSP_X25519_H

#include "base/provider.h"

enum fsc_trial fsp_x25519_trial(struct fsp_provider *provider, enum fsp_task task,
				int64_t *software_ns);

#endif
