/* SPDX-License-Identifier: Apache-2.0 */
#include "public-key/signature.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/policy.h"

/* ---- life ---- */

static void *new(void *provider, const struct fsp_signature_kind *kind)
{
	struct fsp_signature *signature = OPENSSL_zalloc(sizeof(*signature));

	if (!signature)
		return NULL;
	signature->provider = provider;
	signature->kind = kind;
	signature->software = fsp_software_find(provider, OSSL_OP_SIGNATURE, kind->name, NULL);
	signature->state = kind->state_size ? OPENSSL_zalloc(kind->state_size) : NULL;
	if (signature->software && (!kind->state_size || signature->state))
		return signature;
	fsp_signature_free(signature);
	return NULL;
}

void *fsp_signature_new(void *provider, const struct fsp_signature_kind *kind)
{
	struct fsp_signature *signature = new(provider, kind);

	if (!signature)
		return NULL;
	signature->soft = FSP_SOFT(signature->software, signature_newctx,
				   SIGNATURE_NEWCTX)(signature->software->context, FSP_SOFTWARE);
	if (signature->soft)
		return signature;
	fsp_signature_free(signature);
	return NULL;
}

static void forget_digest(struct fsp_signature *signature)
{
	EVP_MD_CTX_free(signature->hash);
	signature->hash = NULL;
	EVP_MD_free(signature->digest);
	signature->digest = NULL;
	signature->settable = NULL;
	signature->update = NULL;
}

void fsp_signature_free(void *opaque)
{
	struct fsp_signature *signature = opaque;

	if (!signature)
		return;
	forget_digest(signature);
	if (signature->soft)
		FSP_SOFT(signature->software, signature_freectx,
			 SIGNATURE_FREECTX)(signature->soft);
	fsp_key_drop(signature->key);
	if (signature->kind->state_free && signature->state)
		signature->kind->state_free(signature->state);
	fsp_cleanse(signature->state, signature->kind->state_size);
	OPENSSL_free(signature);
}

static bool copy(struct fsp_signature *to, const struct fsp_signature *from)
{
	to->key = fsp_key_hold(from->key);
	to->plain = from->plain;
	to->settable = from->settable;
	to->update = from->update;
	to->soft = FSP_SOFT(from->software, signature_dupctx, SIGNATURE_DUPCTX)(from->soft);
	if (!to->soft)
		return false;
	if (from->digest && !EVP_MD_up_ref(from->digest))
		return false;
	to->digest = from->digest;
	/* The state is got from the parameters, and can be again */
	return !from->hash ||
	       ((to->hash = EVP_MD_CTX_new()) && EVP_MD_CTX_copy_ex(to->hash, from->hash));
}

void *fsp_signature_dup(void *opaque)
{
	const struct fsp_signature *from = opaque;
	struct fsp_signature *to = new(from->provider, from->kind);

	if (!to || copy(to, from))
		return to;
	fsp_signature_free(to);
	return NULL;
}

/* ---- beginning ---- */

/* libssl 4.0 tells the version of TLS, for the sake of SM2; other parameters may change what is signed */
static bool is_plain(const OSSL_PARAM params[])
{
	while (params && params->key && strcmp(params->key, "tls-version") == 0)
		params++;
	return !params || !params->key;
}

static void *data_of(const struct fsp_key *key)
{
	return key ? key->data : NULL;
}

/* What software said of a new key, or of none: then it is the one that there is */
static int take_key(struct fsp_signature *signature, struct fsp_key *key, int answer)
{
	struct fsp_key *old = signature->key;

	if (key && answer > 0) {
		signature->key = fsp_key_hold(key);
		fsp_key_drop(old);
	}
	if (signature->kind->changed)
		signature->kind->changed(signature);
	return answer;
}

static int begin(struct fsp_signature *signature, struct fsp_key *key, const OSSL_PARAM params[],
		 OSSL_FUNC_signature_sign_init_fn *init)
{
	forget_digest(signature);
	signature->plain = false;
	return take_key(signature, key, init(signature->soft, data_of(key), params));
}

