/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signatures: what all algorithms have in common.
 *
 * A context of the default provider's takes all parameters and reports errors in them; a software
 * hash takes the message.  (If the policy leaves the operation to software when the message begins,
 * that context takes the message too, and copies of it do.)  If the core does the operation, it gets a digest (or other data to sign)
 * and the key's components.  If it fails, software starts again.  If the core rejects a signature,
 * software verifies it again.  So only software rejects a signature, and its answer is returned: 0
 * for a wrong signature, -1 for an unreadable one.
 *
 * A new algorithm needs a struct fsp_signature_kind and FSP_SIGNATURE_TABLE() (names.c).
 */
#ifndef FSP_SIGNATURE_H
#define FSP_SIGNATURE_H

#include <openssl/core_dispatch.h>

#include "keys/key.h"

struct fsp_signature;

/* An algorithm; a constant.  If a function is NULL, software does the operation. */
struct fsp_signature_kind {
	const char *name; /* the default provider's */
	bool whole; /* it signs messages, not digests: all at once */
	/*
	 * Signs on the core if that pays: `out` has space for any signature of this key.
	 * false: software must do it, and nothing confidential has been written.
	 */
	bool (*sign)(struct fsp_signature *signature, uint8_t *out, size_t *size, const uint8_t *in,
		     size_t in_size);
	/* Whether the core, if it pays, accepts this signature */
	bool (*verify)(struct fsp_signature *signature, const uint8_t *bytes, size_t size,
		       const uint8_t *in, size_t in_size);
	/* The effort of software with this key (FSC_EFFORT); UINT64_MAX: unknown.  NULL: never known */
	uint64_t (*effort)(struct fsp_key *key);
	enum fsp_task sign_task, verify_task; /* of that effort */
	bool refuses_empty; /* an empty signature after a message is refused unread */
	size_t state_size; /* of the algorithm's own state, which is zeroed at first */
	/* Parameters or key have changed */
	void (*changed)(struct fsp_signature *signature);
	void (*state_free)(void *state); /* the memory that the state points at */
};

struct fsp_signature {
	struct fsp_provider *provider;
	const struct fsp_signature_kind *kind;
	const struct fsp_functions *software; /* the default provider's algorithm */
	void *soft; /* its context */
	struct fsp_key *key; /* NULL: not begun */
	EVP_MD *digest; /* of the message; NULL: there is none, or it is software's */
	EVP_MD_CTX *hash; /* NULL: not begun, or software's */
	/* Software's own, if it got the message; otherwise NULL */
	OSSL_FUNC_signature_digest_sign_update_fn *update;
	const OSSL_PARAM *settable; /* while there is one */
	bool plain; /* of a kind that is `whole`: no parameters that matter have been set */
	void *state; /* the algorithm's own */
};

void *fsp_signature_new(void *provider, const struct fsp_signature_kind *kind);

/* Software's parameters of an operation that has begun */
bool fsp_signature_ask(const struct fsp_signature *signature, OSSL_PARAM params[]);

const OSSL_PARAM *fsp_signature_settable(struct fsp_signature *signature, void *provider,
					 const struct fsp_signature_kind *kind);
const OSSL_PARAM *fsp_signature_gettable(struct fsp_signature *signature, void *provider,
					 const struct fsp_signature_kind *kind);

