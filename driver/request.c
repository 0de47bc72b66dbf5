// SPDX-License-Identifier: GPL-2.0-or-later
#include "request.h"

/* ---- contexts ---- */

void firesteel_context_open(struct firesteel_context *context,
			    struct firesteel_algorithm *algorithm)
{
	struct firesteel_device *device = firesteel_devices_get(&algorithm->need);

	context->algorithm = algorithm;
	context->device = device;
	/* so that transforms with a few requests in flight each use different commands */
	if (device)
		context->first_cmd = 4 * (unsigned int)atomic_inc_return(&device->queue.transforms);
}

static void context_cleanse_keys(struct firesteel_cmd *cmd, const void *holder)
{
	if (cmd->holder != holder)
		return;
	memzero_explicit(&cmd->arena->keys, sizeof(cmd->arena->keys));
	cmd->holder = NULL;
}

void firesteel_context_close(struct firesteel_context *context)
{
	if (context->device)
		firesteel_pool_each_free(&context->device->queue.pool, context_cleanse_keys,
					 context);
	firesteel_devices_put(context->device);
	memzero_explicit(context, sizeof(*context));
}

void firesteel_context_keyed(struct firesteel_context *context)
{
	static atomic_t versions;

	/* unique: another context may later have the same address */
	context->version = atomic_inc_return(&versions);
	if (context->device)
		firesteel_pool_each_free(&context->device->queue.pool, context_cleanse_keys,
					 context);
}

/* Loads the context's keys into the arena */
static void request_load_keys(const struct firesteel_context *context, struct firesteel_cmd *cmd)
{
	if (cmd->holder == context && cmd->version == context->version)
		return;
	memcpy(&cmd->arena->keys, &context->keys, sizeof(context->keys));
	cmd->holder = context;
	cmd->version = context->version;
	cmd->prefix = 0;
}

/* ---- the choice ---- */

static bool request_is_too_small(const struct firesteel_cost *cost,
				 const struct firesteel_queue *queue, unsigned int bytes)
{
	unsigned int minimum = firesteel_queue_is_busy(queue) ? READ_ONCE(cost->busy_minimum)
							      : READ_ONCE(cost->idle_minimum);

	return bytes < minimum;
}

/* Where a request goes; to the core if there is a command for it */
static enum firesteel_path request_choose(const struct firesteel_context *context,
					  unsigned int bytes)
{
	const struct firesteel_device *device = context->device;

	if (!device || !firesteel_queue_in_service(&device->queue))
		return FIRESTEEL_OUT_OF_SERVICE;
	if (request_is_too_small(&context->algorithm->cost, &device->queue, bytes))
		return FIRESTEEL_SMALL;
	return FIRESTEEL_HARDWARE;
}

static int request_run_in_software(struct crypto_async_request *request, enum firesteel_path path,
				   unsigned int bytes)
{
	struct firesteel_context *context = firesteel_request_context(request);

	firesteel_count(&context->algorithm->use, path, bytes);
	return context->algorithm->class->software(request);
}

/* ---- the path through the queue ---- */

/* Leaves nothing of the request in the command */
static void request_put_cmd(const struct firesteel_context *context, struct firesteel_cmd *cmd)
{
	firesteel_cmd_cleanse(cmd);
	firesteel_queue_put(&context->device->queue, cmd);
}

/* Whether the input is unchanged, or can be restored; after firesteel_cmd_unmap() */
static bool request_restores(struct firesteel_cmd *cmd)
{
	if (cmd->started && cmd->no_backup)
		return false;
	firesteel_cmd_restore(cmd);
	return true;
}

/* Repeats the request in software; releases the command */
static int request_once_more(struct firesteel_cmd *cmd, enum firesteel_path path)
{
	struct crypto_async_request *request = cmd->request;
	struct firesteel_context *context = firesteel_request_context(request);
	unsigned int bytes = context->algorithm->class->bytes(request);
	bool intact = request_restores(cmd);
	int result;

	request_put_cmd(context, cmd);
	if (!intact) {
		firesteel_count(&context->algorithm->use, path, bytes);
		return -EIO;
	}
	result = request_run_in_software(request, path, bytes);
	/* software's own queue completes the request */
	return result == -EBUSY ? -EINPROGRESS : result;
}

