/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ECDSA on the core.
 *
 * The core always verifies a signature before it is returned: a wrong one may reveal the key to
 * those who know the right one's nonce or can guess where the fault was.  Software would need
 * longer to verify it than to sign.  The nonce is the library's.
 */
#include "public-key/ecdsa.h"

#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/params.h>

#include "base/policy.h"
#include "public-key/signature.h"

/* ---- signatures ---- */

bool fsp_ecdsa_decode(const struct fsp_ec *ec, const uint8_t *der, size_t size, uint8_t *r,
		      uint8_t *s)
{
	const uint8_t *at = der;
	ECDSA_SIG *signature = NULL;
	uint8_t *again = NULL;
	int length = (int)ec->size;
	bool good = false;

	/* DER has only one encoding of it, and software accepts no other */
	if (size > 0 && size <= 3 * FSP_EC_SIZE_MAX)
		signature = d2i_ECDSA_SIG(NULL, &at, (long)size);
	if (signature)
		good = i2d_ECDSA_SIG(signature, &again) == (int)size &&
		       memcmp(again, der, size) == 0 &&
		       !BN_is_negative(ECDSA_SIG_get0_r(signature)) &&
		       !BN_is_negative(ECDSA_SIG_get0_s(signature)) &&
		       BN_bn2binpad(ECDSA_SIG_get0_r(signature), r, length) == length &&
		       BN_bn2binpad(ECDSA_SIG_get0_s(signature), s, length) == length;
	OPENSSL_free(again);
	ECDSA_SIG_free(signature);
	return good;
}

bool fsp_ecdsa_encode(const struct fsp_ec *ec, const uint8_t *r, const uint8_t *s, uint8_t *der,
		      size_t *size)
{
	ECDSA_SIG *signature = ECDSA_SIG_new();
	BIGNUM *numbers[] = { BN_bin2bn(r, (int)ec->size, NULL),
			      BN_bin2bn(s, (int)ec->size, NULL) };
	int length = -1;

	if (signature && numbers[0] && numbers[1] &&
	    ECDSA_SIG_set0(signature, numbers[0], numbers[1])) {
		length = i2d_ECDSA_SIG(signature, &der);
	} else {
		BN_free(numbers[0]);
		BN_free(numbers[1]);
	}
	ECDSA_SIG_free(signature);
	*size = length > 0 ? (size_t)length : 0;
	return length > 0;
}

struct firesteel_request fsp_ecdsa_sign_request(const struct fsp_ec *ec,
						struct firesteel_bytes digest, uint8_t *r,
						uint8_t *s)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_ECDSA_SIGN,
		.flags = FIRESTEEL_CHECK,
		.ecdsa_sign = { .curve = ec->curve,
				.secret = ec->secret,
				.digest = digest,
				.public_x = ec->x,
				.public_y = ec->y,
				.r = { r, ec->size },
				.s = { s, ec->size } },
	};
}

struct firesteel_request fsp_ecdsa_verify_request(const struct fsp_ec *ec,
						  struct firesteel_bytes digest, const uint8_t *r,
						  const uint8_t *s)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_ECDSA_VERIFY,
		.ecdsa_verify = { .curve = ec->curve,
				  .public_x = ec->x,
				  .public_y = ec->y,
				  .digest = digest,
				  .r = { r, ec->size },
				  .s = { s, ec->size } },
	};
}

/* ---- parameters ---- */

struct ecdsa_state {
	bool known; /* otherwise software answers */
	bool fit; /* for us */
	size_t digest_size; /* 0: any */
};

static void changed(struct fsp_signature *signature)
{
	memset(signature->state, 0, sizeof(struct ecdsa_state));
}

/* Whether the core may sign or verify this: a digest of the size that was said, and (from OpenSSL 3.2
 * on) a nonce that is random */
static bool fit(struct fsp_signature *signature, size_t size)
{
	struct ecdsa_state *state = signature->state;
	unsigned nonce = 0;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_size_t(OSSL_SIGNATURE_PARAM_DIGEST_SIZE, &state->digest_size),
		OSSL_PARAM_construct_uint("nonce-type", &nonce),
		OSSL_PARAM_construct_end(),
	};

	if (!state->known) {
		state->fit = fsp_signature_ask(signature, params) && nonce == 0;
		state->known = true;
	}
	return state->fit && size > 0 && size <= EVP_MAX_MD_SIZE &&
	       (state->digest_size == 0 || state->digest_size == size);
}

static uint64_t effort(struct fsp_key *key)
{
	struct fsp_ec curve;

	return fsp_ec_curve(key, &curve) ? fsp_ec_effort(key->provider, &curve) : UINT64_MAX;
}

/* ---- signing ---- */

