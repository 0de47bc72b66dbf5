/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Whether wolfCrypt's structures equal those in the headers at compile time. */
#ifndef FSW_LAYOUT_H
#define FSW_LAYOUT_H

#include <stdbool.h>

/*
 * They depend on wolfSSL's version and its options.  Compare the version first: this function
 * compares the options.  It also returns false if wolfCrypt lacks something that the comparison
 * needs.  It uses static memory: call it from one thread at a time, after wolfCrypt_Init(), while
 * the device is not registered.
 */
bool fsw_layout_is_known(void);

#endif
