/* SPDX-License-Identifier: Apache-2.0 */
/* Exponentiation: as it is, Diffie-Hellman, RSA's public operation. */
#include "pk-power.h"

#include "health.h"
#include "operation.h"

/* ---- the core's part ---- */

const struct fs_step fs_power_modexp = {
	.command = SILEX_PK_OP_MODEXP | SILEX_PK_PROTECT_EXP | SILEX_PK_CALC_R2,
	.operands = 4,
	.powers = 1,
};

const struct fs_step fs_power_public = {
	.command = SILEX_PK_OP_RSA_PUBLIC | SILEX_PK_CALC_R2,
	.operands = 4,
	.powers = 1,
};

unsigned fs_power_public_bits(struct firesteel_bytes exponent)
{
	return exponent.data ? fs_number_bits(fs_number_trim(exponent))
			     : fs_power_secret_bits(exponent);
}

unsigned fs_power_secret_bits(struct firesteel_bytes exponent)
{
	return 8 * (unsigned)exponent.size;
}

int fs_power(struct fs_pk *pk, const struct fs_step *step, struct firesteel_bytes modulus,
	     struct firesteel_bytes base, struct firesteel_bytes exponent, uint8_t *result)
{
	struct fs_pk_call call = {
		.step = step,
		.size = fs_number_trim(modulus).size,
		.bits = step == &fs_power_public ? fs_power_public_bits(exponent)
						 : fs_power_secret_bits(exponent),
	};

	fs_pk_put(&call, SILEX_PK_SLOT_N, fs_number_trim(modulus));
	fs_pk_put(&call, SILEX_PK_SLOT_A, base);
	fs_pk_put(&call, SILEX_PK_SLOT_B, exponent);
	fs_pk_get(&call, SILEX_PK_SLOT_C, result);
	return fs_pk_run(pk, &call);
}

/* ---- what all have in common ---- */

/* A modulus that the core takes; `values`: trimmed */
static int check_modulus(const struct firesteel_capabilities *has, struct firesteel_bytes modulus,
			 bool values)
{
	if (!has->public_key)
		return FIRESTEEL_ERROR_ABSENT;
	if (modulus.size == 0)
		return FIRESTEEL_ERROR_INVALID;
	if (modulus.size > has->operand_bytes)
		return FIRESTEEL_ERROR_ABSENT;
	if (values && !fs_number_is_odd(modulus))
		return FIRESTEEL_ERROR_INVALID;
	return FIRESTEEL_OK;
}

/* The exponent is an operand like any other: no longer than the modulus */
static int check_power(const struct firesteel_capabilities *has, struct firesteel_bytes modulus,
		       struct firesteel_bytes base, struct firesteel_bytes exponent,
		       struct firesteel_output result, bool values)
{
	int error;

	modulus = fs_number_trim(modulus);
	error = check_modulus(has, modulus, values);
	if (error)
		return error;
	if (base.size == 0 || exponent.size == 0 || result.size < modulus.size)
		return FIRESTEEL_ERROR_INVALID;
	if (!values)
		return FIRESTEEL_OK;
	if (!fs_number_less(base, modulus))
		return FIRESTEEL_ERROR_REFUSED;
	return fs_number_fits(exponent, modulus.size) ? FIRESTEEL_OK : FIRESTEEL_ERROR_ABSENT;
}

/* The condition that a result must meet; NULL: none */
typedef bool is_result(struct firesteel_bytes result, struct firesteel_bytes modulus);

static int power_to(struct fs_pk *pk, const struct fs_step *step, struct firesteel_bytes modulus,
		    struct firesteel_bytes base, struct firesteel_bytes exponent, is_result *accept,
		    struct firesteel_output output)
{
	uint8_t result[FS_NUMBER_MAX];
	int error;

	modulus = fs_number_trim(modulus);
	error = fs_power(pk, step, modulus, base, exponent, result);
	if (!error && accept && !accept((struct firesteel_bytes){ result, modulus.size }, modulus))
		error = FIRESTEEL_ERROR_REFUSED;
	if (!error && !fs_number_output((struct firesteel_bytes){ result, modulus.size }, output))
		error = fs_health_faulty(pk->device, FS_PK);
	firesteel_wipe(result, modulus.size);
	return error;
}

/* ---- modexp ---- */

