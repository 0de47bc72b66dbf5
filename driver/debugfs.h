/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /sys/kernel/debug/firesteel: requests, queues, costs, and what programs did with cores. */
#ifndef FIRESTEEL_DEBUGFS_H
#define FIRESTEEL_DEBUGFS_H

void firesteel_debugfs_open(void);
void firesteel_debugfs_close(void);

#endif