int fsp_signature_sign_init(void *opaque, void *key, const OSSL_PARAM params[])
{
	struct fsp_signature *signature = opaque;

	return begin(signature, key, params,
		     FSP_SOFT(signature->software, signature_sign_init, SIGNATURE_SIGN_INIT));
}

int fsp_signature_verify_init(void *opaque, void *key, const OSSL_PARAM params[])
{
	struct fsp_signature *signature = opaque;

	return begin(signature, key, params,
		     FSP_SOFT(signature->software, signature_verify_init, SIGNATURE_VERIFY_INIT));
}

int fsp_signature_recover_init(void *opaque, void *key, const OSSL_PARAM params[])
{
	struct fsp_signature *signature = opaque;

	return begin(signature, key, params,
		     FSP_SOFT(signature->software, signature_verify_recover_init,
			      SIGNATURE_VERIFY_RECOVER_INIT));
}

/* ---- digests and others ---- */

/* Whether the core has signed; then there is room for any signature of the key */
static bool sign_on_core(struct fsp_signature *signature, unsigned char *out, size_t *size,
			 size_t capacity, const unsigned char *in, size_t in_size)
{
	return out && signature->key && signature->kind->sign &&
	       capacity >= fsp_key_size(signature->key) &&
	       signature->kind->sign(signature, out, size, in, in_size);
}

static bool verify_on_core(struct fsp_signature *signature, const unsigned char *bytes, size_t size,
			   const unsigned char *in, size_t in_size)
{
	return signature->key && signature->kind->verify &&
	       signature->kind->verify(signature, bytes, size, in, in_size);
}

int fsp_signature_sign(void *opaque, unsigned char *out, size_t *size, size_t capacity,
		       const unsigned char *in, size_t in_size)
{
	struct fsp_signature *signature = opaque;

	if (sign_on_core(signature, out, size, capacity, in, in_size))
		return 1;
	return FSP_SOFT(signature->software, signature_sign,
			SIGNATURE_SIGN)(signature->soft, out, size, capacity, in, in_size);
}

int fsp_signature_verify(void *opaque, const unsigned char *bytes, size_t size,
			 const unsigned char *in, size_t in_size)
{
	struct fsp_signature *signature = opaque;

	if (verify_on_core(signature, bytes, size, in, in_size))
		return 1;
	return FSP_SOFT(signature->software, signature_verify,
			SIGNATURE_VERIFY)(signature->soft, bytes, size, in, in_size);
}

int fsp_signature_recover(void *opaque, unsigned char *out, size_t *size, size_t capacity,
			  const unsigned char *bytes, size_t bytes_size)
{
	struct fsp_signature *signature = opaque;

	return FSP_SOFT(signature->software, signature_verify_recover, SIGNATURE_VERIFY_RECOVER)(
		signature->soft, out, size, capacity, bytes, bytes_size);
}

/* ---- messages ---- */

/* The hash of the digest that software has: the one that was named, or the key's */
static bool begin_hash(struct fsp_signature *signature)
{
	char name[FSP_KEY_NAME] = "";
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, name, sizeof(name)),
		OSSL_PARAM_construct_end(),
	};

	if (!fsp_signature_ask(signature, params) || !*name)
		return fsp_failed(PROV_R_INVALID_DIGEST);
	signature->digest = EVP_MD_fetch(signature->provider->library, name, FSP_SOFTWARE);
	signature->hash = EVP_MD_CTX_new();
	return signature->digest && signature->hash &&
	       EVP_DigestInit_ex2(signature->hash, signature->digest, NULL);
}

static bool is_left_to_software(const struct fsp_signature *signature, enum fsp_task task)
{
	const struct fsp_signature_kind *kind = signature->kind;

	return kind->effort && signature->key &&
	       fsp_policy_rests(signature->provider, task, kind->effort(signature->key));
}

static void was_left_to_software(const struct fsp_signature *signature, enum fsp_task task)
{
	fsp_policy_rest(signature->provider, task, signature->kind->effort(signature->key));
}

