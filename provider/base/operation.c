/* SPDX-License-Identifier: Apache-2.0 */
#include "base/operation.h"

#include <string.h>

#include <openssl/crypto.h>

#define MEMBERS_MAX 11u

/* Where the members of a request lie in it; 0 ends a list, as `operation` lies there */
struct layout {
	uint16_t bytes[MEMBERS_MAX];
	uint16_t outputs[4];
	uint16_t curve;
};

#define AT(member) offsetof(struct firesteel_request, member)

static const struct layout layouts[FIRESTEEL_OPERATIONS] = {
	[FIRESTEEL_MODEXP] = { .bytes = { AT(modexp.modulus), AT(modexp.base),
					  AT(modexp.exponent) },
			       .outputs = { AT(modexp.result) } },
	[FIRESTEEL_DH] = { .bytes = { AT(dh.prime), AT(dh.peer), AT(dh.secret) },
			   .outputs = { AT(dh.result) } },
	[FIRESTEEL_RSA_PUBLIC] = { .bytes = { AT(rsa_public.modulus), AT(rsa_public.exponent),
					      AT(rsa_public.input) },
				   .outputs = { AT(rsa_public.result) } },
	[FIRESTEEL_RSA_PRIVATE] = { .bytes = { AT(rsa_private.modulus), AT(rsa_private.secret),
					       AT(rsa_private.lambda), AT(rsa_private.exponent),
					       AT(rsa_private.input) },
				    .outputs = { AT(rsa_private.result) } },
	[FIRESTEEL_RSA_CRT] = { .bytes = { AT(rsa_crt.p), AT(rsa_crt.q), AT(rsa_crt.dp),
					   AT(rsa_crt.dq), AT(rsa_crt.qinv), AT(rsa_crt.modulus),
					   AT(rsa_crt.exponent), AT(rsa_crt.input) },
				.outputs = { AT(rsa_crt.result) } },
	[FIRESTEEL_ECDSA_SIGN] = { .bytes = { AT(ecdsa_sign.secret), AT(ecdsa_sign.digest),
					      AT(ecdsa_sign.nonce), AT(ecdsa_sign.public_x),
					      AT(ecdsa_sign.public_y) },
				   .outputs = { AT(ecdsa_sign.r), AT(ecdsa_sign.s) },
				   .curve = AT(ecdsa_sign.curve) },
	[FIRESTEEL_ECDSA_VERIFY] = { .bytes = { AT(ecdsa_verify.public_x),
						AT(ecdsa_verify.public_y), AT(ecdsa_verify.digest),
						AT(ecdsa_verify.r), AT(ecdsa_verify.s) },
				     .curve = AT(ecdsa_verify.curve) },
	[FIRESTEEL_ECDH] = { .bytes = { AT(ecdh.secret), AT(ecdh.peer_x), AT(ecdh.peer_y) },
			     .outputs = { AT(ecdh.x), AT(ecdh.y) },
			     .curve = AT(ecdh.curve) },
	[FIRESTEEL_EC_PUBLIC] = { .bytes = { AT(ec_public.secret) },
				  .outputs = { AT(ec_public.x), AT(ec_public.y) },
				  .curve = AT(ec_public.curve) },
	[FIRESTEEL_X25519] = { .bytes = { AT(x25519.secret), AT(x25519.peer) },
			       .outputs = { AT(x25519.result) } },
	[FIRESTEEL_ED25519_PUBLIC] = { .bytes = { AT(ed25519_public.secret) },
				       .outputs = { AT(ed25519_public.result) } },
	[FIRESTEEL_ED25519_SIGN] = { .bytes = { AT(ed25519_sign.secret),
						AT(ed25519_sign.public_key),
						AT(ed25519_sign.message) },
				     .outputs = { AT(ed25519_sign.signature) } },
	[FIRESTEEL_ED25519_VERIFY] = { .bytes = { AT(ed25519_verify.public_key),
						  AT(ed25519_verify.message),
						  AT(ed25519_verify.signature) } },
	[FIRESTEEL_CIPHER] = { .bytes = { AT(cipher.key), AT(cipher.iv), AT(cipher.aad),
					  AT(cipher.in), AT(cipher.expected) },
			       .outputs = { AT(cipher.out), AT(cipher.tag) } },
	[FIRESTEEL_HASH] = { .bytes = { AT(hash.key), AT(hash.in) },
			     .outputs = { AT(hash.digest) } },
};

