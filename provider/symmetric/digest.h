/* SPDX-License-Identifier: Apache-2.0 */
/* The digests' dispatch tables. */
#ifndef FSP_DIGEST_H
#define FSP_DIGEST_H

#include <openssl/core_dispatch.h>

extern const OSSL_DISPATCH fsp_sha1[], fsp_sha224[], fsp_sha256[], fsp_sha384[], fsp_sha512[];

#endif
