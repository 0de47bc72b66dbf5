/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The trials of elliptic curves, on P-256 with keys that are made for them. */
#ifndef FSW_ECC_TRIAL_H
#define FSW_ECC_TRIAL_H

#include "policy.h"

/* Of FIRESTEEL_WOLFSSL_ECDSA_SIGN to EC_KEY */
enum fsc_trial fsw_ecc_trial(struct fsw_device *device, enum firesteel_wolfssl_work work,
			     int64_t *software_ns);

#endif
