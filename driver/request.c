// SPDX-License-Identifier: GPL-2.0-or-later
#include "request.h"

/* ---- contexts ---- */

void firesteel_context_open(struct firesteel_context *context,
			    struct firesteel_algorithm *algorithm)
{
	struct firesteel_device *device = firesteel_device_get(&algorithm->need);

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
		firesteel_queue_each_free(&context->device->queue, context_cleanse_keys, context);
	firesteel_device_put(context->device);
	memzero_explicit(context, sizeof(*context));
}

void firesteel_context_keyed(struct firesteel_context *context)
{
	static atomic_t versions;

	/* unique: another context may later have the same address */
	context->version = atomic_inc_return(&versions);
	if (context->device)
		firesteel_queue_each_free(&context->device->queue, context_cleanse_keys, context);
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
	return context->algorithm->ops->software(request);
}

/* ---- the path through the queue ---- */

/* Leaves nothing of the request in the command */
static void request_put_cmd(struct firesteel_cmd *cmd)
{
	firesteel_cmd_cleanse(cmd);
	firesteel_queue_put(cmd);
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
	unsigned int bytes = context->algorithm->ops->bytes(request);
	bool intact = request_restores(cmd);
	int result;

	request_put_cmd(cmd);
	if (!intact) {
		firesteel_count(&context->algorithm->use, path, bytes);
		return -EIO;
	}
	result = request_run_in_software(request, path, bytes);
	/* software's own queue completes the request */
	return result == -EBUSY ? -EINPROGRESS : result;
}

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
	result = context->algorithm->ops->finish(request, cmd);
	/* software decides whether a message is authentic */
	if (result == -EBADMSG && !cmd->no_backup)
		return request_once_more(cmd, FIRESTEEL_TAG_RECHECK);
	request_put_cmd(cmd);
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
	err = context->algorithm->ops->build(request, cmd);
	if (err) {
		firesteel_cmd_unmap(cmd);
		request_put_cmd(cmd);
		return err < 0 ? err : request_run_in_software(request, FIRESTEEL_SHAPE, bytes);
	}
	firesteel_count(&context->algorithm->use, FIRESTEEL_HARDWARE, bytes);
	cmd->request = request;
	cmd->finish = request_finish;
	cmd->waited = request->flags & (CRYPTO_TFM_REQ_MAY_SLEEP | CRYPTO_TFM_REQ_MAY_BACKLOG);
	return firesteel_queue_submit(cmd);
}

int firesteel_request_run(struct crypto_async_request *request)
{
	struct firesteel_context *context = firesteel_request_context(request);
	unsigned int bytes = context->algorithm->ops->bytes(request);
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
	unsigned int bytes = context->algorithm->ops->bytes(request);
	int result;

	/* it has left the backlog, where its owner waits */
	crypto_request_complete(request, -EINPROGRESS);
	result = cmd ? request_run_on_core(request, cmd, bytes)
		     : request_run_in_software(request, FIRESTEEL_OUT_OF_SERVICE, bytes);
	if (result != -EINPROGRESS && result != -EBUSY)
		crypto_request_complete(request, result);
}

void firesteel_request_was_wrong(struct crypto_async_request *request)
{
	struct firesteel_context *context = firesteel_request_context(request);

	firesteel_count(&context->algorithm->use, FIRESTEEL_FAILED,
			context->algorithm->ops->bytes(request));
	firesteel_queue_fail(&context->device->queue, FIRESTEEL_WRONG_RESULT);
}

/* ---- items ---- */

/* Some cores take the key's size from the word, some from the item's length */
static u32 request_key_bits(unsigned int size)
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

void firesteel_request_configure(struct firesteel_context *context, struct firesteel_cmd *cmd,
				 bool decrypt)
{
	unsigned int size = context->key_size, begin = cmd->fetches;
	u32 mode = context->algorithm->mode;

	cmd->arena->word = cpu_to_le32(mode | request_key_bits(size) |
				       (decrypt ? SILEX_AES_DECRYPT : 0));
	if (!begin && cmd->prefix) {
		cmd->fetches = cmd->prefix;
		return;
	}
	firesteel_cmd_fetch_arena(cmd, word, sizeof(cmd->arena->word),
				  FIRESTEEL_AES_CONFIG(SILEX_AES_CONFIG));
	firesteel_cmd_fetch_arena(cmd, keys.aes, size, FIRESTEEL_AES_CONFIG(SILEX_AES_KEY));
	if (mode == SILEX_AES_MODE_XTS)
		firesteel_cmd_fetch_arena(cmd, keys.aes2, size,
					  FIRESTEEL_AES_CONFIG(SILEX_AES_KEY2));
	if (!begin)
		cmd->prefix = cmd->fetches;
}

#define HASH_KEY (SILEX_ENGINE_HASH | SILEX_TAG_TYPE(SILEX_HASH_DATA_KEY))

void firesteel_request_configure_hash(struct firesteel_context *context, struct firesteel_cmd *cmd,
				      u32 algorithm, bool hmac)
{
	unsigned int size = context->mac_key_size;

	/* they replace the descriptors of an AES key */
	if (!cmd->fetches)
		cmd->prefix = 0;
	cmd->arena->hash_word = cpu_to_le32(algorithm | SILEX_HASH_PAD | SILEX_HASH_FINAL |
					    (hmac ? SILEX_HASH_HMAC : 0));
	firesteel_cmd_fetch_arena(cmd, hash_word, sizeof(cmd->arena->hash_word),
				  SILEX_ENGINE_HASH | SILEX_TAG_CONFIG);
	if (!hmac)
		return;
	if (size)
		firesteel_cmd_fetch(cmd, cmd->address + offsetof(struct firesteel_arena, keys.mac),
				    size, 0, HASH_KEY);
	firesteel_cmd_fetch_end(cmd, size, SILEX_HASH_WORD, HASH_KEY | SILEX_TAG_LAST);
}
