/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How to wait for the end of a job; the module parameter `completion`. */
#ifndef FIRESTEEL_COMPLETION_H
#define FIRESTEEL_COMPLETION_H

enum firesteel_completion {
	FIRESTEEL_COMPLETION_IRQ,
	FIRESTEEL_COMPLETION_POLL,
	FIRESTEEL_COMPLETION_ADAPTIVE, /* polls if a job ends before an interrupt would pay */
};

extern enum firesteel_completion firesteel_completion;

#endif
