/* SPDX-License-Identifier: Apache-2.0 */
#include "keys/group.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

struct fsp_group {
	const struct fsp_key_kind *kind;
	char name[32];
	struct fsp_key *key;
};

/* ---- making ---- */

static void *generate(const struct fsp_functions *software, const char *name)
{
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)name, 0),
		OSSL_PARAM_construct_end(),
	};
	void *soft, *made;

	ERR_set_mark();
	soft = FSP_SOFT(software, keymgmt_gen_init, KEYMGMT_GEN_INIT)(
		software->context, OSSL_KEYMGMT_SELECT_ALL_PARAMETERS, params);
	made = soft ? FSP_SOFT(software, keymgmt_gen, KEYMGMT_GEN)(soft, NULL, NULL) : NULL;
	ERR_pop_to_mark();
	if (soft)
		FSP_SOFT(software, keymgmt_gen_cleanup, KEYMGMT_GEN_CLEANUP)(soft);
	return made;
}

static struct fsp_key *make_key(struct fsp_provider *provider, const struct fsp_key_kind *kind,
				const char *name)
{
	return fsp_key_wrap(provider, kind, generate(fsp_key_software(provider, kind), name));
}

static void free_group(struct fsp_group *group)
{
	if (group)
		fsp_key_drop(group->key);
	OPENSSL_free(group);
}

/* ---- keeping ---- */

static bool is(const struct fsp_group *group, const struct fsp_key_kind *kind, const char *name)
{
	return group->kind == kind && strcmp(group->name, name) == 0;
}

/* The first place that has this group, or none; NULL: all have others */
static struct fsp_group *_Atomic *place_of(struct fsp_provider *provider,
					   const struct fsp_key_kind *kind, const char *name)
{
	for (unsigned i = 0; i < FSP_GROUPS; i++) {
		const struct fsp_group *there = atomic_load(&provider->groups[i]);

		if (!there || is(there, kind, name))
			return &provider->groups[i];
	}
	return NULL;
}

/* Keeps a reference to the key of its own, if there is a place */
static void keep(struct fsp_provider *provider, struct fsp_key *key, const char *name)
{
	struct fsp_group *group = OPENSSL_zalloc(sizeof(*group)), *none = NULL;
	struct fsp_group *_Atomic *place = place_of(provider, key->kind, name);

	if (!group || !place) {
		OPENSSL_free(group);
		return;
	}
	group->kind = key->kind;
	strcpy(group->name, name);
	group->key = fsp_key_hold(key);
	/* Another thread was faster, maybe with another group: that one is kept */
	if (!atomic_compare_exchange_strong(place, &none, group))
		free_group(group);
}

struct fsp_key *fsp_group_find(struct fsp_provider *provider, const struct fsp_key_kind *kind,
			       const char *name)
{
	struct fsp_group *_Atomic *place = place_of(provider, kind, name);
	const struct fsp_group *group = place ? atomic_load(place) : NULL;
	struct fsp_key *key;

	if (group && is(group, kind, name))
		return fsp_key_hold(group->key);
	key = make_key(provider, kind, name);
	if (key && strlen(name) < sizeof(group->name))
		keep(provider, key, name);
	return key;
}

void fsp_groups_free(struct fsp_provider *provider)
{
	for (unsigned i = 0; i < FSP_GROUPS; i++)
		free_group(atomic_load(&provider->groups[i]));
}
