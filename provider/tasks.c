/* SPDX-License-Identifier: Apache-2.0 */
#include "tasks.h"

#include "public-key/dh.h"
#include "public-key/ec-trial.h"
#include "public-key/ed25519.h"
#include "public-key/rsa-trial.h"
#include "public-key/x25519.h"
#include "symmetric/trial.h"

#define SYMMETRIC(NAME) \
	[FSP_TASK_##NAME] = { FSP_##NAME, fsp_symmetric_trial, fsp_symmetric_break_even }

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
	[FSP_TASK_RSA_PRIVATE] = { FSP_RSA, fsp_rsa_trial, NULL },
	[FSP_TASK_RSA_PUBLIC] = { FSP_RSA, fsp_rsa_trial, NULL },
	[FSP_TASK_DH] = { FSP_DH, fsp_dh_trial, NULL },
	[FSP_TASK_ECDSA_SIGN] = { FSP_ECDSA, fsp_ec_trial, NULL },
	[FSP_TASK_ECDSA_VERIFY] = { FSP_ECDSA, fsp_ec_trial, NULL },
	[FSP_TASK_ECDH] = { FSP_ECDH, fsp_ec_trial, NULL },
	[FSP_TASK_X25519] = { FSP_X25519, fsp_x25519_trial, NULL },
	[FSP_TASK_ED25519_SIGN] = { FSP_ED25519, fsp_ed25519_trial, NULL },
	[FSP_TASK_ED25519_VERIFY] = { FSP_ED25519, fsp_ed25519_trial, NULL },
};
