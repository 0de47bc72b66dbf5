/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request that owns everything it points at: a core may still write its results when the caller is
 * gone.
 */
#ifndef FSP_OPERATION_H
#define FSP_OPERATION_H

#include <firesteel/firesteel.h>

struct fsp_operation {
	struct firesteel_request request; /* points at the operation's own memory */
	struct firesteel_job *job; /* set by the submitter */
	const struct firesteel_request *original;
	struct firesteel_curve_parameters parameters;
	uint8_t *memory;
	size_t size;
};

/* Copies a request and everything it reads; NULL: no memory */
struct fsp_operation *fsp_operation_new(const struct firesteel_request *request);

/* Copies the results to the original request's output buffers, which must still exist */
void fsp_operation_copy_out(const struct fsp_operation *operation);

/* Wipes and frees it; NULL is allowed */
void fsp_operation_free(struct fsp_operation *operation);

#endif
