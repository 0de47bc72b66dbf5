/* SPDX-License-Identifier: Apache-2.0 */
#include "public-key/exchange.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

/* ---- life ---- */

static const struct fsp_functions *find(struct fsp_provider *provider,
					const struct fsp_exchange_kind *kind)
{
	return fsp_software_find(provider, OSSL_OP_KEYEXCH, kind->name, NULL);
}

void fsp_exchange_free(void *opaque)
{
	struct fsp_exchange *exchange = opaque;

	if (!exchange)
		return;
	if (exchange->soft)
		FSP_SOFT(exchange->software, keyexch_freectx, KEYEXCH_FREECTX)(exchange->soft);
	fsp_key_drop(exchange->key);
	fsp_key_drop(exchange->peer);
	OPENSSL_free(exchange);
}

/* Takes over software's context, also if it fails */
static struct fsp_exchange *wrap(struct fsp_provider *provider,
				 const struct fsp_exchange_kind *kind,
				 const struct fsp_functions *software, void *soft)
{
	struct fsp_exchange *exchange = soft ? OPENSSL_zalloc(sizeof(*exchange)) : NULL;

	if (exchange) {
		exchange->provider = provider;
		exchange->kind = kind;
		exchange->software = software;
		exchange->soft = soft;
	} else if (soft) {
		FSP_SOFT(software, keyexch_freectx, KEYEXCH_FREECTX)(soft);
	}
	return exchange;
}

void *fsp_exchange_new(void *provider, const struct fsp_exchange_kind *kind)
{
	const struct fsp_functions *software = find(provider, kind);

	if (!software)
		return NULL;
	return wrap(provider, kind, software,
		    FSP_SOFT(software, keyexch_newctx, KEYEXCH_NEWCTX)(software->context));
}

void *fsp_exchange_dup(void *opaque)
{
	const struct fsp_exchange *from = opaque;
	struct fsp_exchange *to = wrap(
		from->provider, from->kind, from->software,
		FSP_SOFT(from->software, keyexch_dupctx, KEYEXCH_DUPCTX)(from->soft));

	if (!to)
		return NULL;
	to->key = fsp_key_hold(from->key);
	to->peer = fsp_key_hold(from->peer);
	to->pad = from->pad;
	return to;
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

int fsp_exchange_init(void *opaque, void *opaque_key, const OSSL_PARAM params[])
{
	struct fsp_exchange *exchange = opaque;
	struct fsp_key *key = opaque_key, *old = exchange->key;
	int answer = FSP_SOFT(exchange->software, keyexch_init,
			      KEYEXCH_INIT)(exchange->soft, key ? key->data : NULL, params);

	if (!key || answer <= 0)
		return answer;
	exchange->key = fsp_key_hold(key);
	fsp_key_drop(old);
	fsp_key_drop(exchange->peer);
	exchange->peer = NULL;
	exchange->pad = false;
	note_padding(exchange, params);
	return answer;
}

/* libcrypto has had the peer's key validated, if that was wanted */
int fsp_exchange_set_peer(void *opaque, void *opaque_peer)
{
	struct fsp_exchange *exchange = opaque;
	struct fsp_key *peer = opaque_peer, *old = exchange->peer;
	int answer = FSP_SOFT(exchange->software, keyexch_set_peer,
			      KEYEXCH_SET_PEER)(exchange->soft, peer ? peer->data : NULL);

	if (!peer || answer <= 0)
		return answer;
	exchange->peer = fsp_key_hold(peer);
	fsp_key_drop(old);
	return answer;
}

int fsp_exchange_derive(void *opaque, unsigned char *out, size_t *size, size_t capacity)
{
	struct fsp_exchange *exchange = opaque;

	if (out && exchange->key && exchange->peer && exchange->kind->derive &&
	    exchange->kind->derive(exchange, out, size, capacity))
		return 1;
	return FSP_SOFT(exchange->software, keyexch_derive, KEYEXCH_DERIVE)(exchange->soft, out,
									    size, capacity);
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
	known = fsp_exchange_get_ctx((void *)exchange, params) > 0;
	ERR_pop_to_mark();
	return !known || *kind;
}

/* Where there is nothing to set or get, libcrypto says 0 */
int fsp_exchange_set_ctx(void *opaque, const OSSL_PARAM params[])
{
	struct fsp_exchange *exchange = opaque;
	OSSL_FUNC_keyexch_set_ctx_params_fn *set = FSP_SOFT(
		exchange->software, keyexch_set_ctx_params, KEYEXCH_SET_CTX_PARAMS);
	int answer = set ? set(exchange->soft, params) : 0;

	if (answer > 0)
		note_padding(exchange, params);
	return answer;
}

int fsp_exchange_get_ctx(void *opaque, OSSL_PARAM params[])
{
	const struct fsp_exchange *exchange = opaque;
	OSSL_FUNC_keyexch_get_ctx_params_fn *get = FSP_SOFT(
		exchange->software, keyexch_get_ctx_params, KEYEXCH_GET_CTX_PARAMS);

	return get ? get(exchange->soft, params) : 0;
}

const OSSL_PARAM *fsp_exchange_settable(void *provider, const struct fsp_exchange_kind *kind)
{
	const struct fsp_functions *software = find(provider, kind);
	OSSL_FUNC_keyexch_settable_ctx_params_fn
		*settable = software ? FSP_SOFT(software, keyexch_settable_ctx_params,
						KEYEXCH_SETTABLE_CTX_PARAMS)
				     : NULL;

	return settable ? settable(NULL, software->context) : NULL;
}

const OSSL_PARAM *fsp_exchange_gettable(void *provider, const struct fsp_exchange_kind *kind)
{
	const struct fsp_functions *software = find(provider, kind);
	OSSL_FUNC_keyexch_gettable_ctx_params_fn
		*gettable = software ? FSP_SOFT(software, keyexch_gettable_ctx_params,
						KEYEXCH_GETTABLE_CTX_PARAMS)
				     : NULL;

	return gettable ? gettable(NULL, software->context) : NULL;
}
