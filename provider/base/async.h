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
 * The descriptor is one for each wait context, registered when it is first needed and closed with it.
 * A wait context that is freed while a job is paused (SSL_free()) takes the request with it.
 */
int fsp_async_run(struct fsp_provider *provider, const struct firesteel_request *request);

#endif
