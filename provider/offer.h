/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithms that the provider offers.  Random number generators are not among them. */
#ifndef FSP_OFFER_H
#define FSP_OFFER_H

#include "base/provider.h"

/* Chooses them, once, by the device and the settings */
void fsp_offer(struct fsp_provider *provider);

extern OSSL_FUNC_provider_query_operation_fn fsp_offered;

#endif
