/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A core that nothing outside of it can stop has to show that it ends what it is given, before it
 * is given what is others'.  From then on requests on which it gets stuck do not end, as it may
 * write to their memory.
 */
#ifndef FIRESTEEL_PROOF_H
#define FIRESTEEL_PROOF_H

#include "devices.h"

/* Gives the core a command on memory of the queue's, which nobody uses yet; may sleep.  False: it
 * does not end, and cannot be stopped, so it may write to that memory at any time.
 */
bool firesteel_proof_passes(struct firesteel_device *device);

#endif
