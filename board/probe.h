/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The probe's PCI function, for the device that has it and the guest's program that uses it.
 * What the registers do is told in docs/probe.md.
 */
#ifndef FIRESTEEL_PROBE_H
#define FIRESTEEL_PROBE_H

#define PROBE_VENDOR   0x1234
#define PROBE_DEVICE   0xf157
#define PROBE_BAR_SIZE 0x1000
#define PROBE_MAGIC    0x46535042
#define PROBE_VERSION  2

/* Registers: 32 bits, little-endian, word access only */
#define PROBE_REG_MAGIC      0x000 /* ro */
#define PROBE_REG_VERSION    0x004 /* ro */
#define PROBE_REG_MARK       0x008 /* wo: log a mark with the name */
#define PROBE_REG_DATA_BEGIN 0x00c /* wo: start a data item with the name */
#define PROBE_REG_DATA       0x010 /* wo: four bytes, the lowest first */
#define PROBE_REG_DATA_END   0x014 /* wo: length in bytes; log the item */
#define PROBE_REG_STALL      0x018 /* wo: ns that this access shall cost */
#define PROBE_REG_READY      0x01c /* wo: the guest has booted; snapshots are of this instant */

/* ro: clocks of 64 bits, low word first; reading the first word latches all */
#define PROBE_REG_TIME         0x020
#define PROBE_REG_INSTRUCTIONS 0x028
#define PROBE_REG_IDLE         0x030
#define PROBE_REG_STALLED      0x038
#define PROBE_REG_USER         0x040
#define PROBE_REG_CLOCKS_END   0x048

#define PROBE_REG_JOB_LENGTH 0x048 /* ro: bytes of the job, 0 for none */
#define PROBE_REG_JOB        0x04c /* ro: the job's next four bytes, the lowest first */

#define PROBE_REG_NAME  0x100 /* wo: ends with a zero byte */
#define PROBE_NAME_SIZE 0x100

#endif
