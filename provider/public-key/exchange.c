/* SPDX-License-Identifier: Apache-2.0 */
#include "public-key/exchange.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include "base/error.h"

/* ---- life ---- */

void *fsp_exchange_new(void *provider, const struct fsp_exchange_kind *kind)
{
	struct fsp_exchange *exchange = OPENSSL_zalloc(sizeof(*exchange));

	if (!exchange)
		return NULL;
	exchange->provider = provider;
	exchange->kind = kind;
	return exchange;
}

void fsp_exchange_free(void *opaque)
{
	struct fsp_exchange *exchange = opaque;

	if (!exchange)
		return;
	EVP_PKEY_CTX_free(exchange->soft);
	fsp_key_drop(exchange->key);
	fsp_key_drop(exchange->peer);
	OPENSSL_free(exchange);
}

void *fsp_exchange_dup(void *opaque)
{
	const struct fsp_exchange *from = opaque;
	struct fsp_exchange *to = fsp_exchange_new(from->provider, from->kind);

	if (!to)
		return NULL;
	to->key = fsp_key_hold(from->key);
	to->peer = fsp_key_hold(from->peer);
	to->pad = from->pad;
	to->soft = from->soft ? EVP_PKEY_CTX_dup(from->soft) : NULL;
	if (!from->soft || to->soft)
		return to;
	fsp_exchange_free(to);
	return NULL;
}

/* ---- the exchange ---- */

static void note_padding(struct fsp_exchange *exchange, const OSSL_PARAM params[])
{
	const OSSL_PARAM *param = params ? OSSL_PARAM_locate_const(params, OSSL_EXCHANGE_PARAM_PAD)
					 : NULL;
	unsigned pad;

	if (param && OSSL_PARAM_get_uint(param, &pad))
		exchange->pad = pad != 0;
}

int fsp_exchange_init(void *opaque, void *key, const OSSL_PARAM params[])
{
	struct fsp_exchange *exchange = opaque;
	struct fsp_key *old = exchange->key;

	if (!key || !((struct fsp_key *)key)->software)
		return fsp_failed(PROV_R_NO_KEY_SET);
	exchange->key = fsp_key_hold(key);
	fsp_key_drop(old);
	fsp_key_drop(exchange->peer);
	exchange->peer = NULL;
	exchange->pad = false;
	note_padding(exchange, params);
	EVP_PKEY_CTX_free(exchange->soft);
	exchange->soft = EVP_PKEY_CTX_new_from_pkey(exchange->provider->library,
						    exchange->key->software, FSP_SOFTWARE);
	return exchange->soft && EVP_PKEY_derive_init_ex(exchange->soft, params) > 0;
}

/* libcrypto has had the peer's key validated, if that was wanted */
int fsp_exchange_set_peer(void *opaque, void *opaque_peer)
{
	struct fsp_exchange *exchange = opaque;
	struct fsp_key *peer = opaque_peer;

	if (!exchange->soft || !peer || !peer->software)
		return fsp_failed(PROV_R_NO_KEY_SET);
	if (EVP_PKEY_derive_set_peer_ex(exchange->soft, peer->software, 0) <= 0)
		return 0;
	fsp_key_hold(peer);
	fsp_key_drop(exchange->peer);
	exchange->peer = peer;
	return 1;
}

int fsp_exchange_derive(void *opaque, unsigned char *out, size_t *size, size_t capacity)
{
	struct fsp_exchange *exchange = opaque;

	if (!exchange->soft)
		return fsp_failed(PROV_R_NO_KEY_SET);
	if (out && exchange->peer && exchange->kind->derive &&
	    exchange->kind->derive(exchange, out, size, capacity))
		return 1;
	*size = capacity;
	return fsp_answer(EVP_PKEY_derive(exchange->soft, out, size));
}

/* ---- parameters ---- */

bool fsp_exchange_derives(const struct fsp_exchange *exchange)
{
	char kind[80] = "";
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_EXCHANGE_PARAM_KDF_TYPE, kind, sizeof(kind)),
		OSSL_PARAM_construct_end(),
	};
	bool known;

	ERR_set_mark();
	known = EVP_PKEY_CTX_get_params(exchange->soft, params) > 0;
	ERR_pop_to_mark();
	return !known || *kind;
}

int fsp_exchange_set_ctx(void *opaque, const OSSL_PARAM params[])
{
	struct fsp_exchange *exchange = opaque;

	if (!params || !params->key)
		return 1;
	if (!exchange->soft || EVP_PKEY_CTX_set_params(exchange->soft, params) <= 0)
		return 0;
	note_padding(exchange, params);
	return 1;
}

int fsp_exchange_get_ctx(void *opaque, OSSL_PARAM params[])
{
	const struct fsp_exchange *exchange = opaque;

	return exchange->soft && EVP_PKEY_CTX_get_params(exchange->soft, params) > 0;
}

static const OSSL_PARAM *ask(struct fsp_provider *provider, const char *name,
			     const OSSL_PARAM *(*question)(const EVP_KEYEXCH *))
{
	EVP_KEYEXCH *software = EVP_KEYEXCH_fetch(provider->library, name, FSP_SOFTWARE);
	const OSSL_PARAM *answer = software ? question(software) : NULL;

	EVP_KEYEXCH_free(software);
	return answer;
}

const OSSL_PARAM *fsp_exchange_settable(void *provider, const struct fsp_exchange_kind *kind)
{
	return ask(provider, kind->name, EVP_KEYEXCH_settable_ctx_params);
}

const OSSL_PARAM *fsp_exchange_gettable(void *provider, const struct fsp_exchange_kind *kind)
{
	return ask(provider, kind->name, EVP_KEYEXCH_gettable_ctx_params);
}
