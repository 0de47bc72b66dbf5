/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <openssl/err.h>

bool fsp_failed(int reason)
{
	ERR_raise(ERR_LIB_PROV, reason);
	return false;
}
