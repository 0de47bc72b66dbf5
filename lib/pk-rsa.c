/* SPDX-License-Identifier: Apache-2.0 */
/* RSA's private operation, with the primes and without. */
#include "operation.h"
#include "pk-power.h"

/* ---- the core's part ---- */

static const struct fs_step crt_step = {
	.command = SILEX_PK_OP_RSA_CRT | SILEX_PK_PROTECT_EXP | SILEX_PK_CALC_R2,
	.operands = 7,
	.half_powers = 2,
	.products = 4,
};

static const struct fs_step private_step = {
	.command = SILEX_PK_OP_RSA_PRIVATE | SILEX_PK_PROTECT_EXP | SILEX_PK_CALC_R2,
	.operands = 4,
	.powers = 1,
};

/* Without lambda the exponent cannot be blinded */
static const struct fs_step unblinded_step = {
	.command = SILEX_PK_OP_MODEXP | SILEX_PK_RAND_MOD | SILEX_PK_CALC_R2,
	.operands = 4,
	.powers = 1,
};

/* ---- what both have in common ---- */

struct key {
	struct firesteel_bytes modulus, exponent, input;
	struct firesteel_output result;
};

static int check(const struct firesteel_capabilities *has, const struct key *key, unsigned flags,
		 bool values)
{
	struct firesteel_bytes modulus = fs_number_trim(key->modulus);

	if (!has->public_key)
		return FIRESTEEL_ERROR_ABSENT;
	if (modulus.size == 0 || key->input.size == 0 || key->result.size < modulus.size)
		return FIRESTEEL_ERROR_INVALID;
	if (modulus.size > has->operand_bytes)
		return FIRESTEEL_ERROR_ABSENT;
	if (flags & FIRESTEEL_CHECK && key->exponent.size == 0)
		return FIRESTEEL_ERROR_INVALID;
	if (!values)
		return FIRESTEEL_OK;
	if (!fs_number_is_odd(modulus) ||
	    (flags & FIRESTEEL_CHECK && !fs_number_fits(key->exponent, modulus.size)))
		return FIRESTEEL_ERROR_INVALID;
	return fs_number_less(key->input, modulus) ? FIRESTEEL_OK : FIRESTEEL_ERROR_REFUSED;
}

/* result ^ exponent must be the input again */
static int check_result(struct fs_pk *pk, const struct key *key, struct firesteel_bytes result)
{
	struct firesteel_bytes modulus = fs_number_trim(key->modulus);
	uint8_t again[FS_NUMBER_MAX];
	int error = fs_power(pk, &fs_power_public, modulus, result, key->exponent, again);

	if (!error && !fs_number_equal((struct firesteel_bytes){ again, modulus.size }, key->input))
		error = FIRESTEEL_ERROR_CHECK;
	firesteel_wipe(again, modulus.size);
	return error;
}

/* Returns the result if it is valid.  Inconsistent key components, too, lead to one that is not
 * less than the modulus. */
static int check_and_output(struct fs_pk *pk, const struct key *key, unsigned flags,
			    struct firesteel_bytes result)
{
	int error = FIRESTEEL_OK;

	if (!fs_number_less(result, key->modulus))
		return FIRESTEEL_ERROR_CHECK;
	if (flags & FIRESTEEL_CHECK)
		error = check_result(pk, key, result);
	if (!error)
		fs_number_output(result, key->result);
	return error;
}

static int run(struct fs_pk *pk, struct fs_pk_call *call, const struct key *key, unsigned flags)
{
	uint8_t bytes[FS_NUMBER_MAX];
	const struct firesteel_bytes result = { bytes, call->size };
	int error;

	fs_pk_get(call, SILEX_PK_SLOT_RSA_OUT, bytes);
	error = fs_pk_run(pk, call);
	if (!error)
		error = check_and_output(pk, key, flags, result);
	firesteel_wipe(bytes, result.size);
	return error;
}

/* ---- with the primes ---- */

static struct key crt_key(const struct firesteel_rsa_crt *rsa)
{
	return (struct key){ rsa->modulus, rsa->exponent, rsa->input, rsa->result };
}

static int check_crt(const struct firesteel_capabilities *has,
		     const struct firesteel_request *request, bool values)
{
	const struct firesteel_rsa_crt *rsa = &request->rsa_crt;
	const struct key key = crt_key(rsa);
	struct firesteel_bytes p = fs_number_trim(rsa->p), q = fs_number_trim(rsa->q);
	int error = check(has, &key, request->flags, values);

	if (error && error != FIRESTEEL_ERROR_REFUSED)
		return error;
	if (p.size == 0 || q.size == 0 || rsa->dp.size == 0 || rsa->dq.size == 0 ||
	    rsa->qinv.size == 0)
		return FIRESTEEL_ERROR_INVALID;
	if (p.size + q.size > has->operand_bytes)
		return FIRESTEEL_ERROR_ABSENT;
	if (!values)
		return FIRESTEEL_OK;
	if (!fs_number_is_odd(p) || !fs_number_is_odd(q) || !fs_number_less(rsa->dp, p) ||
	    !fs_number_less(rsa->dq, q) || !fs_number_less(rsa->qinv, p) ||
	    !fs_number_fits(rsa->modulus, p.size + q.size))
		return FIRESTEEL_ERROR_INVALID;
	return error;
}

