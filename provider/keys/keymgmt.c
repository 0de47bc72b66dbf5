/* SPDX-License-Identifier: Apache-2.0 */
#include "keys/keymgmt.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

/* ---- life ---- */

void fsp_key_free(void *key)
{
	fsp_key_drop(key);
}

/* A reference of ours is a pointer to a pointer; the key becomes the caller's */
void *fsp_key_load(const void *reference, size_t size)
{
	struct fsp_key **place = (struct fsp_key **)reference;
	struct fsp_key *key;

	if (!reference || size != sizeof(key))
		return NULL;
	key = *place;
	*place = NULL;
	return key;
}

/* ---- what a key has ---- */

/* Of software's curves the largest has an order of 571 bits; explicit ones may have 661 */
#define SCALAR_MAX 96u

/* Whether software would give this parameter: it is asked for its size alone, if that can be */
static bool gives(const EVP_PKEY *software, const char *name)
{
	/* Of no type in particular: a number, a text or bytes, whose size is told for no buffer; a
	 * secret number of a curve, which always has its full size, wants a buffer */
	uint8_t scalar[SCALAR_MAX];
	const struct {
		unsigned type;
		void *data;
		size_t size;
	} ways[] = {
		{ OSSL_PARAM_UNSIGNED_INTEGER, NULL, 0 },
		{ OSSL_PARAM_UTF8_STRING, NULL, 0 },
		{ OSSL_PARAM_OCTET_STRING, NULL, 0 },
		{ OSSL_PARAM_UNSIGNED_INTEGER, scalar, sizeof(scalar) },
	};
	bool found = false;

	ERR_set_mark();
	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways) && !found; i++) {
		OSSL_PARAM params[] = {
			{ name, ways[i].type, ways[i].data, ways[i].size, OSSL_PARAM_UNMODIFIED },
			OSSL_PARAM_END,
		};

		found = EVP_PKEY_get_params(software, params) && OSSL_PARAM_modified(params) &&
			params[0].return_size > 0;
	}
	ERR_pop_to_mark();
	firesteel_wipe(scalar, sizeof(scalar));
	return found;
}

static bool has(const struct fsp_key *key, int selection)
{
	const struct {
		int part;
		const char *name;
	} parts[] = {
		{ OSSL_KEYMGMT_SELECT_PRIVATE_KEY, key->kind->private_part },
		{ OSSL_KEYMGMT_SELECT_PUBLIC_KEY, key->kind->public_part },
		{ OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS, key->kind->domain_part },
	};

	for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (selection & parts[i].part && parts[i].name &&
		    (!key->software || !gives(key->software, parts[i].name)))
			return false;
	return true;
}

int fsp_key_has_parts(const void *key, int selection)
{
	return key && has(key, selection);
}

int fsp_key_match(const void *one, const void *other, int selection)
{
	const struct fsp_key *a = one, *b = other;

	if (!a->software || !b->software)
		return 0;
	if (selection & OSSL_KEYMGMT_SELECT_KEYPAIR)
		return EVP_PKEY_eq(a->software, b->software) == 1;
	return EVP_PKEY_parameters_eq(a->software, b->software) == 1;
}

static bool valid(EVP_PKEY_CTX *context, int selection, bool quick)
{
	if (selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS &&
	    (quick ? EVP_PKEY_param_check_quick(context) : EVP_PKEY_param_check(context)) != 1)
		return false;
	if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == OSSL_KEYMGMT_SELECT_KEYPAIR)
		return EVP_PKEY_pairwise_check(context) == 1;
	if (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY)
		return EVP_PKEY_private_check(context) == 1;
	if (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY)
		return (quick ? EVP_PKEY_public_check_quick(context)
			      : EVP_PKEY_public_check(context)) == 1;
	return true;
}

int fsp_key_validate(const void *opaque, int selection, int type)
{
	const struct fsp_key *key = opaque;
	EVP_PKEY_CTX *context;
	bool good;

	if (!key->software)
		return 0;
	if (!key->kind->domain_part)
		selection &= ~OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS;
	context = EVP_PKEY_CTX_new_from_pkey(key->provider->library, key->software, FSP_SOFTWARE);
	good = context && valid(context, selection, type == OSSL_KEYMGMT_VALIDATE_QUICK_CHECK);
	EVP_PKEY_CTX_free(context);
	return good;
}

/* ---- import, export, copies ---- */

/* What a key has, of what can be had */
static int parts_of(const struct fsp_key *key, int selection)
{
	static const int parts[] = { OSSL_KEYMGMT_SELECT_PRIVATE_KEY,
				     OSSL_KEYMGMT_SELECT_PUBLIC_KEY,
				     OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS };

	for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!has(key, parts[i]))
			selection &= ~parts[i];
	return selection;
}

int fsp_key_import(void *opaque, int selection, const OSSL_PARAM params[])
{
	struct fsp_key *key = opaque;
	EVP_PKEY *made;

	if (key->software)
		/* more for a key that has something already */
		made = fsp_key_make_from(key->provider, key->kind->name, key->software,
					 parts_of(key, OSSL_KEYMGMT_SELECT_ALL), selection, params);
	else
		made = fsp_key_make(key->provider, key->kind->name, selection, params);
	if (!made)
		return 0;
	fsp_key_forget_components(key);
	EVP_PKEY_free(key->software);
	key->software = made;
	return 1;
}

