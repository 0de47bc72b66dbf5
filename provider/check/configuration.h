/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a program that reads OpenSSL's configuration as most do gets the provider. */
#ifndef FSP_CHECK_CONFIGURATION_H
#define FSP_CHECK_CONFIGURATION_H

#include <stdbool.h>
#include <stddef.h>

/* false: `why` names the file and the error */
bool configuration_loads(char *why, size_t size);

#endif
