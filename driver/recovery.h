/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens to a queue when its core fails: software finishes all its commands, the core is
 * reset, is out of service for a pause that doubles with each failure, and returns when it answers.
 */
#ifndef FIRESTEEL_RECOVERY_H
#define FIRESTEEL_RECOVERY_H

#include <linux/workqueue.h>

#include "fault.h"

struct device;
struct firesteel_queue;

/* All of it under the queue's lock, but what never changes */
struct firesteel_recovery {
	struct firesteel_queue *queue;
	struct device *dev;
	/* Stops the core by means from outside, and makes it ready for a reset; may sleep.  False:
	 * it has failed.  NULL: there are none.
	 */
	bool (*quiesce)(void *context);
	void *context; /* of it */
	bool closing;
	bool quiet; /* the core writes to memory no more */
	unsigned int faults; /* since it last worked; the log tells of the first */
	unsigned int backoff_ms; /* the next pause */
	u64 cmds_before; /* done before it last returned to service */
	struct delayed_work retry;
};

/* Resets the core and takes it into service; returns 0 or a negative error number.  The caller has
 * set `quiesce` and `context`.
 */
int firesteel_recovery_open(struct firesteel_recovery *recovery, struct firesteel_queue *queue,
			    struct device *dev);

/* Takes the core out of service until it is resumed, if ever; software finishes its commands.
 * False: the core could not be stopped; what it may write to is kept, and not used again.
 */
bool firesteel_recovery_close(struct firesteel_recovery *recovery);

/* The same, after which nothing of the commands stays in memory that the core reaches */
bool firesteel_recovery_suspend(struct firesteel_recovery *recovery);

/* Of a core that is not the queue's, and does not stop: it writes to memory no more.  False:
 * nothing keeps it from that.
 */
bool firesteel_recovery_cut_off(struct firesteel_recovery *recovery);

/* Back into service, at once or when the core answers */
void firesteel_recovery_resume(struct firesteel_recovery *recovery);

/* Whether the core has failed, and nothing has stopped it so far: what it was given does not end */
bool firesteel_recovery_is_stuck(struct firesteel_recovery *recovery);

/* The core has failed, and was taken out of service; under the queue's lock */
void firesteel_recovery_begin(struct firesteel_recovery *recovery, enum firesteel_fault fault);

#endif
