/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks: what is tried, and weighed against software, by itself.
 *
 * Symmetric work is one task.  Work with public keys is several operations that take different times.
 */
#ifndef FSP_TASK_H
#define FSP_TASK_H

#include "base/work.h"
#include "frontends/common/policy.h"

enum fsp_task {
	FSP_TASK_ECB,
	FSP_TASK_CBC,
	FSP_TASK_CTR,
	FSP_TASK_CFB,
	FSP_TASK_OFB,
	FSP_TASK_GCM,
	FSP_TASK_CCM,
	FSP_TASK_XTS,
	FSP_TASK_CTS,
	FSP_TASK_DIGEST,
	FSP_TASK_HMAC,
	FSP_TASK_CMAC,
	FSP_TASK_RSA_PRIVATE,
	FSP_TASK_RSA_PUBLIC,
	FSP_TASK_DH,
	FSP_TASK_ECDSA_SIGN,
	FSP_TASK_ECDSA_VERIFY,
	FSP_TASK_ECDH,
	FSP_TASK_X25519,
	FSP_TASK_ED25519_SIGN,
	FSP_TASK_ED25519_VERIFY,
	FSP_TASKS
};

struct fsp_counters;
struct fsp_provider;

/* A task; a constant */
struct fsp_task_kind {
	enum fsp_work work; /* whose settings and counters are used */
	/* What software does for the trial, in bytes of symmetric work and in efforts (policy.h) of
	 * public keys: a process that has not asked for as much does not try */
	uint64_t cost;
	/* Tries the core; *software_ns may get software's time for the same work */
	enum fsc_trial (*trial)(struct fsp_provider *provider, enum fsp_task task,
				int64_t *software_ns);
	/* The smallest size for which the core is faster, or FSP_NEVER.  NULL: it goes by
	 * estimates. */
	size_t (*break_even)(struct fsp_provider *provider, enum fsp_task task);
};

/* The policy's knowledge about the tasks on this device */
struct fsp_policy {
	const struct fsp_task_kind *kinds; /* FSP_TASKS */
	struct fsp_counters *counters[FSP_TASKS]; /* the counters of its work */
	struct fsc_policy common;
	struct fsc_task tasks[FSP_TASKS];
};

#endif