static int soft_sign_final(struct fsp_signature *signature, unsigned char *out, size_t *size,
			   size_t capacity)
{
	return FSP_SOFT(signature->software, signature_digest_sign_final,
			SIGNATURE_DIGEST_SIGN_FINAL)(signature->soft, out, size, capacity);
}

static int soft_verify_final(struct fsp_signature *signature, const unsigned char *bytes,
			     size_t size)
{
	return FSP_SOFT(signature->software, signature_digest_verify_final,
			SIGNATURE_DIGEST_VERIFY_FINAL)(signature->soft, bytes, size);
}

/* What signing and verifying have of their own */
struct direction {
	OSSL_FUNC_signature_digest_sign_init_fn *init;
	OSSL_FUNC_signature_sign_init_fn *again;
	OSSL_FUNC_signature_digest_sign_update_fn *update;
	enum fsp_task task;
};

/*
 * Software begins with the message, which settles the digest, what may be set from then on, and all errors.  But it
 * would keep the digest to itself: so it then begins again, with the digest that we hash by, unless it is to do the
 * operation anyway.
 */
static int digest_begin(struct fsp_signature *signature, const char *digest, struct fsp_key *key,
			const OSSL_PARAM params[], const struct direction *direction)
{
	int answer;

	forget_digest(signature);
	answer = take_key(signature, key,
			  direction->init(signature->soft, digest, data_of(key), params));
	signature->plain = is_plain(params);
	if (answer <= 0 || signature->kind->whole)
		return answer;
	if (is_left_to_software(signature, direction->task)) {
		signature->update = direction->update;
		return answer;
	}
	signature->settable = FSP_SOFT(signature->software, signature_settable_ctx_params,
				       SIGNATURE_SETTABLE_CTX_PARAMS)(signature->soft,
								      signature->software->context);
	return direction->again(signature->soft, NULL, params) > 0 && begin_hash(signature);
}

int fsp_signature_digest_sign_init(void *opaque, const char *digest, void *key,
				   const OSSL_PARAM params[])
{
	struct fsp_signature *signature = opaque;
	const struct direction signing = {
		FSP_SOFT(signature->software, signature_digest_sign_init,
			 SIGNATURE_DIGEST_SIGN_INIT),
		FSP_SOFT(signature->software, signature_sign_init, SIGNATURE_SIGN_INIT),
		FSP_SOFT(signature->software, signature_digest_sign_update,
			 SIGNATURE_DIGEST_SIGN_UPDATE),
		signature->kind->sign_task,
	};

	return digest_begin(signature, digest, key, params, &signing);
}

int fsp_signature_digest_verify_init(void *opaque, const char *digest, void *key,
				     const OSSL_PARAM params[])
{
	struct fsp_signature *signature = opaque;
	const struct direction verifying = {
		FSP_SOFT(signature->software, signature_digest_verify_init,
			 SIGNATURE_DIGEST_VERIFY_INIT),
		FSP_SOFT(signature->software, signature_verify_init, SIGNATURE_VERIFY_INIT),
		FSP_SOFT(signature->software, signature_digest_verify_update,
			 SIGNATURE_DIGEST_VERIFY_UPDATE),
		signature->kind->verify_task,
	};

	return digest_begin(signature, digest, key, params, &verifying);
}

int fsp_signature_digest_update(void *opaque, const unsigned char *in, size_t size)
{
	struct fsp_signature *signature = opaque;

	if (signature->update)
		return signature->update(signature->soft, in, size);
	return signature->hash ? EVP_DigestUpdate(signature->hash, in, size) : 0;
}

int fsp_signature_digest_sign_final(void *opaque, unsigned char *out, size_t *size, size_t capacity)
{
	struct fsp_signature *signature = opaque;
	uint8_t digest[EVP_MAX_MD_SIZE];
	unsigned digest_size = 0;
	int answer;

	signature->settable = NULL;
	if (signature->update) {
		answer = soft_sign_final(signature, out, size, capacity);
		if (out && answer > 0)
			was_left_to_software(signature, signature->kind->sign_task);
		return answer;
	}
	if (!signature->hash)
		return 0;
	/* Software, too, takes a question for its size for the end of the message */
	if (!out)
		return soft_sign_final(signature, out, size, capacity);
	if (!EVP_DigestFinal_ex(signature->hash, digest, &digest_size))
		return 0;
	return fsp_signature_sign(signature, out, size, capacity, digest, digest_size);
}

