/* SPDX-License-Identifier: Apache-2.0 */
/* Exponentiation: as it is, Diffie-Hellman, RSA's public operation. */
#include "health.h"
#include "pk.h"

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

static int power(struct fs_pk *pk, uint32_t command, struct firesteel_bytes modulus,
		 struct firesteel_bytes base, struct firesteel_bytes exponent, uint8_t *result)
{
	int error = fs_pk_begin(pk, command | SILEX_PK_CALC_R2, modulus.size);

	if (error)
		return error;
	fs_pk_put(pk, SILEX_PK_SLOT_N, modulus);
	fs_pk_put(pk, SILEX_PK_SLOT_A, base);
	fs_pk_put(pk, SILEX_PK_SLOT_B, exponent);
	return fs_pk_run(pk, &(struct fs_pk_result){ SILEX_PK_SLOT_C, result }, 1);
}

int fs_pk_power(struct fs_pk *pk, uint32_t opcode, struct firesteel_bytes modulus,
		struct firesteel_bytes base, struct firesteel_bytes exponent, uint8_t *result)
{
	return power(pk, opcode, fs_number_trim(modulus), base, exponent, result);
}

/* The condition that a result must meet; NULL: none */
typedef bool is_result(struct firesteel_bytes result, struct firesteel_bytes modulus);

static int power_to(struct fs_pk *pk, uint32_t command, struct firesteel_bytes modulus,
		    struct firesteel_bytes base, struct firesteel_bytes exponent, is_result *accept,
		    struct firesteel_output output)
{
	uint8_t result[FS_NUMBER_MAX];
	int error;

	modulus = fs_number_trim(modulus);
	error = power(pk, command, modulus, base, exponent, result);
	if (!error && accept && !accept((struct firesteel_bytes){ result, modulus.size }, modulus))
		error = FIRESTEEL_ERROR_REFUSED;
	if (!error && !fs_number_output((struct firesteel_bytes){ result, modulus.size }, output))
		error = fs_health_faulty(pk->device, FS_PK);
	firesteel_wipe(result, modulus.size);
	return error;
}

/* ---- modexp ---- */

int fs_pk_modexp_check(const struct firesteel_capabilities *has,
		       const struct firesteel_request *request, bool values)
{
	const struct firesteel_modexp *modexp = &request->modexp;

	return check_power(has, modexp->modulus, modexp->base, modexp->exponent, modexp->result,
			   values);
}

int fs_pk_modexp(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_modexp *modexp = &request->modexp;

	return power_to(pk, SILEX_PK_OP_MODEXP | SILEX_PK_PROTECT_EXP, modexp->modulus,
			modexp->base, modexp->exponent, NULL, modexp->result);
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

int fs_pk_dh_check(const struct firesteel_capabilities *has,
		   const struct firesteel_request *request, bool values)
{
	const struct firesteel_dh *dh = &request->dh;
	int error = check_power(has, dh->prime, dh->peer, dh->secret, dh->result, values);

	if (error || !values)
		return error;
	return is_public_key(dh->peer, fs_number_trim(dh->prime)) ? FIRESTEEL_OK
								  : FIRESTEEL_ERROR_REFUSED;
}

int fs_pk_dh(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_dh *dh = &request->dh;

	return power_to(pk, SILEX_PK_OP_MODEXP | SILEX_PK_PROTECT_EXP, dh->prime, dh->peer,
			dh->secret, is_public_key, dh->result);
}

/* ---- RSA, public ---- */

int fs_pk_rsa_public_check(const struct firesteel_capabilities *has,
			   const struct firesteel_request *request, bool values)
{
	const struct firesteel_rsa_public *rsa = &request->rsa_public;

	return check_power(has, rsa->modulus, rsa->input, rsa->exponent, rsa->result, values);
}

int fs_pk_rsa_public(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_rsa_public *rsa = &request->rsa_public;

	return power_to(pk, SILEX_PK_OP_RSA_PUBLIC, rsa->modulus, rsa->input, rsa->exponent, NULL,
			rsa->result);
}
