/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* RSA's two operations; padding is wolfCrypt's. */
#ifndef FSW_RSA_H
#define FSW_RSA_H

#include "policy.h"

/* Does a request of wolfCrypt's: 0, or CRYPTOCB_UNAVAILABLE */
int fsw_rsa(struct fsw_device *device, wc_CryptoInfo *info);

/* Of FIRESTEEL_WOLFSSL_RSA_PRIVATE and RSA_PUBLIC */
enum fsc_trial fsw_rsa_trial(struct fsw_device *device, enum firesteel_wolfssl_work work,
			     int64_t *software_ns);

#endif
