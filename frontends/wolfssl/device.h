/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The front end's own state: the device, and the knowledge about each work on it. */
#ifndef FSW_DEVICE_H
#define FSW_DEVICE_H

#include <wolfssl/options.h>

#include <stdatomic.h>

#include <firesteel/wolfssl.h>
#include <wolfssl/wolfcrypt/cryptocb.h>
#include <wolfssl/wolfcrypt/error-crypt.h>

#include "frontends/common/policy.h"

/* Counters of a work: see firesteel_wolfssl_counters */
struct fsw_counters {
	atomic_ullong hardware, bytes, small, unfit, busy, failed, rejected;
};

struct fsw_task_kind;

struct fsw_device {
	struct firesteel *core;
	struct firesteel_capabilities capabilities;
	bool always; /* everything that the core supports goes to it */
	const struct fsw_task_kind *kinds; /* FIRESTEEL_WOLFSSL_WORKS */
	struct fsc_policy policy;
	struct fsc_task tasks[FIRESTEEL_WOLFSSL_WORKS];
	struct fsw_counters counters[FIRESTEEL_WOLFSSL_WORKS];
};

#endif
