/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that has held secrets. */
#ifndef FSP_MEMORY_H
#define FSP_MEMORY_H

#include <stddef.h>

/*
 * Wipes memory and gives it back; NULL is allowed.  As firesteel_wipe() does, by the C library's
 * memset(): OPENSSL_cleanse() takes three instructions for each four bytes on ARM, and contexts of
 * MACs are copied and freed some hundred times in a handshake of TLS.
 */
void fsp_cleanse(void *memory, size_t size);

#endif
