/* SPDX-License-Identifier: Apache-2.0 */
#include "request.h"

#include "cipher.h"
#include "clock.h"
#include "hash.h"
#include "health.h"
#include "pk.h"
#include "share.h"

#define FLAGS (FIRESTEEL_UNPROTECTED | FIRESTEEL_CHECK)

static fs_pk_check *const checks[FIRESTEEL_OPERATIONS] = {
	[FIRESTEEL_MODEXP] = fs_pk_modexp_check,
	[FIRESTEEL_DH] = fs_pk_dh_check,
	[FIRESTEEL_RSA_PUBLIC] = fs_pk_rsa_public_check,
	[FIRESTEEL_RSA_PRIVATE] = fs_pk_rsa_private_check,
	[FIRESTEEL_RSA_CRT] = fs_pk_rsa_crt_check,
	[FIRESTEEL_ECDSA_SIGN] = fs_pk_ecdsa_sign_check,
	[FIRESTEEL_ECDSA_VERIFY] = fs_pk_ecdsa_verify_check,
	[FIRESTEEL_ECDH] = fs_pk_ecdh_check,
	[FIRESTEEL_EC_PUBLIC] = fs_pk_ec_public_check,
	[FIRESTEEL_X25519] = fs_pk_x25519_check,
	[FIRESTEEL_ED25519_PUBLIC] = fs_pk_ed25519_public_check,
	[FIRESTEEL_ED25519_SIGN] = fs_pk_ed25519_sign_check,
	[FIRESTEEL_ED25519_VERIFY] = fs_pk_ed25519_verify_check,
	[FIRESTEEL_CIPHER] = fs_cipher_check,
	[FIRESTEEL_HASH] = fs_hash_check,
};

/* ---- operands ---- */

struct entry {
	enum firesteel_operation operation;
	struct fs_operand operand;
};

