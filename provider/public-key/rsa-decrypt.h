/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FSP_RSA_DECRYPT_H
#define FSP_RSA_DECRYPT_H

#include "keys/rsa.h"

/*
 * Decryption on the core, with the parameters of software's context. false: software must do it;
 * otherwise *answer is the operation's return value.
 */
bool fsp_rsa_decrypt(struct fsp_rsa *rsa, const struct fsp_functions *software, void *soft,
		     uint8_t *out, size_t *size, size_t capacity, const uint8_t *in, size_t in_size,
		     int *answer);

#endif
