/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens to a queue when its core fails: software finishes all its commands, the core is
 * reset, is out of service for a pause that doubles with each failure, and returns when it answers.
 */
#ifndef FIRESTEEL_RECOVERY_H
#define FIRESTEEL_RECOVERY_H

#include "queue.h"

/* Interrupts of a core that is not polled for */
#define FIRESTEEL_INTERRUPTS \
	(SILEX_CM_INT_PUSH_STOPPED | SILEX_CM_INT_FETCH_ERROR | SILEX_CM_INT_PUSH_ERROR)

/* Of a core that works on lists; 0 after a reset */
#define FIRESTEEL_CONFIG (SILEX_CM_CONFIG_FETCH_SG | SILEX_CM_CONFIG_PUSH_SG)

void firesteel_recovery_open(struct firesteel_queue *queue);

/* Takes the core out of service until it is resumed, if ever; software finishes its commands */
void firesteel_recovery_close(struct firesteel_queue *queue);

/* Out of service: stops the core and its interrupts; software finishes all commands */
void firesteel_recovery_suspend(struct firesteel_queue *queue);

/* Back into service, at once or when the core answers */
void firesteel_recovery_resume(struct firesteel_queue *queue);

/* The core has failed; under the lock.  Moves finished commands to `done`, waiting and running ones
 * to `failed`.
 */
void firesteel_recovery_begin(struct firesteel_queue *queue, enum firesteel_fault fault,
			      struct list_head *done, struct list_head *failed);

/* Stops the core, without interrupts; false: it does not answer */
bool firesteel_recovery_stop(void __iomem *registers);

/* Stops the core and makes it ready for lists; false: it does not answer */
bool firesteel_recovery_reset(struct firesteel_queue *queue);

#endif
