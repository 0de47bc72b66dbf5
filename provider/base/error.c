/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <openssl/err.h>
#include <openssl/evp.h>

bool fsp_failed(int reason)
{
	ERR_raise(ERR_LIB_PROV, reason);
	return false;
}

#ifdef EVP_R_PROVIDER_SIGNATURE_FAILURE
int fsp_answer(int returned)
{
	unsigned long error = returned <= 0 ? ERR_peek_last_error() : 0;
	int reason = ERR_GET_REASON(error);

	if (ERR_GET_LIB(error) == ERR_LIB_EVP && (reason == EVP_R_PROVIDER_SIGNATURE_FAILURE ||
						  reason == EVP_R_PROVIDER_ASYM_CIPHER_FAILURE ||
						  reason == EVP_R_PROVIDER_KEYMGMT_FAILURE))
		ERR_pop();
	return returned;
}
#else
int fsp_answer(int returned)
{
	return returned;
}
#endif