#define OPERAND(operation, kind, member) \
	{ FIRESTEEL_##operation,         \
	  { FS_OPERAND_##kind, offsetof(struct firesteel_request, member), 0 } }
#define CONTEXT(operation, member)                                                      \
	{                                                                               \
		FIRESTEEL_##operation,                                                  \
		{                                                                       \
			FS_OPERAND_CONTEXT, offsetof(struct firesteel_request, member), \
				sizeof(*((struct firesteel_request *)NULL)->member)     \
		}                                                                       \
	}

/* Those of one operation together */
static const struct entry operands[] = {
	OPERAND(MODEXP, BYTES, modexp.modulus),
	OPERAND(MODEXP, BYTES, modexp.base),
	OPERAND(MODEXP, BYTES, modexp.exponent),
	OPERAND(MODEXP, OUTPUT, modexp.result),
	OPERAND(DH, BYTES, dh.prime),
	OPERAND(DH, BYTES, dh.peer),
	OPERAND(DH, BYTES, dh.secret),
	OPERAND(DH, OUTPUT, dh.result),
	OPERAND(RSA_PUBLIC, BYTES, rsa_public.modulus),
	OPERAND(RSA_PUBLIC, BYTES, rsa_public.exponent),
	OPERAND(RSA_PUBLIC, BYTES, rsa_public.input),
	OPERAND(RSA_PUBLIC, OUTPUT, rsa_public.result),
	OPERAND(RSA_PRIVATE, BYTES, rsa_private.modulus),
	OPERAND(RSA_PRIVATE, BYTES, rsa_private.secret),
	OPERAND(RSA_PRIVATE, BYTES, rsa_private.lambda),
	OPERAND(RSA_PRIVATE, BYTES, rsa_private.exponent),
	OPERAND(RSA_PRIVATE, BYTES, rsa_private.input),
	OPERAND(RSA_PRIVATE, OUTPUT, rsa_private.result),
	OPERAND(RSA_CRT, BYTES, rsa_crt.p),
	OPERAND(RSA_CRT, BYTES, rsa_crt.q),
	OPERAND(RSA_CRT, BYTES, rsa_crt.dp),
	OPERAND(RSA_CRT, BYTES, rsa_crt.dq),
	OPERAND(RSA_CRT, BYTES, rsa_crt.qinv),
	OPERAND(RSA_CRT, BYTES, rsa_crt.modulus),
	OPERAND(RSA_CRT, BYTES, rsa_crt.exponent),
	OPERAND(RSA_CRT, BYTES, rsa_crt.input),
	OPERAND(RSA_CRT, OUTPUT, rsa_crt.result),
	OPERAND(ECDSA_SIGN, CURVE, ecdsa_sign.curve),
	OPERAND(ECDSA_SIGN, BYTES, ecdsa_sign.secret),
	OPERAND(ECDSA_SIGN, BYTES, ecdsa_sign.digest),
	OPERAND(ECDSA_SIGN, BYTES, ecdsa_sign.nonce),
	OPERAND(ECDSA_SIGN, BYTES, ecdsa_sign.public_x),
	OPERAND(ECDSA_SIGN, BYTES, ecdsa_sign.public_y),
	OPERAND(ECDSA_SIGN, OUTPUT, ecdsa_sign.r),
	OPERAND(ECDSA_SIGN, OUTPUT, ecdsa_sign.s),
	OPERAND(ECDSA_VERIFY, CURVE, ecdsa_verify.curve),
	OPERAND(ECDSA_VERIFY, BYTES, ecdsa_verify.public_x),
	OPERAND(ECDSA_VERIFY, BYTES, ecdsa_verify.public_y),
	OPERAND(ECDSA_VERIFY, BYTES, ecdsa_verify.digest),
	OPERAND(ECDSA_VERIFY, BYTES, ecdsa_verify.r),
	OPERAND(ECDSA_VERIFY, BYTES, ecdsa_verify.s),
	OPERAND(ECDH, CURVE, ecdh.curve),
	OPERAND(ECDH, BYTES, ecdh.secret),
	OPERAND(ECDH, BYTES, ecdh.peer_x),
	OPERAND(ECDH, BYTES, ecdh.peer_y),
	OPERAND(ECDH, OUTPUT, ecdh.x),
	OPERAND(ECDH, OUTPUT, ecdh.y),
	OPERAND(EC_PUBLIC, CURVE, ec_public.curve),
	OPERAND(EC_PUBLIC, BYTES, ec_public.secret),
	OPERAND(EC_PUBLIC, OUTPUT, ec_public.x),
	OPERAND(EC_PUBLIC, OUTPUT, ec_public.y),
	OPERAND(X25519, BYTES, x25519.secret),
	OPERAND(X25519, BYTES, x25519.peer),
	OPERAND(X25519, OUTPUT, x25519.result),
	OPERAND(ED25519_PUBLIC, BYTES, ed25519_public.secret),
	OPERAND(ED25519_PUBLIC, OUTPUT, ed25519_public.result),
	OPERAND(ED25519_SIGN, BYTES, ed25519_sign.secret),
	OPERAND(ED25519_SIGN, BYTES, ed25519_sign.public_key),
	OPERAND(ED25519_SIGN, BYTES, ed25519_sign.message),
	OPERAND(ED25519_SIGN, OUTPUT, ed25519_sign.signature),
	OPERAND(ED25519_VERIFY, BYTES, ed25519_verify.public_key),
	OPERAND(ED25519_VERIFY, BYTES, ed25519_verify.message),
	OPERAND(ED25519_VERIFY, BYTES, ed25519_verify.signature),
	OPERAND(CIPHER, BYTES, cipher.key),
	OPERAND(CIPHER, BYTES, cipher.iv),
	OPERAND(CIPHER, BYTES, cipher.aad),
	OPERAND(CIPHER, BYTES, cipher.in),
	OPERAND(CIPHER, OUTPUT, cipher.out),
	OPERAND(CIPHER, OUTPUT, cipher.tag),
	OPERAND(CIPHER, BYTES, cipher.expected),
	CONTEXT(CIPHER, cipher.context),
	OPERAND(HASH, BYTES, hash.key),
	OPERAND(HASH, BYTES, hash.in),
	OPERAND(HASH, OUTPUT, hash.digest),
	CONTEXT(HASH, hash.context),
};

#define ENTRIES (sizeof(operands) / sizeof(*operands))

const struct fs_operand *fs_request_operand(enum firesteel_operation operation, unsigned number)
{
	for (size_t i = 0; i < ENTRIES; i++)
		if (operands[i].operation == operation && number-- == 0)
			return &operands[i].operand;
	return NULL;
}

static bool is_there(const void *data, size_t size)
{
	return data || size == 0;
}

static bool bytes_there(struct firesteel_bytes bytes)
{
	return is_there(bytes.data, bytes.size);
}

static bool curve_there(const struct firesteel_curve *curve)
{
	const struct firesteel_curve_parameters *has = curve->parameters;

	if (curve->name != FIRESTEEL_CURVE_LOADED || !has)
		return true;
	return bytes_there(has->p) && bytes_there(has->a) && bytes_there(has->b) &&
	       bytes_there(has->gx) && bytes_there(has->gy) && bytes_there(has->n);
}

static bool operand_there(const struct firesteel_request *request, const struct fs_operand *operand)
{
	const void *at = (const char *)request + operand->offset;
	const struct firesteel_output *output = at;

	switch (operand->kind) {
	case FS_OPERAND_BYTES:
		return bytes_there(*(const struct firesteel_bytes *)at);
	case FS_OPERAND_OUTPUT:
		return is_there(output->data, output->size);
	case FS_OPERAND_CURVE:
		return curve_there(at);
	default:
		return true; /* a message in one piece has no context */
	}
}

static bool all_there(const struct firesteel_request *request)
{
	for (size_t i = 0; i < ENTRIES; i++)
		if (operands[i].operation == request->operation &&
		    !operand_there(request, &operands[i].operand))
			return false;
	return true;
}

/* ---- checking ---- */

enum fs_core fs_request_core(enum firesteel_operation operation)
{
	return operation == FIRESTEEL_CIPHER || operation == FIRESTEEL_HASH ? FS_CM : FS_PK;
}

bool firesteel_needs_protection(enum firesteel_operation operation)
{
	switch (operation) {
	case FIRESTEEL_RSA_PUBLIC:
	case FIRESTEEL_ECDSA_VERIFY:
	case FIRESTEEL_ED25519_VERIFY:
	case FIRESTEEL_CIPHER:
	case FIRESTEEL_HASH:
		return false;
	default:
		return (unsigned)operation - 1 < FIRESTEEL_OPERATIONS - 1;
	}
}

/* A secret goes to a core without countermeasures only if the caller allows it: software blinds */
static bool is_exposed(const struct firesteel_capabilities *has,
		       const struct firesteel_request *request)
{
	return has->public_key && !has->protection &&
	       firesteel_needs_protection(request->operation) &&
	       !(request->flags & FIRESTEEL_UNPROTECTED);
}

int fs_request_check(const struct firesteel_capabilities *has,
		     const struct firesteel_request *request, bool values)
{
	int error;

	if ((unsigned)request->operation - 1 >= FIRESTEEL_OPERATIONS - 1 ||
	    request->flags & ~FLAGS || (values && !all_there(request)))
		return FIRESTEEL_ERROR_INVALID;
	error = checks[request->operation](has, request, values);
	return !error && is_exposed(has, request) ? FIRESTEEL_ERROR_ABSENT : error;
}

/* ---- doing ---- */

static int check(struct firesteel *device, const struct firesteel_request *request, bool values)
{
	int error, health;

	if (!device || !request)
		return FIRESTEEL_ERROR_INVALID;
	error = fs_device_enter(device);
	if (error)
		return error;
	error = fs_request_check(&device->capabilities, request, values);
	if (error && error != FIRESTEEL_ERROR_ABSENT)
		return error;
	if (error && is_exposed(&device->capabilities, request))
		fs_count(&device->statistics.unprotected, 1);
	/* "in use by another process" or "gone" says more than "absent" */
	health = fs_health_error(device, fs_request_core(request->operation));
	return health ? health : error;
}

static int dispatch(struct firesteel *device, const struct firesteel_request *request)
{
	switch (request->operation) {
	case FIRESTEEL_CIPHER:
		return fs_cipher_do(device, request);
	case FIRESTEEL_HASH:
		return fs_hash_do(device, request);
	default:
		return fs_pk_do(device, request);
	}
}

int firesteel_run(struct firesteel *device, const struct firesteel_request *request)
{
	int error = check(device, request, true);

	if (!error)
		error = dispatch(device, request);
	if (device && request && (unsigned)request->operation < FIRESTEEL_OPERATIONS)
		fs_count(error ? &device->statistics.errors[request->operation]
			       : &device->statistics.operations[request->operation],
			 1);
	return error;
}

int64_t firesteel_expect_ns(struct firesteel *device, const struct firesteel_request *request)
{
	int error = check(device, request, false);

	if (error)
		return error;
	return (int64_t)fs_expect_request(&device->expectations, &device->capabilities, request);
}

int64_t firesteel_queue_ns(struct firesteel *device, enum firesteel_operation operation)
{
	enum fs_core core = fs_request_core(operation);
	unsigned before;
	int error;

	if (!device || (unsigned)operation - 1 >= FIRESTEEL_OPERATIONS - 1)
		return FIRESTEEL_ERROR_INVALID;
	error = fs_device_enter(device);
	if (!error)
		error = fs_health_error(device, core);
	if (error)
		return error;
	before = fs_turn_length(&device->turn[core]);
	if (core == FS_PK)
		before += fs_share_before(device->transport);
	return (int64_t)(before * fs_expect_recent(&device->expectations, core));
}
