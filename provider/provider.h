/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The provider's own state, which all operations share.
 *
 * Software is the default provider, fetched through a child library context with a property query
 * that names it: so nothing that is done in software comes back to us.
 */
#ifndef FSP_PROVIDER_H
#define FSP_PROVIDER_H

#include <stdatomic.h>

#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <firesteel/firesteel.h>

#include "settings.h"
#include "soft.h"
#include "statistics.h"

#define FSP_SOFTWARE "provider=default"

/* What is known of a kind of work on this device */
enum fsp_trust { FSP_UNTRIED, FSP_TRYING, FSP_TRUSTED, FSP_DISTRUSTED };

#define FSP_TABLE     64
#define FSP_KEY_SIZES 9 /* in units of 8 bytes: up to 64 */

struct fsp_provider {
	const OSSL_CORE_HANDLE *core;
	OSSL_LIB_CTX *library; /* the child context */
	OSSL_FUNC_BIO_read_ex_fn *bio_read; /* libcrypto's, for what decoders get */
	struct fsp_settings settings;
	struct fsp_statistics *statistics;
	struct firesteel *device; /* NULL: none, and no algorithms */
	struct firesteel_capabilities capabilities;
	char reason[FSP_TEXT_SIZE]; /* why not */
	char about[FSP_TEXT_SIZE + 32]; /* the build, and one of the two */
	atomic_int trust[FSP_WORKS]; /* enum fsp_trust */
	atomic_int task_trust[FSP_TASKS]; /* enum fsp_trust */
	atomic_llong task_ns[FSP_TASKS]; /* what software takes for the task's trial */
	atomic_size_t break_even[FSP_WORKS]; /* bytes, at least 1, once it is trusted; 0 */
	struct fsp_soft *_Atomic soft[FSP_WORKS][FSP_KEY_SIZES]; /* see soft.h */
	OSSL_ALGORITHM ciphers[FSP_TABLE], digests[FSP_TABLE], macs[FSP_TABLE];
	OSSL_ALGORITHM keys[FSP_TABLE], signatures[FSP_TABLE], exchanges[FSP_TABLE],
		asyms[FSP_TABLE], decoders[FSP_TABLE];
};

/* An algorithm and the kind of work that it is */
struct fsp_algorithm {
	OSSL_ALGORITHM algorithm;
	enum fsp_work work;
	unsigned needs; /* a bit of the capabilities' modes, digests or curves */
};

/*
 * Wipes memory and gives it back; NULL is allowed.  As firesteel_wipe() does, by the C library's
 * memset(): OPENSSL_cleanse() takes three instructions for each four bytes on ARM, and contexts of
 * MACs are copied and freed some hundred times in a handshake of TLS.
 */
void fsp_cleanse(void *memory, size_t size);

/*
 * What a function of EVP's answered that has called software for us.  Where software raises no error,
 * newer versions of EVP raise one of their own; the caller's EVP does that again if it is its way, so
 * the one from here goes.
 */
int fsp_answer(int returned);

/* Raises an error (PROV_R_*) and is false */
bool fsp_failed(int reason);

/* Ends with a NULL name */
extern const struct fsp_algorithm fsp_ciphers[], fsp_digests[], fsp_macs[];
extern const struct fsp_algorithm fsp_keys[], fsp_signatures[], fsp_exchanges[], fsp_asyms[],
	fsp_decoders[];

#endif
