/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FSP_CBC_RECORD_H
#define FSP_CBC_RECORD_H

#include "symmetric/cipher.h"

/* One TLS record in place, with padding */
bool fsp_cbc_record(struct fsp_cipher *cipher, uint8_t *record, size_t *size, size_t capacity);

#endif
