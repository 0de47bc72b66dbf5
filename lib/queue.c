/* SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "include/firesteel/firesteel.h"

enum state { QUEUED, RUNNING, DONE };

/* ---- the thread ---- */

static struct fs_task *next_task(struct fs_queue *queue)
{
	struct fs_task *task;

	while (!queue->first && !queue->stop)
		pthread_cond_wait(&queue->come, &queue->mutex);
	task = queue->first;
	if (!task)
		return NULL;
	queue->first = task->next;
	if (!queue->first)
		queue->last = NULL;
	atomic_store(&task->state, RUNNING);
	return task;
}

static void *work(void *opaque)
{
	struct fs_queue *queue = opaque;
	struct fs_task *task;

	pthread_mutex_lock(&queue->mutex);
	while ((task = next_task(queue))) {
		pthread_mutex_unlock(&queue->mutex);
		task->run(task);
		pthread_mutex_lock(&queue->mutex);
		task->notify(task);
		atomic_store(&task->state, DONE);
		pthread_cond_broadcast(&queue->done);
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

/* ---- tasks ---- */

int fs_queue_add(struct fs_queue *queue, struct fs_task *task)
{
	int error;

	pthread_mutex_lock(&queue->mutex);
	error = start_thread(queue);
	if (!error) {
		if (queue->last)
			queue->last->next = task;
		else
			queue->first = task;
		queue->last = task;
		pthread_cond_signal(&queue->come);
	}
	pthread_mutex_unlock(&queue->mutex);
	return error;
}

bool fs_task_is_done(const struct fs_task *task)
{
	return atomic_load(&task->state) == DONE;
}

void fs_queue_wait(struct fs_queue *queue, struct fs_task *task)
{
	if (fs_task_is_done(task))
		return;
	pthread_mutex_lock(&queue->mutex);
	while (!fs_task_is_done(task))
		pthread_cond_wait(&queue->done, &queue->mutex);
	pthread_mutex_unlock(&queue->mutex);
}

static bool take_out(struct fs_queue *queue, struct fs_task *task)
{
	struct fs_task *before = NULL, *at;

	for (at = queue->first; at && at != task; at = at->next)
		before = at;
	if (!at)
		return false;
	if (before)
		before->next = task->next;
	else
		queue->first = task->next;
	if (queue->last == task)
		queue->last = before;
	return true;
}

bool fs_queue_withdraw(struct fs_queue *queue, struct fs_task *task)
{
	bool taken;

	pthread_mutex_lock(&queue->mutex);
	taken = take_out(queue, task);
	pthread_mutex_unlock(&queue->mutex);
	return taken;
}
