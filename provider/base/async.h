/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of ASYNC jobs: while the core works the job is paused, and its program does other work
 * until a descriptor becomes readable.
 */
#ifndef FSP_ASYNC_H
#define FSP_ASYNC_H

#include "base/provider.h"

/*
 * Like firesteel_run(), which it calls outside of a job, and in a job that has no wait context or has
 * a callback.
 *
 * Each wait context has one descriptor, registered at its first use and closed with the wait
 * context.  If a wait context is freed while a job is paused (SSL_free()), its request is freed
 * too.
 */
int fsp_async_run(struct fsp_provider *provider, const struct firesteel_request *request);

#endif