static int check_modexp(const struct firesteel_capabilities *has,
			const struct firesteel_request *request, bool values)
{
	const struct firesteel_modexp *modexp = &request->modexp;

	return check_power(has, modexp->modulus, modexp->base, modexp->exponent, modexp->result,
			   values);
}

static int run_modexp(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_modexp *modexp = &request->modexp;

	return power_to(pk, &fs_power_modexp, modexp->modulus, modexp->base, modexp->exponent, NULL,
			modexp->result);
}

static void estimate_modexp(struct fs_estimate *estimate, const struct firesteel_request *request)
{
	fs_estimate_power(estimate, &fs_power_modexp, fs_number_trim(request->modexp.modulus).size,
			  fs_power_secret_bits(request->modexp.exponent));
}

/* ---- Diffie-Hellman ---- */

/* 1 < number < prime - 1: keys, and shared secrets as well (SP 800-56A, 5.7.1.1) */
static bool is_public_key(struct firesteel_bytes number, struct firesteel_bytes prime)
{
	static const uint8_t two = 2;
	uint8_t minus_one[FS_NUMBER_MAX];

	if (fs_number_less(number, (struct firesteel_bytes){ &two, 1 }))
		return false;
	fs_number_pad(prime, minus_one, prime.size);
	minus_one[prime.size - 1] -= 1; /* it is odd */
	return fs_number_less(number, (struct firesteel_bytes){ minus_one, prime.size });
}

static int check_dh(const struct firesteel_capabilities *has,
		    const struct firesteel_request *request, bool values)
{
	const struct firesteel_dh *dh = &request->dh;
	int error = check_power(has, dh->prime, dh->peer, dh->secret, dh->result, values);

	if (error || !values)
		return error;
	return is_public_key(dh->peer, fs_number_trim(dh->prime)) ? FIRESTEEL_OK
								  : FIRESTEEL_ERROR_REFUSED;
}

static int run_dh(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_dh *dh = &request->dh;

	return power_to(pk, &fs_power_modexp, dh->prime, dh->peer, dh->secret, is_public_key,
			dh->result);
}

static void estimate_dh(struct fs_estimate *estimate, const struct firesteel_request *request)
{
	fs_estimate_power(estimate, &fs_power_modexp, fs_number_trim(request->dh.prime).size,
			  fs_power_secret_bits(request->dh.secret));
}

/* ---- RSA, public ---- */

static int check_rsa_public(const struct firesteel_capabilities *has,
			    const struct firesteel_request *request, bool values)
{
	const struct firesteel_rsa_public *rsa = &request->rsa_public;

	return check_power(has, rsa->modulus, rsa->input, rsa->exponent, rsa->result, values);
}

static int run_rsa_public(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_rsa_public *rsa = &request->rsa_public;

	return power_to(pk, &fs_power_public, rsa->modulus, rsa->input, rsa->exponent, NULL,
			rsa->result);
}

static void estimate_rsa_public(struct fs_estimate *estimate,
				const struct firesteel_request *request)
{
	fs_estimate_power(estimate, &fs_power_public,
			  fs_number_trim(request->rsa_public.modulus).size,
			  fs_power_public_bits(request->rsa_public.exponent));
}

static const struct fs_operation operations[] = {
	{
		.name = FIRESTEEL_MODEXP,
		.core = FS_PK,
		.secret = true,
		.operands = FS_OPERANDS(FS_BYTES(modexp.modulus), FS_BYTES(modexp.base),
					FS_BYTES(modexp.exponent), FS_OUTPUT(modexp.result)),
		.check = check_modexp,
		.run.pk = run_modexp,
		.estimate = estimate_modexp,
	},
	{
		.name = FIRESTEEL_DH,
		.core = FS_PK,
		.secret = true,
		.operands = FS_OPERANDS(FS_BYTES(dh.prime), FS_BYTES(dh.peer), FS_BYTES(dh.secret),
					FS_OUTPUT(dh.result)),
		.check = check_dh,
		.run.pk = run_dh,
		.estimate = estimate_dh,
	},
	{
		.name = FIRESTEEL_RSA_PUBLIC,
		.core = FS_PK,
		.operands = FS_OPERANDS(FS_BYTES(rsa_public.modulus), FS_BYTES(rsa_public.exponent),
					FS_BYTES(rsa_public.input), FS_OUTPUT(rsa_public.result)),
		.check = check_rsa_public,
		.run.pk = run_rsa_public,
		.estimate = estimate_rsa_public,
	},
};

const struct fs_family fs_power_family = FS_FAMILY(operations);
