/* SPDX-License-Identifier: Apache-2.0 */
#include "tasks.h"

#include "base/policy.h"
#include "public-key/dh.h"
#include "public-key/ec-trial.h"
#include "public-key/ed25519.h"
#include "public-key/rsa-trial.h"
#include "public-key/x25519.h"
#include "symmetric/trial.h"

#define SYMMETRIC(NAME)                                                                  \
	[FSP_TASK_##NAME] = { FSP_##NAME, FSP_SYMMETRIC_TRIAL_COST, fsp_symmetric_trial, \
			      fsp_symmetric_break_even }

/* What the trial does in software, as so many of the operation itself; keys that it makes are among them */
#define OPERATIONS(NUMBER) ((NUMBER) * FSC_EFFORT)

const struct fsp_task_kind fsp_tasks[FSP_TASKS] = {
	SYMMETRIC(ECB),
	SYMMETRIC(CBC),
	SYMMETRIC(CTR),
	SYMMETRIC(CFB),
	SYMMETRIC(OFB),
	SYMMETRIC(GCM),
	SYMMETRIC(CCM),
	SYMMETRIC(XTS),
	SYMMETRIC(CTS),
	SYMMETRIC(DIGEST),
	SYMMETRIC(HMAC),
	SYMMETRIC(CMAC),
	[FSP_TASK_RSA_PRIVATE] = { FSP_RSA, OPERATIONS(2), fsp_rsa_trial, NULL },
	[FSP_TASK_RSA_PUBLIC] = { FSP_RSA, OPERATIONS(2), fsp_rsa_trial, NULL },
	[FSP_TASK_DH] = { FSP_DH, OPERATIONS(3), fsp_dh_trial, NULL },
	[FSP_TASK_ECDSA_SIGN] = { FSP_ECDSA, OPERATIONS(8), fsp_ec_trial, NULL },
	[FSP_TASK_ECDSA_VERIFY] = { FSP_ECDSA, OPERATIONS(4), fsp_ec_trial, NULL },
	[FSP_TASK_ECDH] = { FSP_ECDH, OPERATIONS(4), fsp_ec_trial, NULL },
	[FSP_TASK_X25519] = { FSP_X25519, OPERATIONS(4), fsp_x25519_trial, NULL },
	[FSP_TASK_ED25519_SIGN] = { FSP_ED25519, OPERATIONS(4), fsp_ed25519_trial, NULL },
	[FSP_TASK_ED25519_VERIFY] = { FSP_ED25519, OPERATIONS(4), fsp_ed25519_trial, NULL },
};
