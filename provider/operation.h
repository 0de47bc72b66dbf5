/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request that owns all that it points at: a core may still write its results when whoever asked
 * for it is gone.
 */
#ifndef FSP_OPERATION_H
#define FSP_OPERATION_H

#include <firesteel/firesteel.h>

struct fsp_operation {
	struct firesteel_request request; /* of the operation's own memory */
	struct firesteel_job *job; /* whoever submits it keeps it here */
	const struct firesteel_request *original;
	struct firesteel_curve_parameters parameters;
	uint8_t *memory;
	size_t size;
};

/* A copy of a request and of all that it reads; NULL: there is no memory */
struct fsp_operation *fsp_operation_new(const struct firesteel_request *request);

/* Gives the results to where the request wanted them, which must still be there */
void fsp_operation_copy_out(const struct fsp_operation *operation);

/* Wipes it; NULL is allowed */
void fsp_operation_free(struct fsp_operation *operation);

#endif
