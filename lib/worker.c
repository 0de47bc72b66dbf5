/* SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "include/firesteel/firesteel.h"

enum state { QUEUED, RUNNING, DONE };

/* ---- the thread ---- */

static struct fs_task *next_task(struct fs_worker *worker)
{
	struct fs_task *task;

	worker->idle++;
	while (!worker->first && !worker->stop)
		pthread_cond_wait(&worker->come, &worker->mutex);
	worker->idle--;
	task = worker->first;
	if (!task)
		return NULL;
	worker->waiting--;
	worker->first = task->next;
	if (!worker->first)
		worker->last = NULL;
	atomic_store(&task->state, RUNNING);
	return task;
}

static void *work(void *opaque)
{
	struct fs_worker *worker = opaque;
	struct fs_task *task;

	pthread_mutex_lock(&worker->mutex);
	while ((task = next_task(worker))) {
		pthread_mutex_unlock(&worker->mutex);
		task->run(task);
		pthread_mutex_lock(&worker->mutex);
		task->notify(task);
		atomic_store(&task->state, DONE);
		pthread_cond_broadcast(&worker->done);
	}
	pthread_mutex_unlock(&worker->mutex);
	return NULL;
}

/* The library's threads handle none of the program's signals */
static int start_thread(struct fs_worker *worker)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&worker->thread[worker->running], NULL, work, worker);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error) {
		errno = error;
		return FIRESTEEL_ERROR_SYSTEM;
	}
	worker->running++;
	return FIRESTEEL_OK;
}

/* For one more task.  One thread is enough to do all. */
static int have_thread(struct fs_worker *worker)
{
	int error = FIRESTEEL_OK;

	if (worker->waiting >= worker->idle && worker->running < worker->most)
		error = start_thread(worker);
	return worker->running > 0 ? FIRESTEEL_OK : error;
}

void fs_worker_begin(struct fs_worker *worker, unsigned most)
{
	*worker = (struct fs_worker){
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.come = PTHREAD_COND_INITIALIZER,
		.done = PTHREAD_COND_INITIALIZER,
		.most = most < FS_WORKER_THREADS ? most : FS_WORKER_THREADS,
	};
}

void fs_worker_end(struct fs_worker *worker)
{
	pthread_mutex_lock(&worker->mutex);
	worker->stop = true;
	pthread_cond_broadcast(&worker->come);
	pthread_mutex_unlock(&worker->mutex);
	for (unsigned i = 0; i < worker->running; i++)
		pthread_join(worker->thread[i], NULL);
}

/* ---- tasks ---- */

int fs_worker_add(struct fs_worker *worker, struct fs_task *task)
{
	int error;

	pthread_mutex_lock(&worker->mutex);
	error = have_thread(worker);
	if (!error) {
		worker->waiting++;
		if (worker->last)
			worker->last->next = task;
		else
			worker->first = task;
		worker->last = task;
		pthread_cond_signal(&worker->come);
	}
	pthread_mutex_unlock(&worker->mutex);
	return error;
}

static bool is_done(const struct fs_task *task)
{
	return atomic_load(&task->state) == DONE;
}

bool fs_worker_is_done(struct fs_worker *worker, const struct fs_task *task)
{
	bool done = is_done(task);

	if (done)
		return true;
	/* others may have been told of its end, and it is not done before the lock is free */
	pthread_mutex_lock(&worker->mutex);
	done = is_done(task);
	pthread_mutex_unlock(&worker->mutex);
	return done;
}

void fs_worker_wait(struct fs_worker *worker, struct fs_task *task)
{
	if (is_done(task))
		return;
	pthread_mutex_lock(&worker->mutex);
	while (!is_done(task))
		pthread_cond_wait(&worker->done, &worker->mutex);
	pthread_mutex_unlock(&worker->mutex);
}

static bool take_out(struct fs_worker *worker, struct fs_task *task)
{
	struct fs_task *before = NULL, *at;

	for (at = worker->first; at && at != task; at = at->next)
		before = at;
	if (!at)
		return false;
	if (before)
		before->next = task->next;
	else
		worker->first = task->next;
	if (worker->last == task)
		worker->last = before;
	worker->waiting--;
	return true;
}

bool fs_worker_withdraw(struct fs_worker *worker, struct fs_task *task)
{
	bool taken;

	pthread_mutex_lock(&worker->mutex);
	taken = take_out(worker, task);
	pthread_mutex_unlock(&worker->mutex);
	return taken;
}
