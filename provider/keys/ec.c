/* SPDX-License-Identifier: Apache-2.0 */
#include "keys/ec.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/objects.h>
#include <openssl/params.h>

#include "base/memory.h"
#include "base/policy.h"
#include "keys/number.h"

/* What the core has in hardware; libcrypto has its own names for the older two */
static const struct wired {
	const char *name;
	enum firesteel_curve_name curve;
	size_t bits;
} wired[] = {
	{ SN_X9_62_prime256v1, FIRESTEEL_P256, 256 },
	{ SN_secp384r1, FIRESTEEL_P384, 384 },
	{ SN_secp521r1, FIRESTEEL_P521, 521 },
	{ SN_X9_62_prime192v1, FIRESTEEL_P192, 192 },
};

#define CURVES (sizeof(wired) / sizeof(*wired))

static bool has_curve(const struct fsp_provider *provider, const struct wired *curve)
{
	return provider->capabilities.curves & 1u << curve->curve;
}

/* One more than the number in the table; 0: its curve has no name */
static unsigned look_up(const struct fsp_key *key)
{
	char name[FSP_KEY_NAME];
	unsigned i = 0;

	fsp_key_group(key, name);
	while (i < CURVES && strcmp(name, wired[i].name) != 0)
		i++;
	return *name ? i + 1 : 0;
}

/* NULL: the device does not have it.  Software takes long to name a key's group, so the key remembers it. */
static const struct wired *find(struct fsp_key *key)
{
	unsigned group = atomic_load_explicit(&key->group, memory_order_relaxed);

	if (!group) {
		group = look_up(key);
		atomic_store_explicit(&key->group, group, memory_order_relaxed);
	}
	if (!group || group > CURVES || !has_curve(key->provider, &wired[group - 1]))
		return NULL;
	return &wired[group - 1];
}

static const struct wired *trial_curve(const struct fsp_provider *provider)
{
	for (size_t i = 0; i < CURVES; i++)
		if (has_curve(provider, &wired[i]))
			return &wired[i];
	return NULL;
}

const char *fsp_ec_trial_curve(const struct fsp_provider *provider)
{
	const struct wired *curve = trial_curve(provider);

	return curve ? curve->name : NULL;
}

/* Twice the bits are twice the doublings, of which each takes four times as long; software is best at
 * P-256, so that for others this is less than it needs */
uint64_t fsp_ec_effort(const struct fsp_provider *provider, const struct fsp_ec *ec)
{
	const struct wired *curve = trial_curve(provider);
	uint64_t tried = curve ? curve->bits : ec->bits;

	return FSC_EFFORT * ec->bits * ec->bits / (tried * tried) * ec->bits / tried;
}

/* ---- the key ---- */

void fsp_ec_components_free(void *opaque)
{
	struct fsp_ec *ec = opaque;

	if (!ec)
		return;
	fsp_numbers_cleanse(&ec->secret, 1);
	fsp_numbers_cleanse(&ec->x, 1);
	fsp_numbers_cleanse(&ec->y, 1);
	fsp_cleanse(ec, sizeof(*ec));
}

static void describe(size_t bits, enum firesteel_curve_name name, struct fsp_ec *ec)
{
	const struct firesteel_bytes number = { NULL, (bits + 7) / 8 };

	*ec = (struct fsp_ec){
		.curve = { .name = name },
		.bits = bits,
		.size = number.size,
		.secret = number,
		.x = number,
		.y = number,
	};
}

static bool curve_of(struct fsp_key *key, struct fsp_ec *curve)
{
	const struct wired *found = find(key);

	if (found)
		describe(found->bits, found->curve, curve);
	return found;
}

bool fsp_ec_curve(struct fsp_key *key, struct fsp_ec *curve)
{
	const struct fsp_ec *known = fsp_key_known_components(key);

	if (known) {
		describe(known->bits, known->curve.name, curve);
		return true;
	}
	return curve_of(key, curve);
}

bool fsp_ec_curve_for(struct fsp_key *key, enum fsp_task task, struct fsp_ec *curve)
{
	if (fsp_ec_curve(key, curve))
		return true;
	fsp_policy_unfit(key->provider, task);
	return false;
}

