/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks: what is tried, and weighed against software, by itself.
 *
 * Symmetric work is one task.  Work with public keys is several operations that take different times.
 */
#ifndef FSP_TASK_H
#define FSP_TASK_H

#include <stdatomic.h>

#include "base/trial.h"
#include "base/work.h"

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
	/* Tries the core; the time of software for the same may go to *software_ns */
	enum fsp_trial (*trial)(struct fsp_provider *provider, enum fsp_task task,
				int64_t *software_ns);
	/* The bytes from which on the core is faster, or FSP_NEVER.  NULL: each request is estimated by
	 * itself. */
	size_t (*break_even)(struct fsp_provider *provider, enum fsp_task task);
};

enum fsp_trust { FSP_UNTRIED, FSP_TRYING, FSP_TRUSTED, FSP_DISTRUSTED };

/* What the policy knows of the tasks on this device */
struct fsp_policy {
	const struct fsp_task_kind *kinds; /* FSP_TASKS */
	struct fsp_counters *counters[FSP_TASKS]; /* those of its work */
	atomic_int trust[FSP_TASKS]; /* enum fsp_trust */
	atomic_ullong asked[FSP_TASKS]; /* for how much work before the trial; as `cost` */
	atomic_llong software_ns[FSP_TASKS]; /* what software takes for the trial */
	atomic_size_t break_even[FSP_TASKS]; /* bytes, at least 1, once it is trusted; 0 */
};

#endif
