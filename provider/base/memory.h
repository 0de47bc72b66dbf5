/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that has held secrets. */
#ifndef FSP_MEMORY_H
#define FSP_MEMORY_H

#include <stddef.h>

/*
 * Wipes and frees memory; NULL is allowed.  It uses the C library's memset(), as firesteel_wipe()
 * does: OPENSSL_cleanse() takes three instructions for every four bytes on ARM.  A TLS handshake
 * copies and frees contexts of MACs some hundred times.
 */
void fsp_cleanse(void *memory, size_t size);

#endif
