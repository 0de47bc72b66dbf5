// SPDX-License-Identifier: GPL-2.0-or-later
#include "request.h"

/* ---- contexts ---- */

void firesteel_context_open(struct firesteel_context *context,
			    struct firesteel_algorithm *algorithm)
{
	struct firesteel_device *device = firesteel_device_get(&algorithm->need);

	context->algorithm = algorithm;
	context->device = device;
	/* so that transforms with a few requests in flight each use different jobs */
	if (device)
		context->first_job = 4 * (unsigned int)atomic_inc_return(&device->queue.transforms);
}

static void cleanse_keys(struct firesteel_job *job, const void *holder)
{
	if (job->holder != holder)
		return;
	memzero_explicit(&job->arena->keys, sizeof(job->arena->keys));
	job->holder = NULL;
}

void firesteel_context_close(struct firesteel_context *context)
{
	if (context->device)
		firesteel_queue_each_free(&context->device->queue, cleanse_keys, context);
	firesteel_device_put(context->device);
	memzero_explicit(context, sizeof(*context));
}

void firesteel_context_keyed(struct firesteel_context *context)
{
	static atomic_t versions;

	/* unique: another context may later have the same address */
	context->version = atomic_inc_return(&versions);
	if (context->device)
		firesteel_queue_each_free(&context->device->queue, cleanse_keys, context);
}

/* Loads the context's keys into the arena */
static void load_keys(const struct firesteel_context *context, struct firesteel_job *job)
{
	if (job->holder == context && job->version == context->version)
		return;
	memcpy(&job->arena->keys, &context->keys, sizeof(context->keys));
	job->holder = context;
	job->version = context->version;
	job->prefix = 0;
}

/* ---- the choice ---- */

static bool is_too_small(const struct firesteel_cost *cost, const struct firesteel_queue *queue,
			 unsigned int bytes)
{
	unsigned int minimum = firesteel_queue_is_busy(queue) ? READ_ONCE(cost->busy_minimum)
							      : READ_ONCE(cost->idle_minimum);

	return bytes < minimum;
}

/* Where a request goes; to the core if there is a job for it */
static enum firesteel_path choose(const struct firesteel_context *context, unsigned int bytes)
{
	const struct firesteel_device *device = context->device;

	if (!device || !firesteel_queue_in_service(&device->queue))
		return FIRESTEEL_OUT_OF_SERVICE;
	if (is_too_small(&context->algorithm->cost, &device->queue, bytes))
		return FIRESTEEL_SMALL;
	return FIRESTEEL_HARDWARE;
}

static int run_in_software(struct crypto_async_request *request, enum firesteel_path path,
			   unsigned int bytes)
{
	struct firesteel_context *context = firesteel_request_context(request);

	firesteel_count(&context->algorithm->use, path, bytes);
	return context->algorithm->operation->software(request);
}

/* ---- the path through the queue ---- */

/* Leaves nothing of the request in the job */
static void put_job(struct firesteel_job *job)
{
	firesteel_job_cleanse(job);
	firesteel_queue_put(job);
}

/* Whether the input is unchanged, or can be restored; after firesteel_job_unmap() */
static bool restores(struct firesteel_job *job)
{
	if (job->started && job->no_backup)
		return false;
	firesteel_job_restore(job);
	return true;
}

/* Repeats the request in software; releases the job */
static int once_more(struct firesteel_job *job, enum firesteel_path path)
{
	struct crypto_async_request *request = job->request;
	struct firesteel_context *context = firesteel_request_context(request);
	unsigned int bytes = context->algorithm->operation->bytes(request);
	bool intact = restores(job);
	int result;

	put_job(job);
	if (!intact) {
		firesteel_count(&context->algorithm->use, path, bytes);
		return -EIO;
	}
	result = run_in_software(request, path, bytes);
	/* software's own queue completes the request */
	return result == -EBUSY ? -EINPROGRESS : result;
}

static int finish(struct firesteel_job *job, enum firesteel_fault fault)
{
	struct crypto_async_request *request = job->request;
	struct firesteel_context *context = firesteel_request_context(request);
	int result;

	firesteel_job_unmap(job);
	if (job->backup_size)
		atomic_long_inc(&context->algorithm->use.copies);
	if (fault)
		return once_more(job, FIRESTEEL_FAILED);
	result = context->algorithm->operation->finish(request, job);
	/* software decides whether a message is authentic */
	if (result == -EBADMSG && !job->no_backup)
		return once_more(job, FIRESTEEL_TAG_RECHECK);
	put_job(job);
	return result;
}

