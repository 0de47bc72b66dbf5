/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Whether wolfCrypt's structures are those of the headers that this was compiled with. */
#ifndef FSW_LAYOUT_H
#define FSW_LAYOUT_H

#include <stdbool.h>

/*
 * They depend on wolfSSL's version and its options.  The version must have been compared: this is
 * for the options.  False also if wolfCrypt does not do what the comparison needs.  It uses static
 * memory: one thread at a time, after wolfCrypt_Init(), while the device is not registered.
 */
bool fsw_layout_is_known(void);

#endif
