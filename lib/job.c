/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "copy.h"
#include "device.h"
#include "fork.h"
#include "request.h"

enum state { QUEUED, RUNNING, DONE };

struct firesteel_job {
	struct firesteel *device;
	struct fs_queue *queue;
	struct firesteel_request request;
	struct fs_copy *copy; /* what `request` points at; NULL: the caller's memory */
	struct firesteel_job *next;
	unsigned forks; /* of the process that it belongs to */
	int fd;
	bool fd_is_ours; /* not the caller's */
	atomic_int state;
	int result;
};

/* ---- the thread ---- */

static struct firesteel_job *next_job(struct fs_queue *queue)
{
	struct firesteel_job *job;

	while (!queue->first && !queue->stop)
		pthread_cond_wait(&queue->come, &queue->mutex);
	job = queue->first;
	if (!job)
		return NULL;
	queue->first = job->next;
	if (!queue->first)
		queue->last = NULL;
	atomic_store(&job->state, RUNNING);
	return job;
}

/* Whoever sees DONE may free the job */
static void end_job(struct fs_queue *queue, struct firesteel_job *job, int result)
{
	const uint64_t one = 1;
	ssize_t ignored;

	job->result = result;
	do
		ignored = write(job->fd, &one, sizeof(one));
	while (ignored < 0 && errno == EINTR);
	atomic_store(&job->state, DONE);
	pthread_cond_broadcast(&queue->done);
}

static void *work(void *opaque)
{
	struct fs_queue *queue = opaque;
	struct firesteel_job *job;

	pthread_mutex_lock(&queue->mutex);
	while ((job = next_job(queue))) {
		int result;

		pthread_mutex_unlock(&queue->mutex);
		result = firesteel_run(job->device, &job->request);
		pthread_mutex_lock(&queue->mutex);
		end_job(queue, job, result);
	}
	pthread_mutex_unlock(&queue->mutex);
	return NULL;
}

/* The library's thread handles none of the program's signals */
static int start_thread(struct fs_queue *queue)
{
	sigset_t all, before;
	int error;

	if (queue->running)
		return FIRESTEEL_OK;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&queue->thread, NULL, work, queue);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error) {
		errno = error;
		return FIRESTEEL_ERROR_SYSTEM;
	}
	queue->running = true;
	return FIRESTEEL_OK;
}

void fs_queue_begin(struct fs_queue *queue)
{
	*queue = (struct fs_queue){
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.come = PTHREAD_COND_INITIALIZER,
		.done = PTHREAD_COND_INITIALIZER,
	};
}

void fs_queue_end(struct fs_queue *queue)
{
	pthread_mutex_lock(&queue->mutex);
	queue->stop = true;
	pthread_cond_broadcast(&queue->come);
	pthread_mutex_unlock(&queue->mutex);
	if (queue->running)
		pthread_join(queue->thread, NULL);
}

/* ---- jobs ---- */

static struct firesteel_job *new_job(struct firesteel *device,
				     const struct firesteel_request *request, int fd)
{
	struct firesteel_job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->device = device;
	job->queue = &device->queue[fs_request_core(request->operation)];
	job->request = *request;
	job->forks = fs_fork_count();
	job->fd_is_ours = fd < 0;
	job->fd = fd < 0 ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : fd;
	return job;
}

static void free_job(struct firesteel_job *job)
{
	int error = errno;

	if (job->fd >= 0 && job->fd_is_ours)
		close(job->fd);
	fs_copy_free(job->copy);
	firesteel_wipe(job, sizeof(*job));
	free(job);
	errno = error;
}

static int enqueue(struct firesteel_job *job)
{
	struct fs_queue *queue = job->queue;
	int error;

	pthread_mutex_lock(&queue->mutex);
	error = start_thread(queue);
	if (!error) {
		if (queue->last)
			queue->last->next = job;
		else
			queue->first = job;
		queue->last = job;
		pthread_cond_signal(&queue->come);
	}
	pthread_mutex_unlock(&queue->mutex);
	return error;
}

