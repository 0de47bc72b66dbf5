/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What some parts' public-key engine computes nothing without: a file of the firmware directories,
 * of which a copy stays in memory, as every reset of the engine loses it.
 */
#ifndef FIRESTEEL_MICROCODE_H
#define FIRESTEEL_MICROCODE_H

#include <linux/io.h>
#include <linux/types.h>

struct device;

struct firesteel_microcode {
	size_t size; /* bytes, a multiple of 4 */
	u8 bytes[];
};

/* The file for engines whose device tree names none; "": none */
extern char *firesteel_microcode_file;

/* A copy of the file that the device tree's `firmware-name` or else the parameter names, for
 * kfree().  NULL: none is named.  An error pointer: it cannot be used, and the log says why.
 */
struct firesteel_microcode *firesteel_microcode_read(struct device *dev);

/* To the window's microcode RAM at `code`, while the engine is idle */
void firesteel_microcode_write(const struct firesteel_microcode *microcode, void __iomem *code);

#endif
