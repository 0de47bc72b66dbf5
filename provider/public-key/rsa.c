/* SPDX-License-Identifier: Apache-2.0 */
#include "public-key/rsa.h"

#include <string.h>

#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/rsa.h>

#include "base/policy.h"
#include "keys/power.h"

/* How much more software needs than for the trial's key of 1024 bits: the private operation grows
 * with nearly the third power of the bits, the public one with nearly the second */
static uint64_t private_effort(const struct fsp_rsa *rsa)
{
	uint64_t bits = rsa->bits;
	uint64_t effort = FSC_EFFORT * bits * bits / 1024 * (bits + 1024) / (2 * 1024 * 1024);

	return rsa->crt ? effort : 3 * effort;
}

static uint64_t public_effort(const struct fsp_rsa *rsa)
{
	uint64_t bits = rsa->bits, exponent = rsa->exponent_bits;

	return FSC_EFFORT * bits / 1024 * (bits + 1024) / 2048 * (exponent + 15) / 32;
}

/* ---- what the core may be asked for ---- */

static uint64_t public_length(const struct fsp_rsa *rsa)
{
	return fsp_power_length(rsa->bits, rsa->exponent_bits);
}

/* With its check by the public exponent */
static uint64_t private_length(const struct fsp_rsa *rsa)
{
	uint64_t power = rsa->crt ? 2 * fsp_power_length(rsa->bits / 2, rsa->bits / 2)
				  : fsp_power_length(rsa->bits, rsa->bits);

	return power + public_length(rsa);
}

static bool is_less(struct firesteel_bytes one, struct firesteel_bytes other)
{
	return one.size < other.size ||
	       (one.size == other.size && memcmp(one.data, other.data, one.size) < 0);
}

/* Exponents that software uses; it refuses others, which it is left to say */
static bool is_usual(const struct fsp_rsa *rsa)
{
	return rsa->bits <= OPENSSL_RSA_MAX_MODULUS_BITS &&
	       is_less(rsa->part[FSP_RSA_E], rsa->part[FSP_RSA_N]) &&
	       (rsa->bits <= OPENSSL_RSA_SMALL_MODULUS_BITS ||
		rsa->exponent_bits <= OPENSSL_RSA_MAX_PUBEXP_BITS);
}

/* ---- private ---- */

struct firesteel_request fsp_rsa_private_request(const struct fsp_rsa *rsa, const uint8_t *in,
						 uint8_t *out)
{
	const struct firesteel_bytes *part = rsa->part;

	if (!rsa->crt)
		return (struct firesteel_request){
			.operation = FIRESTEEL_RSA_PRIVATE,
			.flags = FIRESTEEL_CHECK,
			.rsa_private = { .modulus = part[FSP_RSA_N],
					 .secret = part[FSP_RSA_D],
					 .exponent = part[FSP_RSA_E],
					 .input = { in, rsa->size },
					 .result = { out, rsa->size } },
		};
	return (struct firesteel_request){
		.operation = FIRESTEEL_RSA_CRT,
		.flags = FIRESTEEL_CHECK,
		.rsa_crt = { .p = part[FSP_RSA_P],
			     .q = part[FSP_RSA_Q],
			     .dp = part[FSP_RSA_DP],
			     .dq = part[FSP_RSA_DQ],
			     .qinv = part[FSP_RSA_QINV],
			     .modulus = part[FSP_RSA_N],
			     .exponent = part[FSP_RSA_E],
			     .input = { in, rsa->size },
			     .result = { out, rsa->size } },
	};
}

/* Whether 2 ^ d ^ e is 2 again, in software */
static bool is_pairwise_consistent(const struct fsp_rsa *rsa)
{
	BN_CTX *context = BN_CTX_secure_new_ex(rsa->provider->library);
	BIGNUM *n, *e, *d, *number;
	bool good;

	if (!context)
		return false;
	BN_CTX_start(context);
	n = BN_CTX_get(context);
	e = BN_CTX_get(context);
	d = BN_CTX_get(context);
	number = BN_CTX_get(context);
	good = number && BN_bin2bn(rsa->part[FSP_RSA_N].data, (int)rsa->part[FSP_RSA_N].size, n) &&
	       BN_bin2bn(rsa->part[FSP_RSA_E].data, (int)rsa->part[FSP_RSA_E].size, e) &&
	       BN_bin2bn(rsa->part[FSP_RSA_D].data, (int)rsa->part[FSP_RSA_D].size, d) &&
	       BN_set_word(number, 2) &&
	       BN_mod_exp_mont_consttime(number, number, d, n, context, NULL) &&
	       BN_mod_exp(number, number, e, n, context) && BN_is_word(number, 2);
	BN_CTX_end(context);
	BN_CTX_free(context);
	return good;
}

static void blame(struct fsp_rsa *rsa)
{
	ERR_set_mark();
	fsp_policy_blame(rsa->provider, FSP_TASK_RSA_PRIVATE, is_pairwise_consistent(rsa),
			 &rsa->broken);
	ERR_pop_to_mark();
}

bool fsp_rsa_private_wanted(struct fsp_rsa *rsa)
{
	struct firesteel_request request = fsp_rsa_private_request(rsa, NULL, NULL);

	if (!rsa->private || atomic_load(&rsa->broken) ||
	    !fsp_power_is_short(private_length(rsa))) {
		fsp_policy_unfit(rsa->provider, FSP_TASK_RSA_PRIVATE);
		return false;
	}
	return fsp_policy_wants(rsa->provider, FSP_TASK_RSA_PRIVATE, &request, rsa->bits,
				private_effort(rsa));
}

bool fsp_rsa_private(struct fsp_rsa *rsa, const uint8_t *in, uint8_t *out)
{
	struct firesteel_request request = fsp_rsa_private_request(rsa, in, out);
	int error = fsp_policy_run(rsa->provider, FSP_TASK_RSA_PRIVATE, &request, rsa->size);

	if (error == FIRESTEEL_ERROR_CHECK)
		blame(rsa);
	return error == FIRESTEEL_OK;
}

/* ---- public ---- */

struct firesteel_request fsp_rsa_public_request(const struct fsp_rsa *rsa, const uint8_t *in,
						uint8_t *out)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_RSA_PUBLIC,
		.rsa_public = { .modulus = rsa->part[FSP_RSA_N],
				.exponent = rsa->part[FSP_RSA_E],
				.input = { in, rsa->size },
				.result = { out, rsa->size } },
	};
}

bool fsp_rsa_public_wanted(struct fsp_rsa *rsa)
{
	struct firesteel_request request = fsp_rsa_public_request(rsa, NULL, NULL);

	if (!is_usual(rsa) || !fsp_power_is_short(public_length(rsa))) {
		fsp_policy_unfit(rsa->provider, FSP_TASK_RSA_PUBLIC);
		return false;
	}
	return fsp_policy_wants(rsa->provider, FSP_TASK_RSA_PUBLIC, &request, rsa->bits,
				public_effort(rsa));
}

bool fsp_rsa_public(struct fsp_rsa *rsa, const uint8_t *in, uint8_t *out)
{
	struct firesteel_request request = fsp_rsa_public_request(rsa, in, out);

	return fsp_policy_run(rsa->provider, FSP_TASK_RSA_PUBLIC, &request, rsa->size) ==
	       FIRESTEEL_OK;
}
