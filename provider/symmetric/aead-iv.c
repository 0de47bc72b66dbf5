/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/aead-iv.h"

#include <openssl/rand.h>

void fsp_aead_count_iv(struct fsp_aead *aead)
{
	for (unsigned i = 0; i < FSP_EXPLICIT; i++)
		if (++aead->iv[aead->iv_size - 1 - i] != 0)
			return;
}

/* A message begins with the IV as it is */
static void begin_message(struct fsp_aead *aead)
{
	fsp_aead_restart(aead);
	fsp_aead_use_iv(aead);
	aead->has_iv = true;
}

bool fsp_aead_next_iv(struct fsp_aead *aead, uint8_t *out, size_t size)
{
	begin_message(aead);
	memcpy(out, aead->iv + aead->iv_size - size, size);
	fsp_aead_count_iv(aead);
	return true;
}

bool fsp_aead_set_explicit_iv(struct fsp_aead *aead, const uint8_t *in, size_t size)
{
	if (!aead->counts_ivs || !aead->keyed || !aead->decrypt || !in || size > aead->iv_size)
		return false;
	memcpy(aead->iv + aead->iv_size - size, in, size);
	begin_message(aead);
	return true;
}

static bool randomise(struct fsp_aead *aead, size_t from)
{
	return RAND_bytes_ex(aead->provider->library, aead->iv + from, aead->iv_size - from, 0) > 0;
}

bool fsp_aead_set_fixed_iv(struct fsp_aead *aead, const uint8_t *in, size_t size)
{
	if (!in)
		return false;
	if (size == (size_t)-1) {
		/* All of it: OpenSSH */
		memcpy(aead->iv, in, aead->iv_size);
	} else {
		if (size < FSP_FIXED || size > aead->iv_size || aead->iv_size - size < FSP_EXPLICIT)
			return false;
		memcpy(aead->iv, in, size);
		if (!aead->decrypt && !randomise(aead, size))
			return false;
	}
	aead->counts_ivs = true;
	aead->has_iv = true;
	fsp_aead_restart(aead);
	return true;
}

bool fsp_aead_random_iv(struct fsp_aead *aead)
{
	if (aead->decrypt || aead->iv_size < 12 || !randomise(aead, 0))
		return false;
	aead->has_iv = true;
	return true;
}
