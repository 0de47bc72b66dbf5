/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the classifier takes of QEMU's header of this name. */
#ifndef HOST_QEMU_OSDEP_H
#define HOST_QEMU_OSDEP_H

#include <stdbool.h>
#include <stdint.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))

#endif
