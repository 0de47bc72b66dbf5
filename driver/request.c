// SPDX-License-Identifier: GPL-2.0-or-later
#include "request.h"

#include "silex/ba411.h"

void firesteel_context_open(struct firesteel_context *context,
			    struct firesteel_algorithm *algorithm)
{
	context->algorithm = algorithm;
	context->device = firesteel_device_get(&algorithm->need);
}

void firesteel_context_close(struct firesteel_context *context)
{
	firesteel_device_put(context->device);
	memzero_explicit(context, sizeof(*context));
}

static bool is_too_small(const struct firesteel_cost *cost, const struct firesteel_queue *queue,
			 unsigned int bytes)
{
	unsigned int minimum = firesteel_queue_is_busy(queue) ? READ_ONCE(cost->busy_minimum)
							      : READ_ONCE(cost->idle_minimum);

	return bytes < minimum;
}

struct firesteel_job *firesteel_request_begin(struct firesteel_context *context, unsigned int bytes)
{
	struct firesteel_algorithm *algorithm = context->algorithm;
	struct firesteel_queue *queue = context->device ? &context->device->queue : NULL;
	struct firesteel_job *job = NULL;
	enum firesteel_way way;

	if (!queue || !firesteel_queue_in_service(queue)) {
		way = FIRESTEEL_OUT_OF_SERVICE;
	} else if (is_too_small(&algorithm->cost, queue, bytes)) {
		way = FIRESTEEL_SMALL;
	} else {
		job = firesteel_queue_take(queue);
		way = job ? FIRESTEEL_HARDWARE : FIRESTEEL_FULL;
	}
	firesteel_count(&algorithm->use, way, bytes);
	return job;
}

void firesteel_request_cancel(struct firesteel_context *context, struct firesteel_job *job,
			      unsigned int bytes)
{
	struct firesteel_use *use = &context->algorithm->use;

	firesteel_queue_give(job);
	atomic_long_dec(&use->requests[FIRESTEEL_HARDWARE]);
	atomic_long_sub(bytes, &use->bytes[FIRESTEEL_HARDWARE]);
	firesteel_count(use, FIRESTEEL_SHAPE, bytes);
}

bool firesteel_request_ended(struct firesteel_context *context, struct firesteel_job *job,
			     enum firesteel_fault fault)
{
	firesteel_job_unmap(job);
	if (job->shadowed)
		atomic_long_inc(&context->algorithm->use.copies);
	if (!fault)
		return true;
	firesteel_job_restore(job);
	firesteel_count(&context->algorithm->use, FIRESTEEL_FAILED, job->bytes);
	firesteel_queue_give(job);
	return false;
}

/* Some cores take the key's size from the word, some from the item's length */
static u32 key_bits(unsigned int size)
{
	switch (size) {
	case 16:
		return SILEX_AES_KEY_128;
	case 24:
		return SILEX_AES_KEY_192;
	default:
		return SILEX_AES_KEY_256;
	}
}

void firesteel_request_configure(struct firesteel_context *context, struct firesteel_job *job,
				 bool decrypt)
{
	struct firesteel_arena *arena = job->arena;
	unsigned int size = context->key_size;

	arena->word = cpu_to_le32(context->algorithm->mode | key_bits(size) |
				  (decrypt ? SILEX_AES_DECRYPT : 0));
	memcpy(arena->key, context->key, size);
	firesteel_job_fetch_arena(job, word, sizeof(arena->word),
				  FIRESTEEL_AES_CONFIG(SILEX_AES_CONFIG));
	firesteel_job_fetch_arena(job, key, size, FIRESTEEL_AES_CONFIG(SILEX_AES_KEY));
	if (context->algorithm->mode != SILEX_AES_MODE_XTS)
		return;
	memcpy(arena->key2, context->key2, size);
	firesteel_job_fetch_arena(job, key2, size, FIRESTEEL_AES_CONFIG(SILEX_AES_KEY2));
}