extern OSSL_FUNC_signature_freectx_fn fsp_signature_free;
extern OSSL_FUNC_signature_dupctx_fn fsp_signature_dup;
extern OSSL_FUNC_signature_sign_init_fn fsp_signature_sign_init;
extern OSSL_FUNC_signature_sign_fn fsp_signature_sign;
extern OSSL_FUNC_signature_verify_init_fn fsp_signature_verify_init;
extern OSSL_FUNC_signature_verify_fn fsp_signature_verify;
extern OSSL_FUNC_signature_verify_recover_init_fn fsp_signature_recover_init;
extern OSSL_FUNC_signature_verify_recover_fn fsp_signature_recover;
extern OSSL_FUNC_signature_digest_sign_init_fn fsp_signature_digest_sign_init;
extern OSSL_FUNC_signature_digest_sign_update_fn fsp_signature_digest_update;
extern OSSL_FUNC_signature_digest_sign_final_fn fsp_signature_digest_sign_final;
extern OSSL_FUNC_signature_digest_sign_fn fsp_signature_digest_sign;
extern OSSL_FUNC_signature_digest_verify_init_fn fsp_signature_digest_verify_init;
extern OSSL_FUNC_signature_digest_verify_final_fn fsp_signature_digest_verify_final;
extern OSSL_FUNC_signature_digest_verify_fn fsp_signature_digest_verify;
extern OSSL_FUNC_signature_sign_init_fn fsp_signature_message_sign_init;
extern OSSL_FUNC_signature_verify_init_fn fsp_signature_message_verify_init;
extern OSSL_FUNC_signature_get_ctx_params_fn fsp_signature_get_ctx;
extern OSSL_FUNC_signature_set_ctx_params_fn fsp_signature_set_ctx;
extern OSSL_FUNC_signature_get_ctx_md_params_fn fsp_signature_get_md;
extern OSSL_FUNC_signature_gettable_ctx_md_params_fn fsp_signature_gettable_md;
extern OSSL_FUNC_signature_set_ctx_md_params_fn fsp_signature_set_md;
extern OSSL_FUNC_signature_settable_ctx_md_params_fn fsp_signature_settable_md;

extern const OSSL_DISPATCH fsp_signature_rsa[], fsp_signature_ecdsa[], fsp_signature_ed25519[];

