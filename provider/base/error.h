/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of libcrypto: ours, and those that software has raised. */
#ifndef FSP_ERROR_H
#define FSP_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include <openssl/proverr.h>

/* Raises an error (PROV_R_*) and is false */
bool fsp_failed(int reason);

/* Whether an output buffer is large enough; otherwise an error is raised */
static inline bool fsp_fits(size_t capacity, size_t wanted)
{
	return capacity >= wanted || fsp_failed(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
}

#endif
