// SPDX-License-Identifier: GPL-2.0-or-later
#include "request.h"

#include "section.h"

/* ---- contexts ---- */

int firesteel_context_open(struct firesteel_context *context, struct firesteel_algorithm *algorithm)
{
	struct firesteel_device *device;

	context->order = firesteel_order_open();
	if (!context->order)
		return -ENOMEM;
	device = firesteel_devices_get(&algorithm->need);
	context->algorithm = algorithm;
	context->device = device;
	context->way = FIRESTEEL_CHEAPEST;
	/* so that transforms with a few requests in flight each use different commands */
	if (device)
		context->first_cmd = 4 * (unsigned int)atomic_inc_return(&device->queue.transforms);
	return 0;
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
	firesteel_order_close(context->order);
	memzero_explicit(context, sizeof(*context));
}

static unsigned int context_aes_keys(const struct firesteel_context *context)
{
	return context->algorithm->mode == SILEX_AES_MODE_XTS ? 2 : 1;
}

bool firesteel_context_is_aes_key(const struct firesteel_context *context, unsigned int size)
{
	unsigned int keys = context_aes_keys(context);

	return size % keys == 0 && silex_aes_is_key_size(size / keys);
}

void firesteel_context_set_aes(struct firesteel_context *context, const u8 *key, unsigned int size)
{
	unsigned int keys = context_aes_keys(context), each = size / keys;

	context->key_size = each;
	memcpy(context->keys.aes, key, each);
	if (keys > 1)
		memcpy(context->keys.aes2, key + each, each);
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

/* Whether its caller may wait: sleep until it has ended, or be held back until there is room */
static bool request_is_waited(const struct crypto_async_request *request)
{
	return request->flags & (CRYPTO_TFM_REQ_MAY_SLEEP | CRYPTO_TFM_REQ_MAY_BACKLOG);
}

static bool request_is_too_small(const struct crypto_async_request *request,
				 const struct firesteel_context *context, unsigned int bytes)
{
	const struct firesteel_cost *cost = &context->algorithm->cost;
	const struct firesteel_minimum *minimum;

	if (firesteel_queue_is_busy(&context->device->queue))
		return bytes < READ_ONCE(cost->busy_minimum);
	minimum = request_is_waited(request) ? &cost->waiting : &cost->going_on;
	return !firesteel_minimum_allows(minimum, bytes);
}

/* Where a request goes; to the core if there is a command for it */
static enum firesteel_path request_choose(const struct crypto_async_request *request,
					  const struct firesteel_context *context,
					  unsigned int bytes)
{
	const struct firesteel_device *device = context->device;

	if (!device || !firesteel_queue_in_service(&device->queue))
		return FIRESTEEL_OUT_OF_SERVICE;
	if (unlikely(context->way != FIRESTEEL_CHEAPEST))
		return context->way == FIRESTEEL_SOFTWARE ? FIRESTEEL_SMALL : FIRESTEEL_HARDWARE;
	if (request_is_too_small(request, context, bytes))
		return FIRESTEEL_SMALL;
	return FIRESTEEL_HARDWARE;
}

static enum firesteel_wait_mode request_wait_mode(const struct firesteel_context *context)
{
	switch (context->way) {
	case FIRESTEEL_POLLED:
		return FIRESTEEL_WAIT_POLL;
	case FIRESTEEL_INTERRUPTED:
		return FIRESTEEL_WAIT_IRQ;
	default:
		return READ_ONCE(firesteel_wait_mode);
	}
}

/* ---- the order ---- */

static struct firesteel_ticket *request_ticket(struct crypto_async_request *request)
{
	const struct firesteel_context *context = firesteel_request_context(request);

	return (void *)request + context->algorithm->class->state;
}

/* Whether its end follows */
static bool request_is_under_way(int result)
{
	return result == -EINPROGRESS || result == -EBUSY;
}

static void request_place(struct crypto_async_request *request)
{
	struct firesteel_context *context = firesteel_request_context(request);

	local_bh_disable();
	firesteel_order_enter(context->order, request_ticket(request));
	local_bh_enable();
}

/* The end of a submission: a request that has ended behind others completes when these have */
static int request_return(struct crypto_async_request *request, int result)
{
	struct firesteel_context *context;
	struct firesteel_ticket *ticket;

	/* it may have completed, and be gone */
	if (request_is_under_way(result))
		return result;
	context = firesteel_request_context(request);
	ticket = request_ticket(request);
	if (!ticket->placed) {
		if (!firesteel_order_is_busy(context->order))
			return result;
		request_place(request);
	}
	return firesteel_order_return(context->order, ticket, result);
}

/* ---- software ---- */

/* Returns the result; or -EINPROGRESS or -EBUSY: the request has its place, and software's own
 * queue ends it
 */
static int request_do_in_software(struct crypto_async_request *request,
				  int (*software)(struct crypto_async_request *request))
{
	bool placed = request_ticket(request)->placed;
	int result = software(request);

	/* without a place it cannot have completed */
	if (!placed && request_is_under_way(result))
		request_place(request);
	return result;
}

static int request_count_in_software(struct crypto_async_request *request, enum firesteel_path path,
				     unsigned int bytes)
{
	struct firesteel_context *context = firesteel_request_context(request);

	firesteel_count(&context->algorithm->use, path, bytes);
	return request_do_in_software(request, context->algorithm->class->software);
}

void firesteel_request_software_ended(firesteel_completed *completed, int result)
{
	struct crypto_async_request *request = firesteel_completed_data(completed);
	struct firesteel_context *context = firesteel_request_context(request);
	struct firesteel_ticket *ticket = request_ticket(request);

	local_bh_disable();
	if (result != -EINPROGRESS)
		firesteel_order_end(context->order, ticket, result);
	else if (!ticket->accepted)
		/* it has left the backlog of software's queue */
		firesteel_complete(request, -EINPROGRESS);
	local_bh_enable();
}

int firesteel_request_run_in_software(struct crypto_async_request *request,
				      int (*software)(struct crypto_async_request *request))
{
	firesteel_ticket_open(request_ticket(request), request);
	return request_return(request, request_do_in_software(request, software));
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
	request_ticket(request)->accepted = true;
	result = request_count_in_software(request, path, bytes);
	return request_is_under_way(result) ? -EINPROGRESS : result;
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
static int request_finish(struct firesteel_cmd *cmd, struct firesteel_section *section)
{
	struct crypto_async_request *request = cmd->request;
	struct firesteel_context *context = firesteel_request_context(request);
	enum firesteel_outcome outcome = FIRESTEEL_NOT_FOR_CORE;

	firesteel_cmd_unmap(cmd);
	if (cmd->backup_size)
		atomic_long_inc(&context->algorithm->use.copies);
	if (cmd->verified || cmd->fault)
		firesteel_section_add(section, cmd->bytes);
	if (!cmd->fault)
		outcome = context->algorithm->class->finish(request, cmd);
	if (outcome == FIRESTEEL_NOT_FOR_CORE)
		return request_once_more(cmd, FIRESTEEL_FAILED);
	/* software decides whether a message is authentic */
	if (outcome == FIRESTEEL_NOT_AUTHENTIC && !cmd->no_backup) {
		firesteel_section_add(section, cmd->bytes);
		return request_once_more(cmd, FIRESTEEL_TAG_RECHECK);
	}
	if (outcome == FIRESTEEL_WAS_WRONG)
		request_was_wrong(request);
	request_put_cmd(context, cmd);
	return outcome == FIRESTEEL_NOT_AUTHENTIC ? -EBADMSG : 0;
}

static void request_end(struct firesteel_cmd *cmd, struct firesteel_section *section)
{
	struct firesteel_order *order = cmd->order;
	struct firesteel_ticket *ticket = cmd->ticket;
	int result = request_finish(cmd, section);

	if (result != -EINPROGRESS)
		firesteel_order_end(order, ticket, result);
}

/* Starts or queues a command; returns the request's result if it has ended by then */
static int request_submit(struct firesteel_queue *queue, struct firesteel_cmd *cmd)
{
	enum firesteel_submission submission;
	int result = -EINPROGRESS;

	local_bh_disable();
	submission = firesteel_queue_submit(queue, cmd);
	if (submission != FIRESTEEL_FOLLOWS) {
		/* its submitter's own time */
		struct firesteel_section section = {};

		cmd->fault = submission == FIRESTEEL_REFUSED ? FIRESTEEL_REMOVED
							     : FIRESTEEL_NO_FAULT;
		result = request_finish(cmd, &section);
	}
	local_bh_enable();
	return result;
}

/* It has not begun */
static int request_not_built(struct crypto_async_request *request, struct firesteel_cmd *cmd,
			     enum firesteel_outcome outcome, unsigned int bytes)
{
	firesteel_cmd_unmap(cmd);
	request_put_cmd(firesteel_request_context(request), cmd);
	if (outcome == FIRESTEEL_NOT_AUTHENTIC)
		return -EBADMSG;
	return request_count_in_software(request, FIRESTEEL_SHAPE, bytes);
}

static int request_run_on_core(struct crypto_async_request *request, struct firesteel_cmd *cmd,
			       unsigned int bytes)
{
	struct firesteel_context *context = firesteel_request_context(request);
	enum firesteel_outcome outcome;

	request_load_keys(context, cmd);
	cmd->bytes = bytes;
	cmd->started = false;
	cmd->verified = false;
	cmd->ciphertext = false;
	outcome = context->algorithm->class->build(request, cmd);
	if (outcome != FIRESTEEL_GOOD)
		return request_not_built(request, cmd, outcome, bytes);
	firesteel_count(&context->algorithm->use, FIRESTEEL_HARDWARE, bytes);
	cmd->request = request;
	cmd->order = context->order;
	cmd->ticket = request_ticket(request);
	cmd->end = request_end;
	cmd->waited = request_is_waited(request);
	cmd->wait = request_wait_mode(context);
	return request_submit(&context->device->queue, cmd);
}

/* There is no command for it */
static int request_wait(struct crypto_async_request *request, unsigned int bytes)
{
	struct firesteel_context *context = firesteel_request_context(request);
	bool held_back = request->flags & CRYPTO_TFM_REQ_MAY_BACKLOG;

	request_place(request);
	if (firesteel_queue_backlog(&context->device->queue, request, held_back))
		return held_back ? -EBUSY : -EINPROGRESS;
	return request_count_in_software(request, FIRESTEEL_FULL, bytes);
}

static int request_send(struct crypto_async_request *request, unsigned int bytes)
{
	struct firesteel_context *context = firesteel_request_context(request);
	enum firesteel_path path = request_choose(request, context, bytes);
	struct firesteel_cmd *cmd;

	if (path != FIRESTEEL_HARDWARE)
		return request_count_in_software(request, path, bytes);
	cmd = firesteel_queue_get(&context->device->queue, context->first_cmd);
	return cmd ? request_run_on_core(request, cmd, bytes) : request_wait(request, bytes);
}

int firesteel_request_run(struct crypto_async_request *request, unsigned int bytes)
{
	firesteel_ticket_open(request_ticket(request), request);
	return request_return(request, request_send(request, bytes));
}

void firesteel_request_resume(struct crypto_async_request *request, struct firesteel_cmd *cmd,
			      struct firesteel_section *section)
{
	struct firesteel_context *context = firesteel_request_context(request);
	unsigned int bytes = context->algorithm->class->bytes(request);
	struct firesteel_ticket *ticket = request_ticket(request);
	struct firesteel_order *order = context->order;
	int result;

	/* it has left the backlog, where its owner waits */
	if (request->flags & CRYPTO_TFM_REQ_MAY_BACKLOG)
		firesteel_complete(request, -EINPROGRESS);
	ticket->accepted = true;
	/* software may do it, or the core be polled for it */
	firesteel_section_begin(section);
	result = cmd ? request_run_on_core(request, cmd, bytes)
		     : request_count_in_software(request, FIRESTEEL_OUT_OF_SERVICE, bytes);
	if (request_is_under_way(result))
		return;
	firesteel_section_add(section, bytes);
	firesteel_order_end(order, ticket, result);
}
