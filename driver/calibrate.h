/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures what an algorithm costs in software and on the core, when it is registered. */
#ifndef FIRESTEEL_CALIBRATE_H
#define FIRESTEEL_CALIBRATE_H

struct firesteel_algorithm;

/* Sets algorithm->cost; what cannot be measured goes to the core */
void firesteel_calibrate(struct firesteel_algorithm *algorithm);

/* After the last transform was closed, before the module goes */
void firesteel_calibrate_settle(void);

#endif
