/* SPDX-License-Identifier: Apache-2.0 */
#include "base/async.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <openssl/async.h>

#include "lib/cancel.h"
#include "lib/fork.h"

/* How often a job may be resumed before its request is done.  A job that is not allowed to pause
 * (ASYNC_block_pause()) looks the same. */
#define RESUMES_MAX 16u

/* What a wait context has of ours */
struct channel {
	uint64_t
		process; /* its number (lib/fork.h): a child inherits the descriptor, but must not use it */
	int fd;
	struct firesteel_job *job; /* NULL: none is under way */
};

/* Resets the descriptor */
static void drain(const struct channel *channel)
{
	uint64_t count;
	ssize_t ignored;
	FS_UNCANCELLED;

	if (channel->process != fs_fork_generation())
		return;
	do
		ignored = read(channel->fd, &count, sizeof(count));
	while (ignored < 0 && errno == EINTR);
}

/* Frees a request for which nobody waits any more, after the core has finished it */
static void abandon(struct channel *channel)
{
	if (!channel->job)
		return;
	firesteel_job_free(channel->job);
	channel->job = NULL;
	drain(channel);
}

/* ---- channels ---- */

static void close_channel(ASYNC_WAIT_CTX *wait, const void *key, OSSL_ASYNC_FD fd, void *data)
{
	struct channel *channel = data;
	FS_UNCANCELLED;

	(void)wait;
	(void)key;
	abandon(channel);
	close(fd);
	OPENSSL_free(channel);
}

static struct channel *new_channel(ASYNC_WAIT_CTX *wait, const void *key)
{
	struct channel *channel = OPENSSL_zalloc(sizeof(*channel));

	if (!channel)
		return NULL;
	channel->process = fs_fork_generation();
	channel->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (channel->fd >= 0 &&
	    ASYNC_WAIT_CTX_set_wait_fd(wait, key, channel->fd, channel, close_channel))
		return channel;
	if (channel->fd >= 0)
		close(channel->fd);
	OPENSSL_free(channel);
	return NULL;
}

/* That of the job that this is in; NULL: there is none, or it does not wait for descriptors */
static struct channel *find_channel(struct fsp_provider *provider)
{
	ASYNC_JOB *job = ASYNC_get_current_job();
	ASYNC_WAIT_CTX *wait = job ? ASYNC_get_wait_ctx(job) : NULL;
	ASYNC_callback_fn callback;
	void *found, *argument;
	OSSL_ASYNC_FD fd;

	if (!wait || ASYNC_WAIT_CTX_get_callback(wait, &callback, &argument))
		return NULL;
	if (!ASYNC_WAIT_CTX_get_fd(wait, provider, &fd, &found))
		return new_channel(wait, provider);
	if (((struct channel *)found)->process == fs_fork_generation())
		return found;
	ASYNC_WAIT_CTX_clear_fd(wait, provider);
	close_channel(wait, provider, fd, found);
	return new_channel(wait, provider);
}

/* ---- requests ---- */

/* Pauses the job until its request is done */
static void pause_job(struct firesteel_job *job)
{
	for (unsigned i = 0; firesteel_job_done(job) == 0; i++)
		if (i == RESUMES_MAX || !ASYNC_pause_job())
			firesteel_job_wait(job);
}

static int run(struct fsp_provider *provider, struct channel *channel,
	       const struct firesteel_request *request)
{
	struct firesteel_job *job;
	int error;

	/* A core may still write its results when the caller is gone */
	if (firesteel_submit_copy(provider->device, request, channel->fd, &job) != FIRESTEEL_OK)
		return firesteel_run(provider->device, request);
	channel->job = job;
	pause_job(job);
	channel->job = NULL;
	error = firesteel_job_finish(job);
	drain(channel);
	return error;
}

int fsp_async_run(struct fsp_provider *provider, const struct firesteel_request *request)
{
	struct channel *channel = find_channel(provider);

	if (!channel)
		return firesteel_run(provider->device, request);
	/* Of a job that was given up without its wait context */
	abandon(channel);
	return run(provider, channel, request);
}
