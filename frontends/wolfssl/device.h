/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The front end's own state: the device, and what is known of each work on it. */
#ifndef FSW_DEVICE_H
#define FSW_DEVICE_H

#include <wolfssl/options.h>

#include <stdatomic.h>

#include <firesteel/wolfssl.h>
#include <wolfssl/wolfcrypt/cryptocb.h>
#include <wolfssl/wolfcrypt/error-crypt.h>

enum fsw_trust { FSW_UNTRIED, FSW_TRYING, FSW_TRUSTED, FSW_DISTRUSTED };

struct fsw_task {
	atomic_int trust; /* enum fsw_trust */
	atomic_llong software_ns; /* what wolfCrypt takes for the trial */
	atomic_size_t break_even; /* bytes; FSW_NEVER */
	atomic_ullong hardware, bytes, small, unfit, failed, rejected;
};

#define FSW_NEVER SIZE_MAX

struct fsw_task_kind;

struct fsw_device {
	struct firesteel *core;
	struct firesteel_capabilities capabilities;
	bool always; /* all that the core can do goes to it */
	const struct fsw_task_kind *kinds; /* FIRESTEEL_WOLFSSL_WORKS */
	struct fsw_task tasks[FIRESTEEL_WOLFSSL_WORKS];
};

#endif