/* The result has been replaced; the core goes out of service */
static void request_was_wrong(struct crypto_async_request *request)
{
	struct firesteel_context *context = firesteel_request_context(request);

	firesteel_count(&context->algorithm->use, FIRESTEEL_FAILED,
			context->algorithm->class->bytes(request));
	firesteel_queue_fail(&context->device->queue, FIRESTEEL_WRONG_RESULT);
}

/* Releases the command; returns the request's result, -EINPROGRESS if that follows later */
static int request_finish(struct firesteel_cmd *cmd, enum firesteel_fault fault)
{
	struct crypto_async_request *request = cmd->request;
	struct firesteel_context *context = firesteel_request_context(request);
	int result;

	firesteel_cmd_unmap(cmd);
	if (cmd->backup_size)
		atomic_long_inc(&context->algorithm->use.copies);
	if (fault)
		return request_once_more(cmd, FIRESTEEL_FAILED);
	result = context->algorithm->class->finish(request, cmd);
	/* software decides whether a message is authentic */
	if (result == -EBADMSG && !cmd->no_backup)
		return request_once_more(cmd, FIRESTEEL_TAG_RECHECK);
	if (result == FIRESTEEL_WAS_WRONG) {
		request_was_wrong(request);
		result = 0;
	}
	request_put_cmd(context, cmd);
	return result;
}

static void request_end(struct firesteel_cmd *cmd, enum firesteel_fault fault)
{
	struct crypto_async_request *request = cmd->request;
	int result = request_finish(cmd, fault);

	if (result != -EINPROGRESS)
		crypto_request_complete(request, result);
}

/* Starts or queues a command; returns the request's result if it has ended by then */
static int request_submit(struct firesteel_queue *queue, struct firesteel_cmd *cmd)
{
	int result;

	local_bh_disable();
	result = firesteel_queue_submit(queue, cmd);
	if (result != -EINPROGRESS)
		result = request_finish(cmd, result ? FIRESTEEL_REMOVED : FIRESTEEL_NO_FAULT);
	local_bh_enable();
	return result;
}

static int request_run_on_core(struct crypto_async_request *request, struct firesteel_cmd *cmd,
			       unsigned int bytes)
{
	struct firesteel_context *context = firesteel_request_context(request);
	int err;

	request_load_keys(context, cmd);
	cmd->bytes = bytes;
	cmd->started = false;
	cmd->verified = false;
	cmd->ciphertext = false;
	err = context->algorithm->class->build(request, cmd);
	if (err) {
		firesteel_cmd_unmap(cmd);
		request_put_cmd(context, cmd);
		return err < 0 ? err : request_run_in_software(request, FIRESTEEL_SHAPE, bytes);
	}
	firesteel_count(&context->algorithm->use, FIRESTEEL_HARDWARE, bytes);
	cmd->request = request;
	cmd->end = request_end;
	cmd->waited = request->flags & (CRYPTO_TFM_REQ_MAY_SLEEP | CRYPTO_TFM_REQ_MAY_BACKLOG);
	return request_submit(&context->device->queue, cmd);
}

int firesteel_request_run(struct crypto_async_request *request, unsigned int bytes)
{
	struct firesteel_context *context = firesteel_request_context(request);
	enum firesteel_path path = request_choose(context, bytes);
	struct firesteel_cmd *cmd;

	if (path != FIRESTEEL_HARDWARE)
		return request_run_in_software(request, path, bytes);
	cmd = firesteel_queue_get(&context->device->queue, context->first_cmd);
	if (cmd)
		return request_run_on_core(request, cmd, bytes);
	if (request->flags & CRYPTO_TFM_REQ_MAY_BACKLOG &&
	    firesteel_queue_backlog(&context->device->queue, request))
		return -EBUSY;
	return request_run_in_software(request, FIRESTEEL_FULL, bytes);
}

void firesteel_request_resume(struct crypto_async_request *request, struct firesteel_cmd *cmd)
{
	struct firesteel_context *context = firesteel_request_context(request);
	unsigned int bytes = context->algorithm->class->bytes(request);
	int result;

	/* it has left the backlog, where its owner waits */
	crypto_request_complete(request, -EINPROGRESS);
	result = cmd ? request_run_on_core(request, cmd, bytes)
		     : request_run_in_software(request, FIRESTEEL_OUT_OF_SERVICE, bytes);
	if (result != -EINPROGRESS && result != -EBUSY)
		crypto_request_complete(request, result);
}
