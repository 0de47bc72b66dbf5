/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* SHA-1 and SHA-2.  The state stays wolfCrypt's, so core and software can each continue the other's
 * work. */
#ifndef FSW_HASH_H
#define FSW_HASH_H

#include "policy.h"

/* Does an update of a hash: 0, or CRYPTOCB_UNAVAILABLE, or an error of wolfCrypt's */
int fsw_hash(struct fsw_device *device, wc_CryptoInfo *info);

/* Of FIRESTEEL_WOLFSSL_SHA1 to SHA512 */
enum fsc_trial fsw_hash_trial(struct fsw_device *device, enum firesteel_wolfssl_work work,
			      int64_t *software_ns);
size_t fsw_hash_break_even(struct fsw_device *device, enum firesteel_wolfssl_work work);

#endif
