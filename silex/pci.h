/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * The cores as a PCI function of a virtual board: BAR 0 is the window (soc.h), MSI-X has a vector
 * for each of its lines, and without MSI-X both lines share INTA.  A real SoC has no such
 * function; the identifiers are this project's, from the range that QEMU leaves to anyone.
 */
#ifndef SILEX_PCI_H
#define SILEX_PCI_H

#define SILEX_PCI_VENDOR     0x1234
#define SILEX_PCI_DEVICE     0xf158
#define SILEX_PCI_WINDOW_BAR 0
#define SILEX_PCI_MSIX_BAR   1

#endif
