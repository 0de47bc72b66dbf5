/* SPDX-License-Identifier: Apache-2.0 */
#include "task.h"

#include "rsa.h"
#include "dh.h"

const struct fsp_task_kind fsp_tasks[FSP_TASKS] = {
	[FSP_TASK_RSA_PRIVATE] = { FSP_RSA, fsp_rsa_trial_private },
	[FSP_TASK_RSA_PUBLIC] = { FSP_RSA, fsp_rsa_trial_public },
	[FSP_TASK_DH] = { FSP_DH, fsp_dh_trial },
};
