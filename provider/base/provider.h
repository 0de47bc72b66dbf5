/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The provider's own state, which all operations share.
 *
 * Software is the default provider, fetched through a child library context with a property query
 * that names it: so nothing that is done in software comes back to us.
 */
#ifndef FSP_PROVIDER_H
#define FSP_PROVIDER_H

#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <firesteel/firesteel.h>

#include "base/settings.h"
#include "base/statistics.h"
#include "base/task.h"

#define FSP_SOFTWARE "provider=default"

#define FSP_TABLE     64
#define FSP_KEY_SIZES 9 /* in units of 8 bytes: up to 64 */
#define FSP_GROUPS    16

/* Algorithms of the default provider that are called directly: ciphers, keys, operations with keys,
 * their text */
#define FSP_ALGORITHMS 64

struct fsp_functions;
struct fsp_group;
struct fsp_soft;

struct fsp_provider {
	const OSSL_CORE_HANDLE *core;
	OSSL_LIB_CTX *library; /* the child context */
	_Atomic(OSSL_PROVIDER *) software; /* the default provider: base/software.h */
	struct fsp_functions *_Atomic functions[FSP_ALGORITHMS]; /* its algorithms, kept */
	OSSL_FUNC_BIO_read_ex_fn *bio_read; /* libcrypto's, for what decoders get */
	struct fsp_settings settings;
	struct fsp_statistics *statistics;
	struct firesteel *device; /* NULL: none, and no algorithms */
	struct firesteel_capabilities capabilities;
	char reason[FSP_TEXT_SIZE]; /* why not */
	char about[FSP_TEXT_SIZE + 32]; /* the build, and one of the two */
	struct fsp_policy policy;
	struct fsp_soft
		*_Atomic soft[FSP_TASKS][FSP_KEY_SIZES]; /* AES in software, looked up once */
	struct fsp_group *_Atomic groups[FSP_GROUPS]; /* named groups, made at first use */
	OSSL_ALGORITHM ciphers[FSP_TABLE], digests[FSP_TABLE], macs[FSP_TABLE];
	OSSL_ALGORITHM keys[FSP_TABLE], signatures[FSP_TABLE], exchanges[FSP_TABLE],
		asyms[FSP_TABLE], encoders[FSP_TABLE], decoders[FSP_TABLE];
};

#endif
