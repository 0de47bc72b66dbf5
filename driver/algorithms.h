/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All algorithms: registered where there is a core for them, and measured. */
#ifndef FIRESTEEL_ALGORITHMS_H
#define FIRESTEEL_ALGORITHMS_H

struct firesteel_algorithm;

/* Registers the algorithms that devices support, and measures each new one; the log tells of those
 * that cannot be
 */
void firesteel_algorithms_register(void);

/* A device was added: does that in the background, once the module has been initialised */
void firesteel_algorithms_expect(void);

/* At module exit, when there is no transform and no new device */
void firesteel_algorithms_unregister(void);

/* Calls `change` while nothing is measured; then updates all break-evens */
void firesteel_algorithms_update(void (*change)(void *data), void *data);

/* Calls `each` for every algorithm that is registered */
void firesteel_algorithms_each(void (*each)(struct firesteel_algorithm *algorithm, void *data),
			       void *data);

#endif
