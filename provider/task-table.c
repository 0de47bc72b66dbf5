/* SPDX-License-Identifier: Apache-2.0 */
#include "task.h"

#include "dh.h"
#include "ec.h"
#include "ecx.h"
#include "rsa.h"

const struct fsp_task_kind fsp_tasks[FSP_TASKS] = {
	[FSP_TASK_RSA_PRIVATE] = { FSP_RSA, true, fsp_rsa_trial_private },
	[FSP_TASK_RSA_PUBLIC] = { FSP_RSA, false, fsp_rsa_trial_public },
	[FSP_TASK_DH] = { FSP_DH, true, fsp_dh_trial },
	[FSP_TASK_ECDSA_SIGN] = { FSP_ECDSA, true, fsp_ecdsa_trial_sign },
	[FSP_TASK_ECDSA_VERIFY] = { FSP_ECDSA, false, fsp_ecdsa_trial_verify },
	[FSP_TASK_ECDH] = { FSP_ECDH, true, fsp_ecdh_trial },
	[FSP_TASK_X25519] = { FSP_X25519, true, fsp_x25519_trial },
	[FSP_TASK_ED25519_SIGN] = { FSP_ED25519, true, fsp_ed25519_trial_sign },
	[FSP_TASK_ED25519_VERIFY] = { FSP_ED25519, false, fsp_ed25519_trial_verify },
};