int fsp_signature_digest_verify_final(void *opaque, const unsigned char *bytes, size_t size)
{
	struct fsp_signature *signature = opaque;
	uint8_t digest[EVP_MAX_MD_SIZE];
	unsigned digest_size = 0;

	signature->settable = NULL;
	if (signature->update) {
		if (size > 0)
			was_left_to_software(signature, signature->kind->verify_task);
		return soft_verify_final(signature, bytes, size);
	}
	if (!signature->hash || !EVP_DigestFinal_ex(signature->hash, digest, &digest_size) ||
	    (size == 0 && signature->kind->refuses_empty))
		return 0;
	return fsp_signature_verify(signature, bytes, size, digest, digest_size);
}

/* ---- whole messages ---- */

int fsp_signature_digest_sign(void *opaque, unsigned char *out, size_t *size, size_t capacity,
			      const unsigned char *in, size_t in_size)
{
	struct fsp_signature *signature = opaque;

	if (sign_on_core(signature, out, size, capacity, in, in_size))
		return 1;
	return FSP_SOFT(signature->software, signature_digest_sign,
			SIGNATURE_DIGEST_SIGN)(signature->soft, out, size, capacity, in, in_size);
}

int fsp_signature_digest_verify(void *opaque, const unsigned char *bytes, size_t size,
				const unsigned char *in, size_t in_size)
{
	struct fsp_signature *signature = opaque;

	if (verify_on_core(signature, bytes, size, in, in_size))
		return 1;
	return FSP_SOFT(signature->software, signature_digest_verify,
			SIGNATURE_DIGEST_VERIFY)(signature->soft, bytes, size, in, in_size);
}

#ifdef OSSL_FUNC_SIGNATURE_SIGN_MESSAGE_INIT

/* Those of a kind that is `whole`: an older libcrypto's default provider lacks them */
static int message_begin(struct fsp_signature *signature, struct fsp_key *key,
			 const OSSL_PARAM params[], OSSL_FUNC_signature_sign_init_fn *init)
{
	int answer = init ? begin(signature, key, params, init) : 0;

	signature->plain = is_plain(params);
	return answer;
}

int fsp_signature_message_sign_init(void *opaque, void *key, const OSSL_PARAM params[])
{
	struct fsp_signature *signature = opaque;

	return message_begin(signature, key, params,
			     FSP_SOFT(signature->software, signature_sign_message_init,
				      SIGNATURE_SIGN_MESSAGE_INIT));
}

int fsp_signature_message_verify_init(void *opaque, void *key, const OSSL_PARAM params[])
{
	struct fsp_signature *signature = opaque;

	return message_begin(signature, key, params,
			     FSP_SOFT(signature->software, signature_verify_message_init,
				      SIGNATURE_VERIFY_MESSAGE_INIT));
}

#endif

/* ---- parameters ---- */

/* Once a message has begun its digest stays.  Of one that does not exist software says so. */
static bool digest_stays(const struct fsp_signature *signature, const OSSL_PARAM params[])
{
	const OSSL_PARAM *param = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_DIGEST);
	char name[80], *text = name;
	EVP_MD *digest = NULL;
	bool stays;

	if (!param || !signature->settable)
		return true;
	ERR_set_mark();
	if (OSSL_PARAM_get_utf8_string(param, &text, sizeof(name)))
		digest = EVP_MD_fetch(signature->provider->library, name, FSP_SOFTWARE);
	ERR_pop_to_mark();
	stays = !digest || EVP_MD_is_a(signature->digest, name);
	EVP_MD_free(digest);
	return stays || fsp_failed(PROV_R_DIGEST_NOT_ALLOWED);
}