static int run_crt(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_rsa_crt *rsa = &request->rsa_crt;
	const struct key key = crt_key(rsa);
	struct firesteel_bytes p = fs_number_trim(rsa->p), q = fs_number_trim(rsa->q);
	struct fs_pk_call call = { .step = &crt_step, .size = p.size + q.size };

	fs_pk_put(&call, SILEX_PK_SLOT_RSA_P, p);
	fs_pk_put(&call, SILEX_PK_SLOT_RSA_Q, q);
	fs_pk_put(&call, SILEX_PK_SLOT_RSA_IN, rsa->input);
	fs_pk_put(&call, SILEX_PK_SLOT_RSA_DP, rsa->dp);
	fs_pk_put(&call, SILEX_PK_SLOT_RSA_DQ, rsa->dq);
	fs_pk_put(&call, SILEX_PK_SLOT_RSA_QINV, rsa->qinv);
	return run(pk, &call, &key, request->flags);
}

/* FIRESTEEL_CHECK computes the input again */
static void estimate_check(struct fs_estimate *estimate, const struct firesteel_request *request,
			   struct firesteel_bytes modulus, struct firesteel_bytes exponent)
{
	if (request->flags & FIRESTEEL_CHECK)
		fs_estimate_power(estimate, &fs_power_public, fs_number_trim(modulus).size,
				  fs_power_public_bits(exponent));
}

static void estimate_crt(struct fs_estimate *estimate, const struct firesteel_request *request)
{
	const struct firesteel_rsa_crt *rsa = &request->rsa_crt;

	fs_estimate_step(estimate, &crt_step,
			 fs_number_trim(rsa->p).size + fs_number_trim(rsa->q).size, 0);
	estimate_check(estimate, request, rsa->modulus, rsa->exponent);
}

/* ---- without ---- */

static struct key plain_key(const struct firesteel_rsa_private *rsa)
{
	return (struct key){ rsa->modulus, rsa->exponent, rsa->input, rsa->result };
}

static int check_private(const struct firesteel_capabilities *has,
			 const struct firesteel_request *request, bool values)
{
	const struct firesteel_rsa_private *rsa = &request->rsa_private;
	const struct key key = plain_key(rsa);
	int error = check(has, &key, request->flags, values);

	if (error && error != FIRESTEEL_ERROR_REFUSED)
		return error;
	if (rsa->secret.size == 0)
		return FIRESTEEL_ERROR_INVALID;
	if (values && (!fs_number_less(rsa->secret, rsa->modulus) ||
		       !fs_number_less(rsa->lambda, rsa->modulus)))
		return FIRESTEEL_ERROR_INVALID;
	return error;
}

/* An exponentiation like any other */
static int run_unblinded(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_rsa_private *rsa = &request->rsa_private;
	const struct key key = plain_key(rsa);
	uint8_t bytes[FS_NUMBER_MAX];
	struct firesteel_bytes result = { bytes, fs_number_trim(rsa->modulus).size };
	int error = fs_power(pk, &unblinded_step, rsa->modulus, rsa->input, rsa->secret, bytes);

	if (!error)
		error = check_and_output(pk, &key, request->flags, result);
	firesteel_wipe(bytes, result.size);
	return error;
}

static int run_private(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_rsa_private *rsa = &request->rsa_private;
	const struct key key = plain_key(rsa);
	struct firesteel_bytes modulus = fs_number_trim(rsa->modulus);
	struct fs_pk_call call = { .step = &private_step, .size = modulus.size };

	if (fs_number_is_zero(rsa->lambda))
		return run_unblinded(pk, request);
	fs_pk_put(&call, SILEX_PK_SLOT_RSA_N, modulus);
	fs_pk_put(&call, SILEX_PK_SLOT_RSA_LAMBDA, rsa->lambda);
	fs_pk_put(&call, SILEX_PK_SLOT_RSA_IN, rsa->input);
	fs_pk_put(&call, SILEX_PK_SLOT_RSA_D, rsa->secret);
	return run(pk, &call, &key, request->flags);
}

static void estimate_private(struct fs_estimate *estimate, const struct firesteel_request *request)
{
	const struct firesteel_rsa_private *rsa = &request->rsa_private;

	fs_estimate_step(estimate, &private_step, fs_number_trim(rsa->modulus).size, 0);
	estimate_check(estimate, request, rsa->modulus, rsa->exponent);
}

static const struct fs_operation operations[] = {
	{
		.name = FIRESTEEL_RSA_CRT,
		.core = FS_PK,
		.secret = true,
		.operands = FS_OPERANDS(FS_BYTES(rsa_crt.p), FS_BYTES(rsa_crt.q),
					FS_BYTES(rsa_crt.dp), FS_BYTES(rsa_crt.dq),
					FS_BYTES(rsa_crt.qinv), FS_BYTES(rsa_crt.modulus),
					FS_BYTES(rsa_crt.exponent), FS_BYTES(rsa_crt.input),
					FS_OUTPUT(rsa_crt.result)),
		.check = check_crt,
		.run.pk = run_crt,
		.estimate = estimate_crt,
	},
	{
		.name = FIRESTEEL_RSA_PRIVATE,
		.core = FS_PK,
		.secret = true,
		.operands = FS_OPERANDS(FS_BYTES(rsa_private.modulus), FS_BYTES(rsa_private.secret),
					FS_BYTES(rsa_private.lambda),
					FS_BYTES(rsa_private.exponent), FS_BYTES(rsa_private.input),
					FS_OUTPUT(rsa_private.result)),
		.check = check_private,
		.run.pk = run_private,
		.estimate = estimate_private,
	},
};

const struct fs_family fs_rsa_family = FS_FAMILY(operations);
