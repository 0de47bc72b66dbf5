/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Snapshots: a board that has booted, as a file that others start from.
 *
 * The guest says once that it has booted, by a register of the probe.  A board
 * that has a file to save to is written to it at that instant, and goes on; a
 * board that has one to resume from begins with it.  What both do from there is
 * the same to the last byte: all that the guest sees is in the file, and all
 * that its clock depends on.  The emulator's own translations are not.
 *
 * The cables must not be plugged in yet (lockstep.h), and nobody may have used
 * the cores: a board that is in the midst of such work is not saved.
 *
 * The file has the board's memory, with holes where that is zero, and behind it
 * the state of its devices, as QEMU's migration has it.
 */
#ifndef FIRESTEEL_SNAPSHOT_H
#define FIRESTEEL_SNAPSHOT_H

/* Save to @path when the guest is ready; no file if that cannot be */
void snapshot_save_to(const char *path);

/* Begin with the board that is in @path */
void snapshot_resume_from(const char *path);

/* The guest has booted.  On the vCPU thread, in an MMIO handler. */
void snapshot_guest_is_ready(void);

/* The machine has been made and reset, and does not run yet */
void snapshot_resume(void);

#endif