/* Where there is nothing to set, libcrypto says 0 */
int fsp_signature_set_ctx(void *opaque, const OSSL_PARAM params[])
{
	struct fsp_signature *signature = opaque;
	OSSL_FUNC_signature_set_ctx_params_fn *set = FSP_SOFT(
		signature->software, signature_set_ctx_params, SIGNATURE_SET_CTX_PARAMS);
	int answer;

	if (params && !digest_stays(signature, params))
		return 0;
	signature->plain = signature->plain && is_plain(params);
	if (signature->kind->changed)
		signature->kind->changed(signature);
	answer = set ? set(signature->soft, params) : 0;
	/* Another digest after a message ends it */
	if (answer > 0 && !signature->settable && !signature->update && params &&
	    OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_DIGEST))
		forget_digest(signature);
	return answer;
}

int fsp_signature_get_ctx(void *opaque, OSSL_PARAM params[])
{
	struct fsp_signature *signature = opaque;

	return FSP_SOFT(signature->software, signature_get_ctx_params,
			SIGNATURE_GET_CTX_PARAMS)(signature->soft, params);
}

bool fsp_signature_ask(const struct fsp_signature *signature, OSSL_PARAM params[])
{
	bool known;

	ERR_set_mark();
	known = fsp_signature_get_ctx((void *)signature, params) > 0;
	ERR_pop_to_mark();
	return known;
}

const OSSL_PARAM *fsp_signature_settable(struct fsp_signature *signature, void *provider,
					 const struct fsp_signature_kind *kind)
{
	const struct fsp_functions *software = fsp_software_find(provider, OSSL_OP_SIGNATURE,
								 kind->name, NULL);
	OSSL_FUNC_signature_settable_ctx_params_fn
		*settable = software ? FSP_SOFT(software, signature_settable_ctx_params,
						SIGNATURE_SETTABLE_CTX_PARAMS)
				     : NULL;

	if (signature && signature->settable)
		return signature->settable;
	return settable ? settable(signature ? signature->soft : NULL, software->context) : NULL;
}

const OSSL_PARAM *fsp_signature_gettable(struct fsp_signature *signature, void *provider,
					 const struct fsp_signature_kind *kind)
{
	const struct fsp_functions *software = fsp_software_find(provider, OSSL_OP_SIGNATURE,
								 kind->name, NULL);

	return software ? FSP_SOFT(software, signature_gettable_ctx_params,
				   SIGNATURE_GETTABLE_CTX_PARAMS)(
				  signature ? signature->soft : NULL, software->context)
			: NULL;
}

/* ---- parameters of the digest ---- */

int fsp_signature_get_md(void *opaque, OSSL_PARAM params[])
{
	struct fsp_signature *signature = opaque;

	if (signature->update)
		return FSP_SOFT(signature->software, signature_get_ctx_md_params,
				SIGNATURE_GET_CTX_MD_PARAMS)(signature->soft, params);
	return signature->hash && EVP_MD_CTX_get_params(signature->hash, params);
}

const OSSL_PARAM *fsp_signature_gettable_md(void *opaque)
{
	struct fsp_signature *signature = opaque;

	if (signature->update)
		return FSP_SOFT(signature->software, signature_gettable_ctx_md_params,
				SIGNATURE_GETTABLE_CTX_MD_PARAMS)(signature->soft);
	return signature->digest ? EVP_MD_gettable_ctx_params(signature->digest) : NULL;
}

int fsp_signature_set_md(void *opaque, const OSSL_PARAM params[])
{
	struct fsp_signature *signature = opaque;

	if (signature->update)
		return FSP_SOFT(signature->software, signature_set_ctx_md_params,
				SIGNATURE_SET_CTX_MD_PARAMS)(signature->soft, params);
	return signature->hash && EVP_MD_CTX_set_params(signature->hash, params);
}

const OSSL_PARAM *fsp_signature_settable_md(void *opaque)
{
	struct fsp_signature *signature = opaque;

	if (signature->update)
		return FSP_SOFT(signature->software, signature_settable_ctx_md_params,
				SIGNATURE_SETTABLE_CTX_MD_PARAMS)(signature->soft);
	return signature->digest ? EVP_MD_settable_ctx_params(signature->digest) : NULL;
}
