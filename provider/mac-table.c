/* SPDX-License-Identifier: Apache-2.0 */
/* The MACs by name. */
#include "mac.h"
#include "provider.h"

const struct fsp_algorithm fsp_macs[] = {
	{ { "HMAC", "provider=firesteel", fsp_hmac, NULL }, FSP_HMAC, 0 },
	{ { "CMAC:1.3.6.1.1.8.1.2", "provider=firesteel", fsp_cmac, NULL },
	  FSP_CMAC,
	  1u << FIRESTEEL_CBC },
	{ { NULL, NULL, NULL, NULL }, FSP_WORKS, 0 },
};
