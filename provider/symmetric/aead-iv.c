/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/aead-iv.h"

#include <openssl/rand.h>

bool fsp_aead_can_count(const struct fsp_aead *aead)
{
	return aead->counts_ivs && aead->keyed && aead->iv_size >= FSP_EXPLICIT;
}

void fsp_aead_count_iv(struct fsp_aead *aead)
{
	for (unsigned i = 0; i < FSP_EXPLICIT; i++)
		if (++aead->iv[aead->iv_size - 1 - i] != 0)
			return;
}

bool fsp_aead_next_iv(struct fsp_aead *aead, uint8_t *out, size_t size)
{
	if (!fsp_aead_can_count(aead) || !fsp_aead_step(aead, FSP_ON_COUNTED_IV))
		return false;
	if (size == 0 || size > aead->iv_size)
		size = aead->iv_size;
	memcpy(out, aead->iv + aead->iv_size - size, size);
	fsp_aead_count_iv(aead);
	return true;
}

bool fsp_aead_set_explicit_iv(struct fsp_aead *aead, const uint8_t *in, size_t size)
{
	if (!aead->counts_ivs || !aead->keyed || !aead->decrypt || !in || size > aead->iv_size)
		return false;
	memcpy(aead->iv + aead->iv_size - size, in, size);
	return fsp_aead_step(aead, FSP_ON_COUNTED_IV);
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
	return fsp_aead_step(aead, FSP_ON_IV);
}

bool fsp_aead_random_iv(struct fsp_aead *aead)
{
	return !aead->decrypt && aead->iv_size >= 12 && randomise(aead, 0) &&
	       fsp_aead_step(aead, FSP_ON_IV);
}
