/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of work that are switched on, given a threshold and counted by name. */
#ifndef FSP_WORK_H
#define FSP_WORK_H

#include <stdbool.h>
#include <stddef.h>

enum fsp_work {
	FSP_ECB,
	FSP_CBC,
	FSP_CTR,
	FSP_CFB,
	FSP_OFB,
	FSP_GCM,
	FSP_CCM,
	FSP_XTS,
	FSP_CTS,
	FSP_DIGEST,
	FSP_HMAC,
	FSP_CMAC,
	FSP_RSA,
	FSP_DH,
	FSP_ECDSA,
	FSP_ECDH,
	FSP_X25519,
	FSP_ED25519,
	FSP_WORKS
};

const char *fsp_work_name(enum fsp_work work);

/* false: there is no such name */
bool fsp_work_find(const char *name, size_t length, enum fsp_work *work);

/* All names with commas between them */
#define FSP_WORK_NAMES                                                      \
	"ecb, cbc, ctr, cfb, ofb, gcm, ccm, xts, cts, digest, hmac, cmac, " \
	"rsa, dh, ecdsa, ecdh, x25519, ed25519"

/* Work with public keys, whose sizes count in bits */
static inline bool fsp_work_is_public_key(enum fsp_work work)
{
	return work >= FSP_RSA && work < FSP_WORKS;
}

#endif
