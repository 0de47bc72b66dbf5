/* SPDX-License-Identifier: Apache-2.0 */
/* A core that has not answered is not used for a while, one that is gone never again. */
#ifndef FS_HEALTH_H
#define FS_HEALTH_H

#include "device.h"

/* 0, FIRESTEEL_ERROR_ABSENT, BUSY (others have all slots; tried again), FAULT (for a while after a core
 * has not answered) or GONE */
int fs_health_error(struct firesteel *device, enum fs_core core);

/* The core did not answer, or answered nonsense: returns FIRESTEEL_ERROR_FAULT */
int fs_health_faulty(struct firesteel *device, enum fs_core core);

/* Its result failed a check that another core's result passed: it is not used any more */
void fs_health_wrong(struct firesteel *device, enum fs_core core);

/* It failed, and was made ready for the next operation: returns FIRESTEEL_ERROR_FAULT */
int fs_health_recovered(struct firesteel *device);

/* All registers read all ones: returns FIRESTEEL_ERROR_GONE */
int fs_health_gone(struct firesteel *device, enum fs_core core);

#endif
