/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* AES: ECB, CBC, CTR, GCM and CCM. */
#ifndef FSW_CIPHER_H
#define FSW_CIPHER_H

#include "policy.h"

/* Does a request of wolfCrypt's: 0, or CRYPTOCB_UNAVAILABLE */
int fsw_cipher(struct fsw_device *device, wc_CryptoInfo *info);

/* Of FIRESTEEL_WOLFSSL_ECB to CCM */
enum fsc_trial fsw_cipher_trial(struct fsw_device *device, enum firesteel_wolfssl_work work,
				int64_t *software_ns);
size_t fsw_cipher_break_even(struct fsw_device *device, enum firesteel_wolfssl_work work);

#endif