static const uint16_t curve_bytes[] = {
	offsetof(struct firesteel_curve_parameters, p),
	offsetof(struct firesteel_curve_parameters, a),
	offsetof(struct firesteel_curve_parameters, b),
	offsetof(struct firesteel_curve_parameters, gx),
	offsetof(struct firesteel_curve_parameters, gy),
	offsetof(struct firesteel_curve_parameters, n),
};

static void *member(const void *of, size_t at)
{
	return (uint8_t *)(uintptr_t)of + at;
}

static const struct layout *layout_of(const struct firesteel_request *request)
{
	return &layouts[request->operation];
}

/* ---- memory ---- */

static size_t sum(const struct firesteel_request *request)
{
	const struct layout *layout = layout_of(request);
	size_t size = sizeof(struct firesteel_cipher_context) +
		      sizeof(struct firesteel_hash_context);

	for (const uint16_t *at = layout->bytes; *at; at++)
		size += ((struct firesteel_bytes *)member(request, *at))->size;
	for (const uint16_t *at = layout->outputs; *at; at++)
		size += ((struct firesteel_output *)member(request, *at))->size;
	if (layout->curve) {
		const struct firesteel_curve *curve = member(request, layout->curve);

		for (size_t i = 0; i < 6 && curve->parameters; i++)
			size += ((struct firesteel_bytes *)member(curve->parameters,
								  curve_bytes[i]))
					->size;
	}
	return size;
}

/* The next bytes of the operation's memory */
static uint8_t *copy_in(struct fsp_operation *operation, const void *from, size_t size)
{
	uint8_t *to = operation->memory + operation->size;

	operation->size += size;
	if (from && size > 0)
		memcpy(to, from, size);
	return to;
}

static void copy_bytes(struct fsp_operation *operation, struct firesteel_bytes *bytes)
{
	if (bytes->data)
		bytes->data = copy_in(operation, bytes->data, bytes->size);
}

static void copy_curve(struct fsp_operation *operation, struct firesteel_curve *curve)
{
	if (!curve->parameters)
		return;
	operation->parameters = *curve->parameters;
	for (size_t i = 0; i < 6; i++)
		copy_bytes(operation, member(&operation->parameters, curve_bytes[i]));
	curve->parameters = &operation->parameters;
}

/* What goes on from piece to piece; first of all, as it must be aligned */
static void copy_context(struct fsp_operation *operation, struct firesteel_request *request)
{
	if (request->operation == FIRESTEEL_CIPHER && request->cipher.context)
		request->cipher.context = (void *)copy_in(operation, request->cipher.context,
							  sizeof(struct firesteel_cipher_context));
	if (request->operation == FIRESTEEL_HASH && request->hash.context)
		request->hash.context = (void *)copy_in(operation, request->hash.context,
							sizeof(struct firesteel_hash_context));
}

/* ---- operations ---- */

struct fsp_operation *fsp_operation_new(const struct firesteel_request *request)
{
	const struct layout *layout = layout_of(request);
	struct fsp_operation *operation = OPENSSL_zalloc(sizeof(*operation));
	size_t size = sum(request);

	if (!operation)
		return NULL;
	operation->memory = OPENSSL_malloc(size);
	if (!operation->memory) {
		OPENSSL_free(operation);
		return NULL;
	}
	operation->original = request;
	operation->request = *request;
	copy_context(operation, &operation->request);
	for (const uint16_t *at = layout->bytes; *at; at++)
		copy_bytes(operation, member(&operation->request, *at));
	for (const uint16_t *at = layout->outputs; *at; at++) {
		struct firesteel_output *output = member(&operation->request, *at);

		if (output->data)
			output->data = copy_in(operation, NULL, output->size);
	}
	if (layout->curve)
		copy_curve(operation, member(&operation->request, layout->curve));
	return operation;
}

void fsp_operation_copy_out(const struct fsp_operation *operation)
{
	const struct firesteel_request *from = &operation->request, *to = operation->original;

	for (const uint16_t *at = layout_of(from)->outputs; *at; at++) {
		const struct firesteel_output *result = member(from, *at),
					      *output = member(to, *at);

		if (output->data && output->size > 0)
			memcpy(output->data, result->data, output->size);
	}
	if (from->operation == FIRESTEEL_CIPHER && from->cipher.context)
		*to->cipher.context = *from->cipher.context;
	if (from->operation == FIRESTEEL_HASH && from->hash.context)
		*to->hash.context = *from->hash.context;
}

void fsp_operation_free(struct fsp_operation *operation)
{
	if (!operation)
		return;
	OPENSSL_clear_free(operation->memory, operation->size);
	OPENSSL_clear_free(operation, sizeof(*operation));
}
