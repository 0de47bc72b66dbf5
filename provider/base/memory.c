/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include <openssl/crypto.h>

#include <firesteel/firesteel.h>

void fsp_cleanse(void *memory, size_t size)
{
	if (memory)
		firesteel_wipe(memory, size);
	OPENSSL_free(memory);
}