static void blame(struct fsp_signature *signature, struct fsp_ec *ec)
{
	const struct fsp_key *key = signature->key;

	ERR_set_mark();
	fsp_policy_blame(signature->provider, FSP_TASK_ECDSA_SIGN,
			 FSP_SOFT(key->software, keymgmt_validate,
				  KEYMGMT_VALIDATE)(key->data, OSSL_KEYMGMT_SELECT_KEYPAIR,
						    OSSL_KEYMGMT_VALIDATE_FULL_CHECK),
			 &ec->broken);
	ERR_pop_to_mark();
}

/* Asked before a key's numbers are read */
static bool wants_to_sign(struct fsp_signature *signature, struct firesteel_bytes digest)
{
	struct firesteel_request request;
	struct fsp_ec curve;

	if (!fsp_ec_curve_for(signature->key, FSP_TASK_ECDSA_SIGN, &curve))
		return false;
	request = fsp_ecdsa_sign_request(&curve, digest, NULL, NULL);
	return fsp_ec_wants(signature->provider, FSP_TASK_ECDSA_SIGN, &request, &curve);
}

static bool sign(struct fsp_signature *signature, uint8_t *out, size_t *size, const uint8_t *in,
		 size_t in_size)
{
	const struct firesteel_bytes digest = { in, in_size };
	struct fsp_provider *provider = signature->provider;
	uint8_t r[FSP_EC_SIZE_MAX], s[FSP_EC_SIZE_MAX];
	struct firesteel_request request;
	struct fsp_ec *ec;
	int error;

	if (!wants_to_sign(signature, digest))
		return false;
	ec = fsp_key_components(signature->key);
	if (!ec || ec->secret.size == 0 || ec->x.size == 0 || atomic_load(&ec->broken) ||
	    !fit(signature, in_size)) {
		fsp_policy_unfit(provider, FSP_TASK_ECDSA_SIGN);
		return false;
	}
	request = fsp_ecdsa_sign_request(ec, digest, r, s);
	error = fsp_policy_run(provider, FSP_TASK_ECDSA_SIGN, &request, ec->size);
	if (error == FIRESTEEL_ERROR_CHECK)
		blame(signature, ec);
	return error == FIRESTEEL_OK && fsp_ecdsa_encode(ec, r, s, out, size);
}

/* ---- verification ---- */

static bool wants_to_verify(struct fsp_signature *signature, struct firesteel_bytes digest)
{
	struct firesteel_request request;
	struct fsp_ec curve;

	if (!fsp_ec_curve_for(signature->key, FSP_TASK_ECDSA_VERIFY, &curve))
		return false;
	request = fsp_ecdsa_verify_request(&curve, digest, NULL, NULL);
	return fsp_ec_wants(signature->provider, FSP_TASK_ECDSA_VERIFY, &request, &curve);
}

static bool verify(struct fsp_signature *signature, const uint8_t *bytes, size_t size,
		   const uint8_t *in, size_t in_size)
{
	const struct firesteel_bytes digest = { in, in_size };
	struct fsp_provider *provider = signature->provider;
	uint8_t r[FSP_EC_SIZE_MAX], s[FSP_EC_SIZE_MAX];
	struct firesteel_request request;
	const struct fsp_ec *ec;
	bool good;

	if (!wants_to_verify(signature, digest))
		return false;
	ec = fsp_key_components(signature->key);
	ERR_set_mark();
	good = ec && ec->x.size > 0 && fit(signature, in_size) &&
	       fsp_ecdsa_decode(ec, bytes, size, r, s);
	ERR_pop_to_mark();
	if (!good) {
		fsp_policy_unfit(provider, FSP_TASK_ECDSA_VERIFY);
		return false;
	}
	request = fsp_ecdsa_verify_request(ec, digest, r, s);
	return fsp_policy_run(provider, FSP_TASK_ECDSA_VERIFY, &request, ec->size) == FIRESTEEL_OK;
}

/* From OpenSSL 3.4 on software takes a signature of no bytes behind a message for none at all */
#ifdef OSSL_FUNC_SIGNATURE_VERIFY_MESSAGE_INIT
#define REFUSES_EMPTY true
#else
#define REFUSES_EMPTY false
#endif

static const struct fsp_signature_kind ecdsa_kind = {
	.name = "ECDSA",
	.sign = sign,
	.verify = verify,
	.effort = effort,
	.sign_task = FSP_TASK_ECDSA_SIGN,
	.verify_task = FSP_TASK_ECDSA_VERIFY,
	.refuses_empty = REFUSES_EMPTY,
	.state_size = sizeof(struct ecdsa_state),
	.changed = changed,
};
FSP_SIGNATURE_TABLE(ecdsa);
