// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SHA-256 that is wrong for long messages alone: longer than any of the kernel's test vectors, so
 * that only a comparison of random messages with the generic code finds it.
 */
#include <crypto/internal/hash.h>
#include <crypto/sha2.h>
#include <linux/module.h>

#include "misdeeds.h"

#define DIGEST_LONGEST_RIGHT 2000

static int digest_init(struct shash_desc *desc)
{
	sha256_init(shash_desc_ctx(desc));
	return 0;
}

static int digest_update(struct shash_desc *desc, const u8 *data, unsigned int length)
{
	sha256_update(shash_desc_ctx(desc), data, length);
	return 0;
}

static int digest_final(struct shash_desc *desc, u8 *out)
{
	struct sha256_state *state = shash_desc_ctx(desc);
	bool wrong = state->count > DIGEST_LONGEST_RIGHT;

	sha256_final(state, out);
	out[0] ^= wrong;
	return 0;
}

static struct shash_alg digest_alg = {
	.digestsize = SHA256_DIGEST_SIZE,
	.init = digest_init,
	.update = digest_update,
	.final = digest_final,
	.descsize = sizeof(struct sha256_state),
	.base = {
		.cra_name = "sha256",
		.cra_driver_name = "sha256-misdeeds",
		.cra_priority = 1,
		.cra_blocksize = SHA256_BLOCK_SIZE,
		.cra_module = THIS_MODULE,
	},
};

int digest_offer(void)
{
	return crypto_register_shash(&digest_alg);
}

void digest_withdraw(void)
{
	crypto_unregister_shash(&digest_alg);
}