#define FSP_SIGNATURE_FUNCTION(number, function) \
	{ OSSL_FUNC_SIGNATURE_##number, (void (*)(void))(function) }

#define FSP_SIGNATURE_FUNCTIONS(id)                                               \
	static void *new_##id(void *provider, const char *properties)             \
	{                                                                         \
		(void)properties; /* software is always the default provider's */ \
		return fsp_signature_new(provider, &id##_kind);                   \
	}                                                                         \
	static const OSSL_PARAM *settable_##id(void *signature, void *provider)   \
	{                                                                         \
		return fsp_signature_settable(signature, provider, &id##_kind);   \
	}                                                                         \
	static const OSSL_PARAM *gettable_##id(void *signature, void *provider)   \
	{                                                                         \
		return fsp_signature_gettable(signature, provider, &id##_kind);   \
	}

#define FSP_SIGNATURE_COMMON(id)                                                              \
	FSP_SIGNATURE_FUNCTION(NEWCTX, new_##id),                                             \
		FSP_SIGNATURE_FUNCTION(FREECTX, fsp_signature_free),                          \
		FSP_SIGNATURE_FUNCTION(DUPCTX, fsp_signature_dup),                            \
		FSP_SIGNATURE_FUNCTION(DIGEST_SIGN_INIT, fsp_signature_digest_sign_init),     \
		FSP_SIGNATURE_FUNCTION(DIGEST_VERIFY_INIT, fsp_signature_digest_verify_init), \
		FSP_SIGNATURE_FUNCTION(GET_CTX_PARAMS, fsp_signature_get_ctx),                \
		FSP_SIGNATURE_FUNCTION(GETTABLE_CTX_PARAMS, gettable_##id),                   \
		FSP_SIGNATURE_FUNCTION(SET_CTX_PARAMS, fsp_signature_set_ctx),                \
		FSP_SIGNATURE_FUNCTION(SETTABLE_CTX_PARAMS, settable_##id)

/* Whole messages by EVP_PKEY_sign_message_init(), from OpenSSL 3.4 on.  EVP_PKEY_sign_init() is for
 * their hashes, which software signs. */
#ifdef OSSL_FUNC_SIGNATURE_SIGN_MESSAGE_INIT
#define FSP_SIGNATURE_MESSAGES                                                                  \
	FSP_SIGNATURE_FUNCTION(SIGN_INIT, fsp_signature_sign_init),                             \
		FSP_SIGNATURE_FUNCTION(SIGN_MESSAGE_INIT, fsp_signature_message_sign_init),     \
		FSP_SIGNATURE_FUNCTION(SIGN, fsp_signature_sign),                               \
		FSP_SIGNATURE_FUNCTION(VERIFY_INIT, fsp_signature_verify_init),                 \
		FSP_SIGNATURE_FUNCTION(VERIFY_MESSAGE_INIT, fsp_signature_message_verify_init), \
		FSP_SIGNATURE_FUNCTION(VERIFY, fsp_signature_verify),
#else
#define FSP_SIGNATURE_MESSAGES
#endif

#define FSP_SIGNATURE_DIGESTS                                                                   \
	FSP_SIGNATURE_FUNCTION(SIGN_INIT, fsp_signature_sign_init),                             \
		FSP_SIGNATURE_FUNCTION(SIGN, fsp_signature_sign),                               \
		FSP_SIGNATURE_FUNCTION(VERIFY_INIT, fsp_signature_verify_init),                 \
		FSP_SIGNATURE_FUNCTION(VERIFY, fsp_signature_verify),                           \
		FSP_SIGNATURE_FUNCTION(DIGEST_SIGN_UPDATE, fsp_signature_digest_update),        \
		FSP_SIGNATURE_FUNCTION(DIGEST_SIGN_FINAL, fsp_signature_digest_sign_final),     \
		FSP_SIGNATURE_FUNCTION(DIGEST_VERIFY_UPDATE, fsp_signature_digest_update),      \
		FSP_SIGNATURE_FUNCTION(DIGEST_VERIFY_FINAL, fsp_signature_digest_verify_final), \
		FSP_SIGNATURE_FUNCTION(GET_CTX_MD_PARAMS, fsp_signature_get_md),                \
		FSP_SIGNATURE_FUNCTION(GETTABLE_CTX_MD_PARAMS, fsp_signature_gettable_md),      \
		FSP_SIGNATURE_FUNCTION(SET_CTX_MD_PARAMS, fsp_signature_set_md),                \
		FSP_SIGNATURE_FUNCTION(SETTABLE_CTX_MD_PARAMS, fsp_signature_settable_md)

/* fsp_signature_ID, a dispatch table for struct fsp_signature_kind ID_kind, which signs digests */
#define FSP_SIGNATURE_TABLE(id)                      \
	FSP_SIGNATURE_FUNCTIONS(id)                  \
	const OSSL_DISPATCH fsp_signature_##id[] = { \
		FSP_SIGNATURE_COMMON(id),            \
		FSP_SIGNATURE_DIGESTS,               \
		{ 0, NULL },                         \
	}

/* The same for a kind whose signatures reveal the digest */
#define FSP_SIGNATURE_RECOVER_TABLE(id)                                                  \
	FSP_SIGNATURE_FUNCTIONS(id)                                                      \
	const OSSL_DISPATCH fsp_signature_##id[] = {                                     \
		FSP_SIGNATURE_COMMON(id),                                                \
		FSP_SIGNATURE_DIGESTS,                                                   \
		FSP_SIGNATURE_FUNCTION(VERIFY_RECOVER_INIT, fsp_signature_recover_init), \
		FSP_SIGNATURE_FUNCTION(VERIFY_RECOVER, fsp_signature_recover),           \
		{ 0, NULL },                                                             \
	}

/* The same for a kind that signs whole messages */
#define FSP_SIGNATURE_WHOLE_TABLE(id)                                               \
	FSP_SIGNATURE_FUNCTIONS(id)                                                 \
	const OSSL_DISPATCH fsp_signature_##id[] = {                                \
		FSP_SIGNATURE_COMMON(id),                                           \
		FSP_SIGNATURE_FUNCTION(DIGEST_SIGN, fsp_signature_digest_sign),     \
		FSP_SIGNATURE_FUNCTION(DIGEST_VERIFY, fsp_signature_digest_verify), \
		FSP_SIGNATURE_MESSAGES{ 0, NULL },                                  \
	}

#endif