/* From now on it needs nothing of the caller's */
static int own_operands(struct firesteel_job *job)
{
	job->copy = fs_copy_new(&job->request);
	if (!job->copy)
		return FIRESTEEL_ERROR_MEMORY;
	job->request = *fs_copy_request(job->copy);
	return FIRESTEEL_OK;
}

static int submit(struct firesteel *device, const struct firesteel_request *request, int fd,
		  bool copy, struct firesteel_job **job)
{
	int error;

	if (!device || !request || !job)
		return FIRESTEEL_ERROR_INVALID;
	*job = NULL;
	error = fs_device_enter(device);
	if (!error)
		error = fs_request_check(&device->capabilities, request, true);
	if (error)
		return error;
	*job = new_job(device, request, fd);
	if (!*job)
		return FIRESTEEL_ERROR_MEMORY;
	if ((*job)->fd < 0)
		error = FIRESTEEL_ERROR_SYSTEM;
	if (!error && copy)
		error = own_operands(*job);
	if (!error)
		error = enqueue(*job);
	if (error) {
		free_job(*job);
		*job = NULL;
	}
	return error;
}

int firesteel_submit(struct firesteel *device, const struct firesteel_request *request,
		     struct firesteel_job **job)
{
	return submit(device, request, -1, false, job);
}

int firesteel_submit_fd(struct firesteel *device, const struct firesteel_request *request, int fd,
			struct firesteel_job **job)
{
	return fd < 0 ? FIRESTEEL_ERROR_INVALID : submit(device, request, fd, false, job);
}

int firesteel_submit_copy(struct firesteel *device, const struct firesteel_request *request, int fd,
			  struct firesteel_job **job)
{
	return fd < 0 ? FIRESTEEL_ERROR_INVALID : submit(device, request, fd, true, job);
}

static bool is_inherited(const struct firesteel_job *job)
{
	return job->forks != fs_fork_count();
}

int firesteel_job_fd(const struct firesteel_job *job)
{
	return is_inherited(job) ? FIRESTEEL_ERROR_FORKED : job->fd;
}

int firesteel_job_done(const struct firesteel_job *job)
{
	if (is_inherited(job))
		return FIRESTEEL_ERROR_FORKED;
	return atomic_load(&job->state) == DONE;
}

int firesteel_job_wait(struct firesteel_job *job)
{
	struct fs_queue *queue = job->queue;

	if (is_inherited(job))
		return FIRESTEEL_ERROR_FORKED;
	if (atomic_load(&job->state) == DONE)
		return FIRESTEEL_OK;
	pthread_mutex_lock(&queue->mutex);
	while (atomic_load(&job->state) != DONE)
		pthread_cond_wait(&queue->done, &queue->mutex);
	pthread_mutex_unlock(&queue->mutex);
	return FIRESTEEL_OK;
}

int firesteel_job_finish(struct firesteel_job *job)
{
	int error = firesteel_job_wait(job);

	if (!error) {
		error = job->result;
		/* a wrong tag is a result, too: zeros instead of the payload */
		if (job->copy && (!error || error == FIRESTEEL_ERROR_TAG))
			fs_copy_out(job->copy);
	}
	free_job(job);
	return error;
}

/* Takes it out of the queue if it is still there */
static bool withdraw(struct firesteel_job *job)
{
	struct fs_queue *queue = job->queue;
	struct firesteel_job *before = NULL, *at;

	for (at = queue->first; at && at != job; at = at->next)
		before = at;
	if (!at)
		return false;
	if (before)
		before->next = job->next;
	else
		queue->first = job->next;
	if (queue->last == job)
		queue->last = before;
	return true;
}

int firesteel_job_free(struct firesteel_job *job)
{
	bool withdrawn = false;
	int error = FIRESTEEL_OK;

	if (is_inherited(job)) {
		error = FIRESTEEL_ERROR_FORKED;
	} else if (atomic_load(&job->state) != DONE) {
		pthread_mutex_lock(&job->queue->mutex);
		withdrawn = withdraw(job);
		pthread_mutex_unlock(&job->queue->mutex);
		if (!withdrawn)
			firesteel_job_wait(job);
	}
	free_job(job);
	return error;
}
