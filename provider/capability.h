/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS groups.  libssl uses a group only when the provider that lists it is the one from which it
 * gets the group's keys.  So for our keys we list the groups that software has with them.
 */
#ifndef FSP_CAPABILITY_H
#define FSP_CAPABILITY_H

#include <openssl/core_dispatch.h>

extern OSSL_FUNC_provider_get_capabilities_fn fsp_capabilities;

#endif
