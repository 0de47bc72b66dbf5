/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the end of a job is waited for; the module parameter `completion`. */
#ifndef FIRESTEEL_COMPLETION_H
#define FIRESTEEL_COMPLETION_H

enum firesteel_completion {
	FIRESTEEL_COMPLETION_IRQ,
	FIRESTEEL_COMPLETION_POLL,
	FIRESTEEL_COMPLETION_ADAPTIVE, /* polls for what ends before an interrupt pays */
};

extern enum firesteel_completion firesteel_completion;

#endif
