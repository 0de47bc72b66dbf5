/* SPDX-License-Identifier: Apache-2.0 */
#include "public-key/signature.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include "base/error.h"
#include "base/memory.h"

/* ---- life ---- */

void *fsp_signature_new(void *provider, const struct fsp_signature_kind *kind)
{
	struct fsp_signature *signature = OPENSSL_zalloc(sizeof(*signature));

	if (!signature)
		return NULL;
	signature->provider = provider;
	signature->kind = kind;
	signature->state = kind->state_size ? OPENSSL_zalloc(kind->state_size) : NULL;
	if (!kind->state_size || signature->state)
		return signature;
	OPENSSL_free(signature);
	return NULL;
}

/* Back to a context that is not begun */
static void reset(struct fsp_signature *signature)
{
	EVP_PKEY_CTX_free(signature->soft);
	signature->soft = NULL;
	EVP_MD_CTX_free(signature->hash);
	signature->hash = NULL;
	EVP_MD_free(signature->digest);
	signature->digest = NULL;
}

void fsp_signature_free(void *opaque)
{
	struct fsp_signature *signature = opaque;

	if (!signature)
		return;
	reset(signature);
	fsp_key_drop(signature->key);
	if (signature->kind->state_free)
		signature->kind->state_free(signature->state);
	fsp_cleanse(signature->state, signature->kind->state_size);
	OPENSSL_free(signature);
}

static bool copy(struct fsp_signature *to, const struct fsp_signature *from)
{
	to->key = fsp_key_hold(from->key);
	to->operation = from->operation;
	to->plain = from->plain;
	if (from->soft && !(to->soft = EVP_PKEY_CTX_dup(from->soft)))
		return false;
	if (from->digest && !EVP_MD_up_ref(from->digest))
		return false;
	to->digest = from->digest;
	if (from->hash &&
	    (!(to->hash = EVP_MD_CTX_new()) || !EVP_MD_CTX_copy_ex(to->hash, from->hash)))
		return false;
	/* The state is got from the parameters, and can be again */
	if (to->kind->changed)
		to->kind->changed(to);
	return true;
}

void *fsp_signature_dup(void *opaque)
{
	const struct fsp_signature *from = opaque;
	struct fsp_signature *to = fsp_signature_new(from->provider, from->kind);

	if (!to || copy(to, from))
		return to;
	fsp_signature_free(to);
	return NULL;
}

/* ---- beginning ---- */

static int init_soft(struct fsp_signature *signature, const OSSL_PARAM params[])
{
	switch (signature->operation) {
	case EVP_PKEY_OP_SIGN:
		return EVP_PKEY_sign_init_ex(signature->soft, params);
	case EVP_PKEY_OP_VERIFY:
		return EVP_PKEY_verify_init_ex(signature->soft, params);
	default:
		return EVP_PKEY_verify_recover_init_ex(signature->soft, params);
	}
}

/* Without a key it is the one that there is */
static bool take_key(struct fsp_signature *signature, struct fsp_key *key)
{
	struct fsp_key *old = signature->key;

	reset(signature);
	signature->key = fsp_key_hold(key ? key : old);
	fsp_key_drop(old);
	if (signature->kind->changed)
		signature->kind->changed(signature);
	return (signature->key && signature->key->software) || fsp_failed(PROV_R_NO_KEY_SET);
}

static int begin(struct fsp_signature *signature, struct fsp_key *key, int operation,
		 const OSSL_PARAM params[])
{
	signature->operation = operation;
	if (!take_key(signature, key))
		return 0;
	signature->soft = EVP_PKEY_CTX_new_from_pkey(signature->provider->library,
						     signature->key->software, FSP_SOFTWARE);
	return signature->soft && init_soft(signature, params) > 0;
}

int fsp_signature_sign_init(void *signature, void *key, const OSSL_PARAM params[])
{
	return begin(signature, key, EVP_PKEY_OP_SIGN, params);
}

int fsp_signature_verify_init(void *signature, void *key, const OSSL_PARAM params[])
{
	return begin(signature, key, EVP_PKEY_OP_VERIFY, params);
}

int fsp_signature_recover_init(void *signature, void *key, const OSSL_PARAM params[])
{
	return begin(signature, key, EVP_PKEY_OP_VERIFYRECOVER, params);
}

/* ---- digests and others ---- */

int fsp_signature_sign(void *opaque, unsigned char *out, size_t *size, size_t capacity,
		       const unsigned char *in, size_t in_size)
{
	struct fsp_signature *signature = opaque;
	size_t needed;

	if (!signature->soft)
		return fsp_failed(PROV_R_NO_KEY_SET);
	if (out) {
		needed = (size_t)EVP_PKEY_get_size(signature->key->software);
		if (capacity >= needed && signature->kind->sign &&
		    signature->kind->sign(signature, out, size, in, in_size))
			return 1;
		*size = capacity;
	}
	return fsp_answer(EVP_PKEY_sign(signature->soft, out, size, in, in_size));
}

