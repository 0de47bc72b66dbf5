/* SPDX-License-Identifier: Apache-2.0 */
#include "copy.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNMENT sizeof(uint64_t) /* what contexts need */
#define SPANS_MAX 6u

struct fs_copy {
	const struct fs_operation *operation;
	struct firesteel_request original;
	struct firesteel_request request; /* points at the memory */
	struct firesteel_curve_parameters parameters;
	size_t size;
	_Alignas(ALIGNMENT) uint8_t memory[];
};

/* ---- what a request points at ---- */

struct span {
	void *pointer; /* where the pointer to it lies, whatever its type */
	size_t size;
	bool result;
};

static uint8_t *get_pointer(const struct span *span)
{
	uint8_t *found;

	memcpy(&found, span->pointer, sizeof(found));
	return found;
}

static void set_pointer(const struct span *span, uint8_t *to)
{
	memcpy(span->pointer, &to, sizeof(to));
}

static struct span of_bytes(const struct firesteel_bytes *bytes)
{
	return (struct span){ (void *)(uintptr_t)&bytes->data, bytes->size, false };
}

static const struct firesteel_curve_parameters *parameters_of(const struct firesteel_curve *curve)
{
	return curve->name == FIRESTEEL_CURVE_LOADED ? curve->parameters : NULL;
}

static unsigned of_curve(const struct firesteel_curve_parameters *curve,
			 struct span spans[SPANS_MAX])
{
	if (!curve)
		return 0;
	spans[0] = of_bytes(&curve->p);
	spans[1] = of_bytes(&curve->a);
	spans[2] = of_bytes(&curve->b);
	spans[3] = of_bytes(&curve->gx);
	spans[4] = of_bytes(&curve->gy);
	spans[5] = of_bytes(&curve->n);
	return 6;
}

static void *operand_of(const struct firesteel_request *request, const struct fs_operand *operand)
{
	return (uint8_t *)(uintptr_t)request + operand->offset;
}

/* Those of one operand; returns how many */
static unsigned spans_of(const struct firesteel_request *request, const struct fs_operand *operand,
			 struct span spans[SPANS_MAX])
{
	void *at = operand_of(request, operand);
	const struct firesteel_output *output = at;

	switch (operand->kind) {
	case FS_OPERAND_BYTES:
		spans[0] = of_bytes(at);
		return 1;
	case FS_OPERAND_OUTPUT:
		spans[0] = (struct span){ at, output->size, true };
		return 1;
	case FS_OPERAND_CONTEXT:
		spans[0] = (struct span){ at, operand->size, true };
		return get_pointer(&spans[0]) != NULL;
	default:
		return of_curve(parameters_of(at), spans);
	}
}

/* ---- copies ---- */

static size_t aligned(size_t size)
{
	return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* What all spans take; SIZE_MAX: more than there can be */
static size_t measure(const struct fs_operand *operand, const struct firesteel_request *request)
{
	struct span spans[SPANS_MAX];
	size_t sum = 0;

	for (; operand->kind != FS_OPERAND_NONE; operand++) {
		for (unsigned j = spans_of(request, operand, spans); j-- > 0;) {
			if (spans[j].size > SIZE_MAX / 2 - sum)
				return SIZE_MAX;
			sum += aligned(spans[j].size);
		}
	}
	return sum;
}

/* A curve's parameters, which point at numbers themselves */
static void own_parameters(struct fs_copy *copy, const struct fs_operand *operand)
{
	struct firesteel_curve *curve = operand_of(&copy->request, operand);

	if (operand->kind != FS_OPERAND_CURVE || !parameters_of(curve))
		return;
	copy->parameters = *curve->parameters;
	curve->parameters = &copy->parameters;
}

/* Results too: a request leaves some of them as they are */
static void fill(struct fs_copy *copy)
{
	const struct fs_operand *operand = copy->operation->operands;
	uint8_t *next = copy->memory;
	struct span spans[SPANS_MAX];

	for (; operand->kind != FS_OPERAND_NONE; operand++) {
		own_parameters(copy, operand);
		for (unsigned j = spans_of(&copy->request, operand, spans); j-- > 0;) {
			if (spans[j].size > 0)
				memcpy(next, get_pointer(&spans[j]), spans[j].size);
			set_pointer(&spans[j], next);
			next += aligned(spans[j].size);
		}
	}
}

struct fs_copy *fs_copy_new(const struct fs_operation *operation,
			    const struct firesteel_request *request)
{
	size_t size = measure(operation->operands, request);
	struct fs_copy *copy = size == SIZE_MAX ? NULL : malloc(sizeof(*copy) + size);

	if (!copy)
		return NULL;
	copy->operation = operation;
	copy->original = *request;
	copy->request = *request;
	copy->size = size;
	fill(copy);
	return copy;
}

void fs_copy_free(struct fs_copy *copy)
{
	if (!copy)
		return;
	firesteel_wipe(copy, sizeof(*copy) + copy->size);
	free(copy);
}

const struct firesteel_request *fs_copy_request(const struct fs_copy *copy)
{
	return &copy->request;
}

void fs_copy_out(const struct fs_copy *copy)
{
	const struct fs_operand *operand = copy->operation->operands;
	struct span from[SPANS_MAX], to[SPANS_MAX];

	for (; operand->kind != FS_OPERAND_NONE; operand++) {
		spans_of(&copy->original, operand, to);
		for (unsigned j = spans_of(&copy->request, operand, from); j-- > 0;)
			if (from[j].result && from[j].size > 0)
				memcpy(get_pointer(&to[j]), get_pointer(&from[j]), from[j].size);
	}
}
