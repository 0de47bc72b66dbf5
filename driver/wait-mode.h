/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How to wait for the end of a command; the module parameter `completion`. */
#ifndef FIRESTEEL_WAIT_MODE_H
#define FIRESTEEL_WAIT_MODE_H

enum firesteel_wait_mode {
	FIRESTEEL_WAIT_IRQ,
	FIRESTEEL_WAIT_POLL,
	FIRESTEEL_WAIT_ADAPTIVE, /* polls if a command ends before an interrupt would pay */
};

extern enum firesteel_wait_mode firesteel_wait_mode;

#endif
