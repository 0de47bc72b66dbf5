/* SPDX-License-Identifier: Apache-2.0 */
#include "request.h"

#include <string.h>

#include "cancel.h"
#include "device.h"
#include "engines.h"
#include "health.h"
#include "operation-table.h"

#define FLAGS (FIRESTEEL_UNPROTECTED | FIRESTEEL_CHECK)

/* ---- taking ---- */

/* What every request has */
#define HEAD offsetof(struct firesteel_request, modexp)

static bool is_zero(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	while (size > 0)
		if (at[--size])
			return false;
	return true;
}

int fs_request_take(struct fs_taken *taken, const struct firesteel_request *request, size_t size)
{
	size_t known;

	if (!request || size < HEAD)
		return FIRESTEEL_ERROR_INVALID;
	if (request->operation >= FIRESTEEL_OPERATIONS || request->flags & ~FLAGS)
		return FIRESTEEL_ERROR_NEWER;
	known = firesteel_request_size(request->operation);
	if (size > known && !is_zero((const uint8_t *)request + known, size - known))
		return FIRESTEEL_ERROR_NEWER;
	taken->request = request;
	if (size < known) {
		memset(&taken->copy, 0, sizeof(taken->copy));
		memcpy(&taken->copy, request, size);
		taken->request = &taken->copy;
	}
	return FIRESTEEL_OK;
}

/* ---- operands ---- */

static bool is_there(const void *data, size_t size)
{
	return data || size == 0;
}

static bool bytes_there(struct firesteel_bytes bytes)
{
	return is_there(bytes.data, bytes.size);
}

static bool curve_there(const struct firesteel_curve *curve)
{
	const struct firesteel_curve_parameters *has = curve->parameters;

	if (curve->name != FIRESTEEL_CURVE_LOADED || !has)
		return true;
	return bytes_there(has->p) && bytes_there(has->a) && bytes_there(has->b) &&
	       bytes_there(has->gx) && bytes_there(has->gy) && bytes_there(has->n);
}

static bool operand_there(const struct firesteel_request *request, const struct fs_operand *operand)
{
	const void *at = (const char *)request + operand->offset;
	const struct firesteel_output *output = at;

	switch (operand->kind) {
	case FS_OPERAND_BYTES:
		return bytes_there(*(const struct firesteel_bytes *)at);
	case FS_OPERAND_OUTPUT:
		return is_there(output->data, output->size);
	case FS_OPERAND_CURVE:
		return curve_there(at);
	default:
		return true; /* a message in one piece has no context */
	}
}

static bool all_there(const struct firesteel_request *request, const struct fs_operand *operand)
{
	for (; operand->kind != FS_OPERAND_NONE; operand++)
		if (!operand_there(request, operand))
			return false;
	return true;
}

/* ---- checking ---- */

/* A secret goes to a core without countermeasures only if the caller allows it: software blinds */
static bool is_exposed(const struct firesteel_capabilities *has,
		       const struct fs_operation *operation,
		       const struct firesteel_request *request)
{
	return has->public_key && !has->protection && operation->secret &&
	       !(request->flags & FIRESTEEL_UNPROTECTED);
}

int fs_request_check(const struct firesteel_capabilities *has, const struct fs_operation *operation,
		     const struct firesteel_request *request, bool values)
{
	int error;

	if (!operation || (values && !all_there(request, operation->operands)))
		return FIRESTEEL_ERROR_INVALID;
	error = operation->check(has, request, values);
	return !error && is_exposed(has, operation, request) ? FIRESTEEL_ERROR_ABSENT : error;
}

/* 0, or why none of the device's cores of that kind is used */
static int core_error(struct firesteel *device, enum fs_core core)
{
	return core == FS_PK ? fs_engines_error(device) : fs_health_error(device, core);
}

/* The same for a device as it is now */
static int check(struct firesteel *device, const struct firesteel_request *request, bool values,
		 const struct fs_operation **operation)
{
	int error, health;

	error = fs_device_enter(device);
	if (error)
		return error;
	*operation = fs_operation_find(request->operation);
	if (!*operation)
		return FIRESTEEL_ERROR_INVALID;
	health = core_error(device, (*operation)->core);
	error = fs_request_check(&device->capabilities, *operation, request, values);
	if (error && error != FIRESTEEL_ERROR_ABSENT)
		return error;
	if (error && is_exposed(&device->capabilities, *operation, request))
		fs_count(&device->statistics.unprotected, 1);
	/* "in use by another process" or "gone" says more than "absent" */
	return health ? health : error;
}

/* ---- doing ---- */

static int dispatch(struct firesteel *device, const struct fs_operation *operation,
		    const struct firesteel_request *request)
{
	if (operation->core == FS_PK)
		return fs_engines_do(device, operation->run.pk, request);
	return operation->run.cm(device, request);
}

static int run(struct firesteel *device, const struct firesteel_request *request)
{
	const struct fs_operation *operation;
	FS_UNCANCELLED;
	int error = check(device, request, true, &operation);

	if (!error)
		error = dispatch(device, operation, request);
	fs_count(error ? &device->statistics.errors[request->operation]
		       : &device->statistics.operations[request->operation],
		 1);
	return error;
}

int firesteel_run_sized(struct firesteel *device, const struct firesteel_request *request,
			size_t size)
{
	struct fs_taken taken;
	int error = device ? fs_request_take(&taken, request, size) : FIRESTEEL_ERROR_INVALID;

	return error ? error : run(device, taken.request);
}

int64_t firesteel_expect_ns_sized(struct firesteel *device, const struct firesteel_request *request,
				  size_t size)
{
	const struct fs_operation *operation;
	struct fs_estimate estimate;
	struct fs_taken taken;
	int error = device ? fs_request_take(&taken, request, size) : FIRESTEEL_ERROR_INVALID;

	if (!error)
		error = check(device, taken.request, false, &operation);
	if (error)
		return error;
	estimate = fs_estimate_begin(&device->expectations, &device->capabilities, operation->core,
				     !(taken.request->flags & FIRESTEEL_UNPROTECTED));
	operation->estimate(&estimate, taken.request);
	return (int64_t)estimate.ns;
}

int64_t firesteel_queue_ns(struct firesteel *device, enum firesteel_operation operation)
{
	const struct fs_operation *found = fs_operation_find(operation);
	enum fs_core core;
	int error;

	if (!device || !found)
		return FIRESTEEL_ERROR_INVALID;
	core = found->core;
	error = fs_device_enter(device);
	if (!error)
		error = core_error(device, core);
	if (error)
		return error;
	if (core == FS_PK)
		return fs_engines_queue_ns(device);
	return (int64_t)(fs_turn_length(&device->turn[core]) *
			 fs_expect_recent(&device->expectations, core));
}
