/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module that does, when told, what the debug kernel must report:
 *
 *	echo leak >/sys/module/misdeeds/parameters/commit
 *
 * The kernel stays fit for more: no misdeed changes memory that anyone else uses.
 */
#ifndef MISDEEDS_H
#define MISDEEDS_H

/* Offers SHA-256 that is wrong for long messages alone; returns a negative error number */
int digest_offer(void);
void digest_withdraw(void);

#endif
