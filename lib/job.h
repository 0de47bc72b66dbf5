/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: requests that a thread of this library does, one thread for each core. */
#ifndef FS_JOB_H
#define FS_JOB_H

#include <pthread.h>
#include <stdbool.h>

struct firesteel_job;

struct fs_queue {
	pthread_mutex_t mutex;
	pthread_cond_t come; /* a job, or the end */
	pthread_cond_t done; /* a job is */
	struct firesteel_job *first;
	struct firesteel_job *last;
	bool running; /* there is a thread */
	bool stop;
	pthread_t thread;
};

/* Also in a forked child, which has no threads */
void fs_queue_begin(struct fs_queue *queue);

/* When the jobs that are there are done */
void fs_queue_end(struct fs_queue *queue);

#endif
