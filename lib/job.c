/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: requests that a thread of this library does, one thread for each core. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cancel.h"
#include "copy.h"
#include "device.h"
#include "fork.h"
#include "operation-table.h"
#include "request.h"
#include "worker.h"

struct firesteel_job {
	struct fs_task task; /* first: a task is its job */
	struct fs_worker *worker;
	struct firesteel *device;
	struct firesteel_request request;
	struct fs_copy *copy; /* what `request` points at; NULL: the caller's memory */
	uint64_t process; /* the number of the one that it belongs to */
	int fd;
	bool fd_is_ours; /* not the caller's */
	int result;
};

/* ---- in the thread ---- */

static void run(struct fs_task *task)
{
	struct firesteel_job *job = (struct firesteel_job *)task;

	job->result = firesteel_run(job->device, &job->request);
}

static void notify(struct fs_task *task)
{
	const struct firesteel_job *job = (const struct firesteel_job *)task;
	const uint64_t one = 1;
	ssize_t ignored;

	do
		ignored = write(job->fd, &one, sizeof(one));
	while (ignored < 0 && errno == EINTR);
}

/* ---- submitting ---- */

static struct firesteel_job *new_job(struct firesteel *device, const struct fs_operation *operation,
				     const struct firesteel_request *request, int fd)
{
	struct firesteel_job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->task.run = run;
	job->task.notify = notify;
	job->device = device;
	job->worker = &device->worker[operation->core];
	memcpy(&job->request, request, firesteel_request_size(request->operation));
	job->process = fs_fork_generation();
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

/* From now on it needs nothing of the caller's */
static int own_operands(struct firesteel_job *job, const struct fs_operation *operation)
{
	job->copy = fs_copy_new(operation, &job->request);
	if (!job->copy)
		return FIRESTEEL_ERROR_MEMORY;
	job->request = *fs_copy_request(job->copy);
	return FIRESTEEL_OK;
}

static int submit(struct firesteel *device, const struct firesteel_request *request, int fd,
		  bool copy, struct firesteel_job **job)
{
	const struct fs_operation *operation = fs_operation_find(request->operation);
	FS_UNCANCELLED;
	int error = fs_device_enter(device);

	if (!error)
		error = fs_request_check(&device->capabilities, operation, request, true);
	if (error)
		return error;
	*job = new_job(device, operation, request, fd);
	if (!*job)
		return FIRESTEEL_ERROR_MEMORY;
	if ((*job)->fd < 0)
		error = FIRESTEEL_ERROR_SYSTEM;
	if (!error && copy)
		error = own_operands(*job, operation);
	if (!error)
		error = fs_worker_add((*job)->worker, &(*job)->task);
	if (error) {
		free_job(*job);
		*job = NULL;
	}
	return error;
}

static int take_and_submit(struct firesteel *device, const struct firesteel_request *request,
			   size_t size, int fd, bool copy, struct firesteel_job **job)
{
	struct fs_taken taken;
	int error;

	if (!device || !job)
		return FIRESTEEL_ERROR_INVALID;
	*job = NULL;
	error = fs_request_take(&taken, request, size);
	return error ? error : submit(device, taken.request, fd, copy, job);
}

int firesteel_submit_sized(struct firesteel *device, const struct firesteel_request *request,
			   size_t size, struct firesteel_job **job)
{
	return take_and_submit(device, request, size, -1, false, job);
}

int firesteel_submit_fd_sized(struct firesteel *device, const struct firesteel_request *request,
			      size_t size, int fd, struct firesteel_job **job)
{
	return fd < 0 ? FIRESTEEL_ERROR_INVALID
		      : take_and_submit(device, request, size, fd, false, job);
}

int firesteel_submit_copy_sized(struct firesteel *device, const struct firesteel_request *request,
				size_t size, int fd, struct firesteel_job **job)
{
	return fd < 0 ? FIRESTEEL_ERROR_INVALID
		      : take_and_submit(device, request, size, fd, true, job);
}

/* ---- jobs ---- */

static bool is_inherited(const struct firesteel_job *job)
{
	return job->process != fs_fork_generation();
}

int firesteel_job_fd(const struct firesteel_job *job)
{
	return is_inherited(job) ? FIRESTEEL_ERROR_FORKED : job->fd;
}

int firesteel_job_done(const struct firesteel_job *job)
{
	FS_UNCANCELLED;

	return is_inherited(job) ? FIRESTEEL_ERROR_FORKED
				 : fs_worker_is_done(job->worker, &job->task);
}

int firesteel_job_wait(struct firesteel_job *job)
{
	FS_UNCANCELLED;

	if (is_inherited(job))
		return FIRESTEEL_ERROR_FORKED;
	fs_worker_wait(job->worker, &job->task);
	return FIRESTEEL_OK;
}

int firesteel_job_finish(struct firesteel_job *job)
{
	FS_UNCANCELLED;
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

int firesteel_job_free(struct firesteel_job *job)
{
	int error = FIRESTEEL_OK;
	FS_UNCANCELLED;

	if (is_inherited(job))
		error = FIRESTEEL_ERROR_FORKED;
	else if (!fs_worker_withdraw(job->worker, &job->task))
		fs_worker_wait(job->worker, &job->task);
	free_job(job);
	return error;
}
