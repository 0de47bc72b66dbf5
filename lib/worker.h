/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that take tasks in the order in which they came, each one after another.  A thread starts
 * when there is a task that none of the others is free for. */
#ifndef FS_WORKER_H
#define FS_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define FS_WORKER_THREADS 16u

struct fs_task {
	void (*run)(struct fs_task *task); /* does it */
	void (*notify)(struct fs_task *task); /* tells others that it is done, just before it is */
	struct fs_task *next;
	atomic_int state;
};

struct fs_worker {
	pthread_mutex_t mutex;
	pthread_cond_t come; /* a task, or the end */
	pthread_cond_t done; /* a task is */
	struct fs_task *first;
	struct fs_task *last;
	unsigned waiting; /* tasks */
	unsigned idle; /* threads */
	unsigned running; /* threads that there are */
	unsigned most; /* threads that there may be */
	bool stop;
	pthread_t thread[FS_WORKER_THREADS];
};

/* Of so many threads at the most.  Also in a forked child, which has none. */
void fs_worker_begin(struct fs_worker *worker, unsigned most);

/* When the tasks that are there are done */
void fs_worker_end(struct fs_worker *worker);

/* FIRESTEEL_OK, or FIRESTEEL_ERROR_SYSTEM: there is no thread */
int fs_worker_add(struct fs_worker *worker, struct fs_task *task);

/* Whoever sees that a task is done may free it.  It is for those whom notify() has told. */
bool fs_worker_is_done(struct fs_worker *worker, const struct fs_task *task);
void fs_worker_wait(struct fs_worker *worker, struct fs_task *task);

/* Withdraws a task that has not begun; false: it has */
bool fs_worker_withdraw(struct fs_worker *worker, struct fs_task *task);

#endif
