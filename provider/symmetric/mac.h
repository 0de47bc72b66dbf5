/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the MACs have in common: the name of the algorithm below, which comes as a parameter, and the
 * default provider's MAC for messages that are software's.
 */
#ifndef FSP_MAC_H
#define FSP_MAC_H

#include <openssl/core_dispatch.h>

#include "base/provider.h"

#define FSP_MAC_NAME 64u

/* A MAC; a constant */
struct fsp_mac_kind {
	const char *name; /* the default provider's */
	const char *below; /* the parameter that names the digest or cipher */
	enum fsp_task task;
};

/* Begins a context of each */
struct fsp_mac {
	struct fsp_provider *provider;
	const struct fsp_mac_kind *kind;
	char below[FSP_MAC_NAME]; /* the digest or cipher that was asked for; empty: none yet */
	EVP_MAC_CTX *soft; /* NULL unless it does the message */
};

/* A context of `size` bytes, the rest of it zeros; NULL: no memory */
void *fsp_mac_new(void *provider, const struct fsp_mac_kind *kind, size_t size);

/* A copy with a separate software context; NULL: no memory */
void *fsp_mac_dup(const struct fsp_mac *mac, size_t size);

/* Software begins a message, with one more parameter if given.  NULL keeps the key.  It counts as
 * unfit work. */
bool fsp_mac_soft_begin(struct fsp_mac *mac, const uint8_t *key, size_t size,
			const OSSL_PARAM *more);

/* Software has nothing to do with the next message */
static inline void fsp_mac_soft_end(struct fsp_mac *mac)
{
	EVP_MAC_CTX_free(mac->soft);
	mac->soft = NULL;
}

/* Takes the name of a digest or cipher, which ends with a zero; strongSwan gives its size as 0.
 * false: no such name, or too long. */
bool fsp_mac_take_name(const OSSL_PARAM *param, char name[FSP_MAC_NAME]);

extern OSSL_FUNC_mac_gettable_ctx_params_fn fsp_mac_gettable_ctx;

#define FSP_MAC_FUNCTION(number, function) { OSSL_FUNC_MAC_##number, (void (*)(void))(function) }

extern const OSSL_DISPATCH fsp_hmac[], fsp_cmac[];

#endif
