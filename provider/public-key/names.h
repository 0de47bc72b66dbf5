/* SPDX-License-Identifier: Apache-2.0 */
/* Public keys, and what is done with them, by name. */
#ifndef FSP_PUBLIC_KEY_NAMES_H
#define FSP_PUBLIC_KEY_NAMES_H

#include "base/algorithm.h"

extern const struct fsp_algorithm fsp_keys[], fsp_signatures[], fsp_exchanges[], fsp_asyms[],
	fsp_encoders[], fsp_decoders[];

#endif
