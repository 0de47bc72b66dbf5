/* SPDX-License-Identifier: Apache-2.0 */
/* What a whole request takes: its operations, and the registers that are written and read. */
#include "../silex/ba411.h"
#include "curve.h"
#include "expect.h"
#include "transport.h"

/* Accesses for each operation besides operands: COMMAND, POINTERS, CONTROL, STATUS, and those of the
 * evidence */
#define ACCESSES 18u

struct sum {
	struct fs_expectations *expectations;
	uint64_t ns;
};

static void add(struct sum *sum, uint32_t command, size_t size, unsigned operands)
{
	struct fs_prediction operation = fs_expect_operation(sum->expectations, command, size);
	uint64_t accesses = ACCESSES + operands * ((size + 3) / 4);

	sum->ns += operation.ns + accesses * sum->expectations->register_ns;
}

static size_t size_of(struct firesteel_bytes number)
{
	return fs_number_trim(number).size;
}

static bool checks(const struct firesteel_request *request)
{
	return request->flags & FIRESTEEL_CHECK;
}

static uint32_t protection(const struct firesteel_capabilities *has,
			   const struct firesteel_request *request, uint32_t bits)
{
	return has->protection && !(request->flags & FIRESTEEL_UNPROTECTED) ? bits : 0;
}

static void add_power(struct sum *sum, const struct firesteel_capabilities *has,
		      const struct firesteel_request *request, uint32_t opcode, size_t size)
{
	add(sum, opcode | SILEX_PK_CALC_R2 | protection(has, request, SILEX_PK_PROTECT_EXP), size,
	    4);
}

static void add_public(struct sum *sum, size_t size)
{
	add(sum, SILEX_PK_OP_RSA_PUBLIC | SILEX_PK_CALC_R2, size, 4);
}

static void add_integers(struct sum *sum, const struct firesteel_capabilities *has,
			 const struct firesteel_request *request)
{
	switch (request->operation) {
	case FIRESTEEL_MODEXP:
		add_power(sum, has, request, SILEX_PK_OP_MODEXP, size_of(request->modexp.modulus));
		return;
	case FIRESTEEL_DH:
		add_power(sum, has, request, SILEX_PK_OP_MODEXP, size_of(request->dh.prime));
		return;
	case FIRESTEEL_RSA_PUBLIC:
		add_public(sum, size_of(request->rsa_public.modulus));
		return;
	case FIRESTEEL_RSA_PRIVATE:
		add_power(sum, has, request, SILEX_PK_OP_RSA_PRIVATE,
			  size_of(request->rsa_private.modulus));
		if (checks(request))
			add_public(sum, size_of(request->rsa_private.modulus));
		return;
	default:
		add(sum,
		    SILEX_PK_OP_RSA_CRT | SILEX_PK_CALC_R2 |
			    protection(has, request, SILEX_PK_PROTECT_EXP),
		    size_of(request->rsa_crt.p) + size_of(request->rsa_crt.q), 7);
		if (checks(request))
			add_public(sum, size_of(request->rsa_crt.modulus));
	}
}

/* ---- curves ---- */

static const struct firesteel_curve *curve_of(const struct firesteel_request *request)
{
	switch (request->operation) {
	case FIRESTEEL_ECDSA_SIGN:
		return &request->ecdsa_sign.curve;
	case FIRESTEEL_ECDSA_VERIFY:
		return &request->ecdsa_verify.curve;
	case FIRESTEEL_ECDH:
		return &request->ecdh.curve;
	default:
		return &request->ec_public.curve;
	}
}

static void add_curve(struct sum *sum, const struct firesteel_capabilities *has,
		      const struct firesteel_request *request)
{
	const uint32_t blinding = protection(has, request, SILEX_PK_PROTECT_ECC);
	struct fs_curve curve;
	unsigned loads;

	fs_curve_resolve(has, curve_of(request), false, &curve);
	loads = curve.parameters ? 6 : 0;
	switch (request->operation) {
	case FIRESTEEL_ECDSA_SIGN:
		add(sum, SILEX_PK_OP_ECDSA_SIGN | blinding, curve.size, 6 + loads);
		if (checks(request))
			add(sum, SILEX_PK_OP_ECDSA_VERIFY, curve.size, 6 + loads);
		return;
	case FIRESTEEL_ECDSA_VERIFY:
		add(sum, SILEX_PK_OP_ECDSA_VERIFY, curve.size, 6 + loads);
		return;
	case FIRESTEEL_ECDH:
		add(sum, SILEX_PK_OP_ECC_ON_CURVE, curve.size, 2 + loads);
		break;
	default:
		break;
	}
	add(sum, SILEX_PK_OP_ECC_MUL | blinding, curve.size, 6 + loads);
}

static void add_25519(struct sum *sum, const struct firesteel_capabilities *has,
		      const struct firesteel_request *request)
{
	const uint32_t blinding = protection(has, request, SILEX_PK_PROTECT_ECC);

	switch (request->operation) {
	case FIRESTEEL_X25519:
		add(sum, SILEX_PK_OP_X25519 | blinding, 32, 4);
		return;
	case FIRESTEEL_ED25519_SIGN:
		if (request->ed25519_sign.public_key.size == 0)
			add(sum, SILEX_PK_OP_EDDSA_BASE_MUL | blinding, 32, 5);
		add(sum, SILEX_PK_OP_EDDSA_SIGN | blinding, 32, 7);
		if (checks(request))
			add(sum, SILEX_PK_OP_EDDSA_VERIFY, 32, 6);
		break;
	case FIRESTEEL_ED25519_VERIFY:
		add(sum, SILEX_PK_OP_EDDSA_VERIFY, 32, 6);
		return;
	default:
		break;
	}
	add(sum, SILEX_PK_OP_EDDSA_BASE_MUL | blinding, 32, 5);
}

/* ---- symmetric ---- */

static void add_message(struct sum *sum, bool hash, unsigned mode, size_t size)
{
	sum->ns += fs_expect_message(sum->expectations, hash, mode, size).ns +
		   sum->expectations->around_ns[FS_CM] + size * sum->expectations->copy_ps / 1000;
}

static void add_symmetric(struct sum *sum, const struct firesteel_request *request)
{
	if (request->operation == FIRESTEEL_CIPHER)
		add_message(sum, false, request->cipher.mode,
			    request->cipher.in.size + request->cipher.aad.size);
	else
		add_message(sum, true, request->hash.algorithm, request->hash.in.size);
}

uint64_t fs_expect_request(struct fs_expectations *expectations,
			   const struct firesteel_capabilities *has,
			   const struct firesteel_request *request)
{
	struct sum sum = { .expectations = expectations };

	if (request->operation <= FIRESTEEL_ED25519_VERIFY)
		sum.ns = expectations->around_ns[FS_PK];
	if (request->operation <= FIRESTEEL_RSA_CRT)
		add_integers(&sum, has, request);
	else if (request->operation <= FIRESTEEL_EC_PUBLIC)
		add_curve(&sum, has, request);
	else if (request->operation <= FIRESTEEL_ED25519_VERIFY)
		add_25519(&sum, has, request);
	else
		add_symmetric(&sum, request);
	return sum.ns;
}
