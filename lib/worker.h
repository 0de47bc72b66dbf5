/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that take tasks in order of arrival.  A new thread starts when a task finds no free
 * thread. */
#ifndef FS_WORKER_H
#define FS_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define FS_WORKER_THREADS 16u

struct fs_task {
	void (*run)(struct fs_task *task); /* does it */
	void (*notify)(struct fs_task *task); /* informs others just before it is done */
	struct fs_task *next;
	atomic_int state;
};

struct fs_worker {
	pthread_mutex_t mutex;
	pthread_cond_t come; /* a task has come, or the end */
	pthread_cond_t done; /* a task is done */
	struct fs_task *first;
	struct fs_task *last;
	unsigned waiting; /* tasks */
	unsigned idle; /* threads */
	unsigned running; /* threads */
	unsigned most; /* the most threads */
	bool stop;
	pthread_t thread[FS_WORKER_THREADS];
};

/* With at most `most` threads.  Call it in a forked child too, because threads are not
 * inherited. */
void fs_worker_begin(struct fs_worker *worker, unsigned most);

/* Returns when all present tasks are done */
void fs_worker_end(struct fs_worker *worker);

/* FIRESTEEL_OK, or FIRESTEEL_ERROR_SYSTEM if no thread can be started */
int fs_worker_add(struct fs_worker *worker, struct fs_task *task);

/* Whoever sees that a task is done may free it.  Only those whom notify() has informed may call
 * this. */
bool fs_worker_is_done(struct fs_worker *worker, const struct fs_task *task);
void fs_worker_wait(struct fs_worker *worker, struct fs_task *task);

/* Withdraws a task; false: it has begun already */
bool fs_worker_withdraw(struct fs_worker *worker, struct fs_task *task);

#endif