static int run_on_core(struct crypto_async_request *request, struct firesteel_job *job,
		       unsigned int bytes)
{
	struct firesteel_context *context = firesteel_request_context(request);
	int err;

	load_keys(context, job);
	job->bytes = bytes;
	job->started = false;
	job->verified = false;
	job->ciphertext = false;
	err = context->algorithm->operation->build(request, job);
	if (err) {
		firesteel_job_unmap(job);
		put_job(job);
		return err < 0 ? err : run_in_software(request, FIRESTEEL_SHAPE, bytes);
	}
	firesteel_count(&context->algorithm->use, FIRESTEEL_HARDWARE, bytes);
	job->request = request;
	job->finish = finish;
	job->waited = request->flags & (CRYPTO_TFM_REQ_MAY_SLEEP | CRYPTO_TFM_REQ_MAY_BACKLOG);
	return firesteel_queue_submit(job);
}

int firesteel_request_run(struct crypto_async_request *request)
{
	struct firesteel_context *context = firesteel_request_context(request);
	unsigned int bytes = context->algorithm->operation->bytes(request);
	enum firesteel_path path = choose(context, bytes);
	struct firesteel_job *job;

	if (path != FIRESTEEL_HARDWARE)
		return run_in_software(request, path, bytes);
	job = firesteel_queue_get(&context->device->queue, context->first_job);
	if (job)
		return run_on_core(request, job, bytes);
	if (request->flags & CRYPTO_TFM_REQ_MAY_BACKLOG &&
	    firesteel_queue_backlog(&context->device->queue, request))
		return -EBUSY;
	return run_in_software(request, FIRESTEEL_FULL, bytes);
}

void firesteel_request_resume(struct crypto_async_request *request, struct firesteel_job *job)
{
	struct firesteel_context *context = firesteel_request_context(request);
	unsigned int bytes = context->algorithm->operation->bytes(request);
	int result;

	/* it has left the backlog, where its owner waits */
	crypto_request_complete(request, -EINPROGRESS);
	result = job ? run_on_core(request, job, bytes)
		     : run_in_software(request, FIRESTEEL_OUT_OF_SERVICE, bytes);
	if (result != -EINPROGRESS && result != -EBUSY)
		crypto_request_complete(request, result);
}

void firesteel_request_was_wrong(struct crypto_async_request *request)
{
	struct firesteel_context *context = firesteel_request_context(request);

	firesteel_count(&context->algorithm->use, FIRESTEEL_FAILED,
			context->algorithm->operation->bytes(request));
	firesteel_queue_fail(&context->device->queue, FIRESTEEL_WRONG_RESULT);
}

/* ---- items ---- */

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
	unsigned int size = context->key_size, begin = job->fetches;
	u32 mode = context->algorithm->mode;

	job->arena->word = cpu_to_le32(mode | key_bits(size) | (decrypt ? SILEX_AES_DECRYPT : 0));
	if (!begin && job->prefix) {
		job->fetches = job->prefix;
		return;
	}
	firesteel_job_fetch_arena(job, word, sizeof(job->arena->word),
				  FIRESTEEL_AES_CONFIG(SILEX_AES_CONFIG));
	firesteel_job_fetch_arena(job, keys.aes, size, FIRESTEEL_AES_CONFIG(SILEX_AES_KEY));
	if (mode == SILEX_AES_MODE_XTS)
		firesteel_job_fetch_arena(job, keys.aes2, size,
					  FIRESTEEL_AES_CONFIG(SILEX_AES_KEY2));
	if (!begin)
		job->prefix = job->fetches;
}

#define HASH_KEY (SILEX_ENGINE_HASH | SILEX_TAG_TYPE(SILEX_HASH_DATA_KEY))

void firesteel_request_configure_hash(struct firesteel_context *context, struct firesteel_job *job,
				      u32 algorithm, bool hmac)
{
	unsigned int size = context->mac_key_size;

	/* they replace the descriptors of an AES key */
	if (!job->fetches)
		job->prefix = 0;
	job->arena->hash_word = cpu_to_le32(algorithm | SILEX_HASH_PAD | SILEX_HASH_FINAL |
					    (hmac ? SILEX_HASH_HMAC : 0));
	firesteel_job_fetch_arena(job, hash_word, sizeof(job->arena->hash_word),
				  SILEX_ENGINE_HASH | SILEX_TAG_CONFIG);
	if (!hmac)
		return;
	if (size)
		firesteel_job_fetch(job, job->address + offsetof(struct firesteel_arena, keys.mac),
				    size, 0, HASH_KEY);
	firesteel_job_fetch_end(job, size, SILEX_HASH_WORD, HASH_KEY | SILEX_TAG_LAST);
}
