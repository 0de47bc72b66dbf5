/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a run ends when something is wrong with it. */
#ifndef FIRESTEEL_LOCKSTEP_FAIL_H
#define FIRESTEEL_LOCKSTEP_FAIL_H

/* End this node, and with it the run, for a reason that is passed on */
G_NORETURN void lockstep_fail(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Whom to tell the reason */
void lockstep_fail_tells(void (*tell)(const char *reason));

#endif
