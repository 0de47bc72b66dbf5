/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a chain of commands ended without a result. */
#ifndef FIRESTEEL_FAULT_H
#define FIRESTEEL_FAULT_H

enum firesteel_fault {
	FIRESTEEL_NO_FAULT,
	FIRESTEEL_BUS_ERROR,
	FIRESTEEL_TIME_OUT,
	FIRESTEEL_GONE, /* registers read all ones, or as after a reset */
	FIRESTEEL_WRONG_RESULT, /* verify.c */
	FIRESTEEL_REMOVED,
};

#endif
