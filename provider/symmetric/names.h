/* SPDX-License-Identifier: Apache-2.0 */
/* The symmetric algorithms by name. */
#ifndef FSP_SYMMETRIC_NAMES_H
#define FSP_SYMMETRIC_NAMES_H

#include "base/algorithm.h"

extern const struct fsp_algorithm fsp_ciphers[], fsp_digests[], fsp_macs[];

#endif