bool fsp_ec_wants(struct fsp_provider *provider, enum fsp_task task,
		  const struct firesteel_request *request, const struct fsp_ec *curve)
{
	return fsp_policy_wants(provider, task, request, curve->bits,
				fsp_ec_effort(provider, curve));
}

void *fsp_ec_components_new(struct fsp_key *key)
{
	static const char *const names[] = { OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PKEY_PARAM_EC_PUB_X,
					     OSSL_PKEY_PARAM_EC_PUB_Y };
	struct firesteel_bytes components[3];
	struct fsp_ec *ec, curve;

	/* A point at infinity, of which there are no coordinates, ends here too */
	if (!curve_of(key, &curve) || !fsp_numbers_read(key, names, 3, FSP_EC_SIZE_MAX, components))
		return NULL;
	ec = OPENSSL_zalloc(sizeof(*ec));
	if (!ec) {
		fsp_numbers_cleanse(components, 3);
		return NULL;
	}
	ec->curve = curve.curve;
	ec->bits = curve.bits;
	ec->size = curve.size;
	ec->secret = components[0];
	ec->x = components[1];
	ec->y = components[2];
	return ec;
}

/* ---- generation ---- */

static bool plan(struct fsp_generation *generation)
{
	struct fsp_provider *provider = generation->provider;
	struct fsp_ec curve;

	if (!provider->settings.on[FSP_ECDH] ||
	    !fsp_ec_curve_for(generation->parameters, FSP_TASK_ECDH, &curve))
		return false;
	generation->secret.size = curve.size;
	generation->public.size = 1 + 2 * curve.size; /* an uncompressed point */
	generation->bits = curve.bits;
	/* Software knows multiples of the generator: it needs much less than for an exchange */
	generation->effort = fsp_ec_effort(provider, &curve) / 4;
	return true;
}

static struct firesteel_request request_of(const struct fsp_generation *generation)
{
	uint8_t *point = generation->public.data + 1;
	struct firesteel_request request = {
		.operation = FIRESTEEL_EC_PUBLIC,
		.ec_public = { .secret = fsp_number_of(generation->secret) },
	};
	struct fsp_ec curve;

	if (fsp_ec_curve(generation->parameters, &curve)) {
		request.ec_public.curve = curve.curve;
		request.ec_public.x = (struct firesteel_output){ point, curve.size };
		request.ec_public.y = (struct firesteel_output){ point + curve.size, curve.size };
	}
	return request;
}

/* 1 to the order less one */
static bool random_secret(struct fsp_generation *generation)
{
	uint8_t bytes[FSP_EC_SIZE_MAX];
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_EC_ORDER, bytes, sizeof(bytes)),
		OSSL_PARAM_construct_end(),
	};
	BIGNUM *order = NULL;
	bool good = fsp_key_get(generation->parameters, params) &&
		    (order = BN_native2bn(bytes, (int)params[0].return_size, NULL)) &&
		    fsp_number_random_below(generation->provider->library, order,
					    generation->secret);

	BN_free(order);
	return good;
}

/* Software looks whether the point is on the curve */
static void *assemble(struct fsp_generation *generation)
{
	uint8_t secret[FSP_EC_SIZE_MAX], *at = secret;
	const OSSL_PARAM params[] = {
		fsp_number_param(OSSL_PKEY_PARAM_PRIV_KEY, fsp_number_of(generation->secret), &at),
		OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, generation->public.data,
						  generation->public.size),
		OSSL_PARAM_construct_end(),
	};
	void *made;

	generation->public.data[0] = POINT_CONVERSION_UNCOMPRESSED;
	made = fsp_key_data_like(generation->parameters, OSSL_KEYMGMT_SELECT_KEYPAIR, params);
	firesteel_wipe(secret, sizeof(secret));
	return made;
}

const struct fsp_generator fsp_ec_generator = {
	.task = FSP_TASK_ECDH,
	.plan = plan,
	.request = request_of,
	.random = random_secret,
	.assemble = assemble,
	.checked = true,
};
