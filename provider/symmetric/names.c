/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/names.h"

#include <firesteel/firesteel.h>

#include "symmetric/digest.h"
#include "symmetric/dispatch.h"
#include "symmetric/mac.h"

#define OFFER(names, table, work, mode) \
	{ { names, FSP_PROPERTIES, table, NULL }, work, 1u << (mode) }

#define AES_ARC "2.16.840.1.101.3.4.1."

/* Names and numbers are the default provider's: one number that is not drops the algorithm */
const struct fsp_algorithm fsp_ciphers[] = {
	OFFER("AES-256-ECB:" AES_ARC "41", fsp_ecb_256, FSP_ECB, FIRESTEEL_ECB),
	OFFER("AES-192-ECB:" AES_ARC "21", fsp_ecb_192, FSP_ECB, FIRESTEEL_ECB),
	OFFER("AES-128-ECB:" AES_ARC "1", fsp_ecb_128, FSP_ECB, FIRESTEEL_ECB),
	OFFER("AES-256-CBC:AES256:" AES_ARC "42", fsp_cbc_256, FSP_CBC, FIRESTEEL_CBC),
	OFFER("AES-192-CBC:AES192:" AES_ARC "22", fsp_cbc_192, FSP_CBC, FIRESTEEL_CBC),
	OFFER("AES-128-CBC:AES128:" AES_ARC "2", fsp_cbc_128, FSP_CBC, FIRESTEEL_CBC),
	OFFER("AES-256-OFB:" AES_ARC "43", fsp_ofb_256, FSP_OFB, FIRESTEEL_OFB),
	OFFER("AES-192-OFB:" AES_ARC "23", fsp_ofb_192, FSP_OFB, FIRESTEEL_OFB),
	OFFER("AES-128-OFB:" AES_ARC "3", fsp_ofb_128, FSP_OFB, FIRESTEEL_OFB),
	OFFER("AES-256-CFB:" AES_ARC "44", fsp_cfb_256, FSP_CFB, FIRESTEEL_CFB),
	OFFER("AES-192-CFB:" AES_ARC "24", fsp_cfb_192, FSP_CFB, FIRESTEEL_CFB),
	OFFER("AES-128-CFB:" AES_ARC "4", fsp_cfb_128, FSP_CFB, FIRESTEEL_CFB),
	OFFER("AES-256-CTR", fsp_ctr_256, FSP_CTR, FIRESTEEL_CTR),
	OFFER("AES-192-CTR", fsp_ctr_192, FSP_CTR, FIRESTEEL_CTR),
	OFFER("AES-128-CTR", fsp_ctr_128, FSP_CTR, FIRESTEEL_CTR),
	OFFER("AES-256-CBC-CTS", fsp_cts_256, FSP_CTS, FIRESTEEL_CBC),
	OFFER("AES-192-CBC-CTS", fsp_cts_192, FSP_CTS, FIRESTEEL_CBC),
	OFFER("AES-128-CBC-CTS", fsp_cts_128, FSP_CTS, FIRESTEEL_CBC),
	OFFER("AES-256-XTS:1.3.111.2.1619.0.1.2", fsp_xts_256, FSP_XTS, FIRESTEEL_XTS),
	OFFER("AES-128-XTS:1.3.111.2.1619.0.1.1", fsp_xts_128, FSP_XTS, FIRESTEEL_XTS),
	OFFER("AES-256-GCM:id-aes256-GCM:" AES_ARC "46", fsp_gcm_256, FSP_GCM, FIRESTEEL_GCM),
	OFFER("AES-192-GCM:id-aes192-GCM:" AES_ARC "26", fsp_gcm_192, FSP_GCM, FIRESTEEL_GCM),
	OFFER("AES-128-GCM:id-aes128-GCM:" AES_ARC "6", fsp_gcm_128, FSP_GCM, FIRESTEEL_GCM),
	OFFER("AES-256-CCM:id-aes256-CCM:" AES_ARC "47", fsp_ccm_256, FSP_CCM, FIRESTEEL_CCM),
	OFFER("AES-192-CCM:id-aes192-CCM:" AES_ARC "27", fsp_ccm_192, FSP_CCM, FIRESTEEL_CCM),
	OFFER("AES-128-CCM:id-aes128-CCM:" AES_ARC "7", fsp_ccm_128, FSP_CCM, FIRESTEEL_CCM),
	{ { NULL, NULL, NULL, NULL }, FSP_WORKS, 0 },
};

#define OFFER_DIGEST(names, id, ID) \
	{ { names, FSP_PROPERTIES, fsp_##id, NULL }, FSP_DIGEST, 1u << FIRESTEEL_##ID }

const struct fsp_algorithm fsp_digests[] = {
	OFFER_DIGEST("SHA1:SHA-1:SSL3-SHA1:1.3.14.3.2.26", sha1, SHA1),
	OFFER_DIGEST("SHA2-224:SHA-224:SHA224:2.16.840.1.101.3.4.2.4", sha224, SHA224),
	OFFER_DIGEST("SHA2-256:SHA-256:SHA256:2.16.840.1.101.3.4.2.1", sha256, SHA256),
	OFFER_DIGEST("SHA2-384:SHA-384:SHA384:2.16.840.1.101.3.4.2.2", sha384, SHA384),
	OFFER_DIGEST("SHA2-512:SHA-512:SHA512:2.16.840.1.101.3.4.2.3", sha512, SHA512),
	{ { NULL, NULL, NULL, NULL }, FSP_WORKS, 0 },
};

const struct fsp_algorithm fsp_macs[] = {
	{ { "HMAC", FSP_PROPERTIES, fsp_hmac, NULL }, FSP_HMAC, 0 },
	{ { "CMAC:1.3.6.1.1.8.1.2", FSP_PROPERTIES, fsp_cmac, NULL },
	  FSP_CMAC,
	  1u << FIRESTEEL_CBC },
	{ { NULL, NULL, NULL, NULL }, FSP_WORKS, 0 },
};