int fsp_signature_verify(void *opaque, const unsigned char *bytes, size_t size,
			 const unsigned char *in, size_t in_size)
{
	struct fsp_signature *signature = opaque;

	if (!signature->soft)
		return fsp_failed(PROV_R_NO_KEY_SET);
	if (signature->kind->verify && signature->kind->verify(signature, bytes, size, in, in_size))
		return 1;
	return fsp_answer(EVP_PKEY_verify(signature->soft, bytes, size, in, in_size));
}

int fsp_signature_recover(void *opaque, unsigned char *out, size_t *size, size_t capacity,
			  const unsigned char *bytes, size_t bytes_size)
{
	struct fsp_signature *signature = opaque;

	if (!signature->soft)
		return fsp_failed(PROV_R_NO_KEY_SET);
	*size = capacity;
	return fsp_answer(EVP_PKEY_verify_recover(signature->soft, out, size, bytes, bytes_size));
}

/* ---- messages ---- */

/* Prepares a hash, and passes its name to software */
static int begin_hash(struct fsp_signature *signature, const char *name)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, (char *)name, 0),
		OSSL_PARAM_construct_end(),
	};

	if (name && *name && EVP_PKEY_CTX_set_params(signature->soft, params) <= 0)
		return 0;
	/* Without a name it is the one that software has, by a key that allows one alone perhaps */
	if (!name || !*name) {
		char found[80] = "";

		params[0] = OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, found,
							     sizeof(found));
		if (EVP_PKEY_CTX_get_params(signature->soft, params) <= 0 || !*found)
			return fsp_failed(PROV_R_INVALID_DIGEST);
		signature->digest = EVP_MD_fetch(signature->provider->library, found, FSP_SOFTWARE);
	} else {
		signature->digest = EVP_MD_fetch(signature->provider->library, name, FSP_SOFTWARE);
	}
	signature->hash = EVP_MD_CTX_new();
	return signature->digest && signature->hash &&
	       EVP_DigestInit_ex2(signature->hash, signature->digest, NULL);
}

/* Software's context for a whole message is kept where others have the hash */
static int begin_whole(struct fsp_signature *signature, struct fsp_key *key, int operation,
		       const OSSL_PARAM params[])
{
	OSSL_LIB_CTX *library = signature->provider->library;
	EVP_PKEY *software;

	signature->operation = operation;
	if (!take_key(signature, key))
		return 0;
	software = signature->key->software;
	signature->plain = !params || !params->key;
	signature->hash = EVP_MD_CTX_new();
	if (!signature->hash)
		return 0;
	if (operation == EVP_PKEY_OP_SIGN)
		return EVP_DigestSignInit_ex(signature->hash, NULL, NULL, library, FSP_SOFTWARE,
					     software, params) > 0;
	return EVP_DigestVerifyInit_ex(signature->hash, NULL, NULL, library, FSP_SOFTWARE, software,
				       params) > 0;
}

static int digest_begin(struct fsp_signature *signature, const char *digest, struct fsp_key *key,
			int operation, const OSSL_PARAM params[])
{
	if (signature->kind->whole)
		return digest && *digest ? fsp_failed(PROV_R_INVALID_DIGEST)
					 : begin_whole(signature, key, operation, params);
	return begin(signature, key, operation, params) && begin_hash(signature, digest);
}

int fsp_signature_digest_sign_init(void *signature, const char *digest, void *key,
				   const OSSL_PARAM params[])
{
	return digest_begin(signature, digest, key, EVP_PKEY_OP_SIGN, params);
}

int fsp_signature_digest_verify_init(void *signature, const char *digest, void *key,
				     const OSSL_PARAM params[])
{
	return digest_begin(signature, digest, key, EVP_PKEY_OP_VERIFY, params);
}

/* These are only called of a kind that is `whole` */
int fsp_signature_message_sign_init(void *signature, void *key, const OSSL_PARAM params[])
{
	return begin_whole(signature, key, EVP_PKEY_OP_SIGN, params);
}

int fsp_signature_message_verify_init(void *signature, void *key, const OSSL_PARAM params[])
{
	return begin_whole(signature, key, EVP_PKEY_OP_VERIFY, params);
}

int fsp_signature_digest_update(void *opaque, const unsigned char *in, size_t size)
{
	struct fsp_signature *signature = opaque;

	return signature->hash ? EVP_DigestUpdate(signature->hash, in, size)
			       : fsp_failed(PROV_R_INVALID_DIGEST);
}

int fsp_signature_digest_sign_final(void *opaque, unsigned char *out, size_t *size, size_t capacity)
{
	struct fsp_signature *signature = opaque;
	uint8_t digest[EVP_MAX_MD_SIZE];
	unsigned digest_size = 0;

	if (!signature->hash)
		return fsp_failed(PROV_R_INVALID_DIGEST);
	if (out && !EVP_DigestFinal_ex(signature->hash, digest, &digest_size))
		return 0;
	return fsp_signature_sign(signature, out, size, capacity, digest, digest_size);
}

