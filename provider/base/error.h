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

/*
 * What a function of EVP's answered that has called software for us.  Where software raises no error,
 * newer versions of EVP raise one of their own; the caller's EVP does that again if it is its way, so
 * the one from here goes.
 */
int fsp_answer(int returned);

#endif