int fsp_key_export(void *opaque, int selection, OSSL_CALLBACK *callback, void *argument)
{
	const struct fsp_key *key = opaque;

	return key->software && EVP_PKEY_export(key->software, selection, callback, argument);
}

static EVP_PKEY *copy(const struct fsp_key *from, int selection)
{
	OSSL_PARAM *params = NULL;
	EVP_PKEY *made = NULL;

	if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == OSSL_KEYMGMT_SELECT_KEYPAIR)
		return EVP_PKEY_dup(from->software);
	/* A server does so for each peer: no number goes through bytes and back */
	if (!(selection & OSSL_KEYMGMT_SELECT_KEYPAIR) && (made = EVP_PKEY_new())) {
		if (EVP_PKEY_copy_parameters(made, from->software) > 0)
			return made;
		EVP_PKEY_free(made);
		made = NULL;
	}
	if (EVP_PKEY_todata(from->software, selection, &params))
		made = fsp_key_make(from->provider, from->kind->name, selection, params);
	OSSL_PARAM_free(params);
	return made;
}

void *fsp_key_dup(const void *opaque, int selection)
{
	const struct fsp_key *from = opaque;
	struct fsp_key *to = fsp_key_new(from->provider, from->kind);

	if (!to || !from->software)
		return to;
	/* A copy of parts that are missing, or that this kind does not have, is empty */
	if (!(selection & OSSL_KEYMGMT_SELECT_KEYPAIR) && !from->kind->domain_part)
		return to;
	to->software = copy(from, selection);
	if (to->software)
		return to;
	fsp_key_drop(to);
	return NULL;
}

/* ---- parameters ---- */

static int tell_size(OSSL_PARAM params[], const char *name, int value)
{
	OSSL_PARAM *param = OSSL_PARAM_locate(params, name);

	return !param || OSSL_PARAM_set_int(param, value);
}

static int tell_sizes(const struct fsp_key_sizes *sizes, OSSL_PARAM params[])
{
	return tell_size(params, OSSL_PKEY_PARAM_BITS, sizes->bits) &&
	       tell_size(params, OSSL_PKEY_PARAM_SECURITY_BITS, sizes->security_bits) &&
	       tell_size(params, OSSL_PKEY_PARAM_MAX_SIZE, sizes->most);
}

int fsp_key_get_params(void *opaque, OSSL_PARAM params[])
{
	struct fsp_key *key = opaque;
	const void *components = fsp_key_known_components(key);

	if (key->kind->tell && components && params[0].key && !params[1].key &&
	    key->kind->tell(components, params))
		return 1;
	if (!key->software)
		return key->kind->sizes && tell_sizes(key->kind->sizes, params);
	return EVP_PKEY_get_params(key->software, params);
}

/* A key of a kind without domain parameters can begin with nothing, and get its public part as what
 * a peer has sent */
static int begin_with_public(struct fsp_key *key, const OSSL_PARAM params[])
{
	const OSSL_PARAM *encoded = OSSL_PARAM_locate_const(params,
							    OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY);
	OSSL_PARAM public[] = { OSSL_PARAM_END, OSSL_PARAM_END };

	if (key->kind->domain_part || !encoded || encoded->data_type != OSSL_PARAM_OCTET_STRING)
		return 0;
	public[0] = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, encoded->data,
						      encoded->data_size);
	key->software = fsp_key_make(key->provider, key->kind->name, OSSL_KEYMGMT_SELECT_PUBLIC_KEY,
				     public);
	return key->software != NULL;
}

int fsp_key_set_params(void *opaque, const OSSL_PARAM params[])
{
	struct fsp_key *key = opaque;

	if (!params || !params->key)
		return 1;
	if (!key->software)
		return begin_with_public(key, params);
	fsp_key_forget_components(key);
	return EVP_PKEY_set_params(key->software, (OSSL_PARAM *)params);
}

/* What software says of a kind.  The answer is a constant of the default provider's, which
 * outlives us: it is part of libcrypto. */
static const OSSL_PARAM *ask(struct fsp_provider *provider, const struct fsp_key_kind *kind,
			     const OSSL_PARAM *(*question)(const EVP_KEYMGMT *))
{
	EVP_KEYMGMT *software = EVP_KEYMGMT_fetch(provider->library, kind->name, FSP_SOFTWARE);
	const OSSL_PARAM *answer = software ? question(software) : NULL;

	EVP_KEYMGMT_free(software);
	return answer;
}

const OSSL_PARAM *fsp_key_gettable(void *provider, const struct fsp_key_kind *kind)
{
	return ask(provider, kind, EVP_KEYMGMT_gettable_params);
}

const OSSL_PARAM *fsp_key_settable(void *provider, const struct fsp_key_kind *kind)
{
	return ask(provider, kind, EVP_KEYMGMT_settable_params);
}

const OSSL_PARAM *fsp_key_gen_settable(void *provider, const struct fsp_key_kind *kind)
{
	return ask(provider, kind, EVP_KEYMGMT_gen_settable_params);
}

const OSSL_PARAM *fsp_key_types(const struct fsp_key_kind *kind, int selection)
{
	return selection & OSSL_KEYMGMT_SELECT_ALL ? kind->types : NULL;
}

const char *fsp_key_operation(const struct fsp_key_kind *kind, int operation)
{
	switch (operation) {
	case OSSL_OP_SIGNATURE:
		return kind->signature;
	case OSSL_OP_KEYEXCH:
		return kind->exchange;
	case OSSL_OP_ASYM_CIPHER:
		return kind->cipher;
	default:
		return NULL;
	}
}
