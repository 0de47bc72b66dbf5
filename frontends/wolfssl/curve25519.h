/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* X25519 and Ed25519. */
#ifndef FSW_CURVE25519_H
#define FSW_CURVE25519_H

#include "policy.h"

/* Do requests of wolfCrypt's: 0, or CRYPTOCB_UNAVAILABLE */
int fsw_x25519(struct fsw_device *device, wc_CryptoInfo *info);
int fsw_x25519_key(struct fsw_device *device, wc_CryptoInfo *info);
int fsw_ed25519_sign(struct fsw_device *device, wc_CryptoInfo *info);
int fsw_ed25519_verify(struct fsw_device *device, wc_CryptoInfo *info);

enum fsc_trial fsw_x25519_trial(struct fsw_device *device, enum firesteel_wolfssl_work work,
				int64_t *software_ns);

/* Of both works */
enum fsc_trial fsw_ed25519_trial(struct fsw_device *device, enum firesteel_wolfssl_work work,
				 int64_t *software_ns);

#endif
