/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Key exchange: what all algorithms have in common.
 *
 * A context of the default provider's takes all parameters and both keys.  The core does the bare exchange; software
 * does all of it if a key derivation follows, and whenever the core does not do it.
 *
 * A new algorithm needs a struct fsp_exchange_kind and FSP_EXCHANGE_TABLE() (names.c).
 */
#ifndef FSP_EXCHANGE_H
#define FSP_EXCHANGE_H

#include <openssl/core_dispatch.h>

#include "keys/key.h"

struct fsp_exchange;

/* An algorithm; a constant */
struct fsp_exchange_kind {
	const char *name; /* the default provider's */
	/*
	 * Computes the shared secret on the core, if that pays; `out` has `capacity` bytes.
	 * false: software must do it.  NULL: always.
	 */
	bool (*derive)(struct fsp_exchange *exchange, uint8_t *out, size_t *size, size_t capacity);
};

struct fsp_exchange {
	struct fsp_provider *provider;
	const struct fsp_exchange_kind *kind;
	const struct fsp_functions *software; /* the default provider's algorithm */
	void *soft; /* its context */
	struct fsp_key *key, *peer; /* NULL: not begun; not set yet */
	bool pad; /* DH: as many bytes as the prime has */
};

/* Whether there is more to do than the bare exchange */
bool fsp_exchange_derives(const struct fsp_exchange *exchange);

void *fsp_exchange_new(void *provider, const struct fsp_exchange_kind *kind);
const OSSL_PARAM *fsp_exchange_settable(void *provider, const struct fsp_exchange_kind *kind);
const OSSL_PARAM *fsp_exchange_gettable(void *provider, const struct fsp_exchange_kind *kind);

extern OSSL_FUNC_keyexch_init_fn fsp_exchange_init;
extern OSSL_FUNC_keyexch_derive_fn fsp_exchange_derive;
extern OSSL_FUNC_keyexch_set_peer_fn fsp_exchange_set_peer;
extern OSSL_FUNC_keyexch_freectx_fn fsp_exchange_free;
extern OSSL_FUNC_keyexch_dupctx_fn fsp_exchange_dup;
extern OSSL_FUNC_keyexch_set_ctx_params_fn fsp_exchange_set_ctx;
extern OSSL_FUNC_keyexch_get_ctx_params_fn fsp_exchange_get_ctx;

extern const OSSL_DISPATCH fsp_exchange_dh[], fsp_exchange_ecdh[], fsp_exchange_x25519[];

#define FSP_EXCHANGE_FUNCTION(number, function) \
	{ OSSL_FUNC_KEYEXCH_##number, (void (*)(void))(function) }

/* fsp_exchange_ID, a dispatch table for struct fsp_exchange_kind ID_kind */
#define FSP_EXCHANGE_TABLE(id)                                                 \
	static void *new_##id(void *provider)                                  \
	{                                                                      \
		return fsp_exchange_new(provider, &id##_kind);                 \
	}                                                                      \
	static const OSSL_PARAM *settable_##id(void *exchange, void *provider) \
	{                                                                      \
		(void)exchange;                                                \
		return fsp_exchange_settable(provider, &id##_kind);            \
	}                                                                      \
	static const OSSL_PARAM *gettable_##id(void *exchange, void *provider) \
	{                                                                      \
		(void)exchange;                                                \
		return fsp_exchange_gettable(provider, &id##_kind);            \
	}                                                                      \
	const OSSL_DISPATCH fsp_exchange_##id[] = {                            \
		FSP_EXCHANGE_FUNCTION(NEWCTX, new_##id),                       \
		FSP_EXCHANGE_FUNCTION(INIT, fsp_exchange_init),                \
		FSP_EXCHANGE_FUNCTION(DERIVE, fsp_exchange_derive),            \
		FSP_EXCHANGE_FUNCTION(SET_PEER, fsp_exchange_set_peer),        \
		FSP_EXCHANGE_FUNCTION(FREECTX, fsp_exchange_free),             \
		FSP_EXCHANGE_FUNCTION(DUPCTX, fsp_exchange_dup),               \
		FSP_EXCHANGE_FUNCTION(SET_CTX_PARAMS, fsp_exchange_set_ctx),   \
		FSP_EXCHANGE_FUNCTION(SETTABLE_CTX_PARAMS, settable_##id),     \
		FSP_EXCHANGE_FUNCTION(GET_CTX_PARAMS, fsp_exchange_get_ctx),   \
		FSP_EXCHANGE_FUNCTION(GETTABLE_CTX_PARAMS, gettable_##id),     \
		{ 0, NULL },                                                   \
	}

#endif