int fsp_signature_digest_verify_final(void *opaque, const unsigned char *bytes, size_t size)
{
	struct fsp_signature *signature = opaque;
	uint8_t digest[EVP_MAX_MD_SIZE];
	unsigned digest_size = 0;

	if (!signature->hash)
		return fsp_failed(PROV_R_INVALID_DIGEST);
	if (!EVP_DigestFinal_ex(signature->hash, digest, &digest_size) ||
	    (size == 0 && signature->kind->refuses_empty))
		return 0;
	return fsp_signature_verify(signature, bytes, size, digest, digest_size);
}

/* ---- whole messages ---- */

int fsp_signature_digest_sign(void *opaque, unsigned char *out, size_t *size, size_t capacity,
			      const unsigned char *in, size_t in_size)
{
	struct fsp_signature *signature = opaque;

	if (!signature->hash)
		return fsp_failed(PROV_R_NO_KEY_SET);
	if (out && capacity >= (size_t)EVP_PKEY_get_size(signature->key->software) &&
	    signature->kind->sign && signature->kind->sign(signature, out, size, in, in_size))
		return 1;
	*size = capacity;
	return fsp_answer(EVP_DigestSign(signature->hash, out, size, in, in_size));
}

int fsp_signature_digest_verify(void *opaque, const unsigned char *bytes, size_t size,
				const unsigned char *in, size_t in_size)
{
	struct fsp_signature *signature = opaque;

	if (!signature->hash)
		return fsp_failed(PROV_R_NO_KEY_SET);
	if (signature->kind->verify && signature->kind->verify(signature, bytes, size, in, in_size))
		return 1;
	return fsp_answer(EVP_DigestVerify(signature->hash, bytes, size, in, in_size));
}

/* ---- parameters ---- */

/* Once a message has begun its digest stays */
static bool digest_stays(const struct fsp_signature *signature, const OSSL_PARAM params[])
{
	const OSSL_PARAM *param = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_DIGEST);
	char name[80], *text = name;

	return !param || !signature->digest ||
	       (OSSL_PARAM_get_utf8_string(param, &text, sizeof(name)) &&
		EVP_MD_is_a(signature->digest, name)) ||
	       fsp_failed(PROV_R_DIGEST_NOT_ALLOWED);
}

/* Where software keeps the parameters; NULL: nothing has begun */
static EVP_PKEY_CTX *context_of(const struct fsp_signature *signature)
{
	if (signature->kind->whole)
		return signature->hash ? EVP_MD_CTX_get_pkey_ctx(signature->hash) : NULL;
	return signature->soft;
}

int fsp_signature_set_ctx(void *opaque, const OSSL_PARAM params[])
{
	struct fsp_signature *signature = opaque;
	EVP_PKEY_CTX *context = context_of(signature);

	if (!params || !params->key)
		return 1;
	if (!context || !digest_stays(signature, params))
		return 0;
	signature->plain = false;
	if (signature->kind->changed)
		signature->kind->changed(signature);
	return EVP_PKEY_CTX_set_params(context, params) > 0;
}

int fsp_signature_get_ctx(void *opaque, OSSL_PARAM params[])
{
	EVP_PKEY_CTX *context = context_of(opaque);

	return context && EVP_PKEY_CTX_get_params(context, params) > 0;
}

static const OSSL_PARAM *ask(struct fsp_provider *provider, const char *name,
			     const OSSL_PARAM *(*question)(const EVP_SIGNATURE *))
{
	EVP_SIGNATURE *software = EVP_SIGNATURE_fetch(provider->library, name, FSP_SOFTWARE);
	const OSSL_PARAM *answer = software ? question(software) : NULL;

	EVP_SIGNATURE_free(software);
	return answer;
}

const OSSL_PARAM *fsp_signature_settable(struct fsp_signature *signature, void *provider,
					 const struct fsp_signature_kind *kind)
{
	EVP_PKEY_CTX *context = signature ? context_of(signature) : NULL;

	if (context)
		return EVP_PKEY_CTX_settable_params(context);
	return ask(provider, kind->name, EVP_SIGNATURE_settable_ctx_params);
}

const OSSL_PARAM *fsp_signature_gettable(struct fsp_signature *signature, void *provider,
					 const struct fsp_signature_kind *kind)
{
	(void)signature;
	return ask(provider, kind->name, EVP_SIGNATURE_gettable_ctx_params);
}

/* ---- parameters of the digest ---- */

int fsp_signature_get_md(void *opaque, OSSL_PARAM params[])
{
	struct fsp_signature *signature = opaque;

	return signature->hash && EVP_MD_CTX_get_params(signature->hash, params);
}

const OSSL_PARAM *fsp_signature_gettable_md(void *opaque)
{
	struct fsp_signature *signature = opaque;

	return signature->digest ? EVP_MD_gettable_ctx_params(signature->digest) : NULL;
}

int fsp_signature_set_md(void *opaque, const OSSL_PARAM params[])
{
	struct fsp_signature *signature = opaque;

	return signature->hash && EVP_MD_CTX_set_params(signature->hash, params);
}

const OSSL_PARAM *fsp_signature_settable_md(void *opaque)
{
	struct fsp_signature *signature = opaque;

	return signature->digest ? EVP_MD_settable_ctx_params(signature->digest) : NULL;
}
