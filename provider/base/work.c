/* SPDX-License-Identifier: Apache-2.0 */
#include "base/work.h"

#include <string.h>

static const char *const names[FSP_WORKS] = {
	[FSP_ECB] = "ecb",       [FSP_CBC] = "cbc",       [FSP_CTR] = "ctr",
	[FSP_CFB] = "cfb",       [FSP_OFB] = "ofb",       [FSP_GCM] = "gcm",
	[FSP_CCM] = "ccm",       [FSP_XTS] = "xts",       [FSP_CTS] = "cts",
	[FSP_DIGEST] = "digest", [FSP_HMAC] = "hmac",     [FSP_CMAC] = "cmac",
	[FSP_RSA] = "rsa",       [FSP_DH] = "dh",         [FSP_ECDSA] = "ecdsa",
	[FSP_ECDH] = "ecdh",     [FSP_X25519] = "x25519", [FSP_ED25519] = "ed25519",
};

const char *fsp_work_name(enum fsp_work work)
{
	return names[work];
}

bool fsp_work_find(const char *name, size_t length, enum fsp_work *work)
{
	for (unsigned i = 0; i < FSP_WORKS; i++) {
		if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0) {
			*work = (enum fsp_work)i;
			return true;
		}
	}
	return false;
}
