/* SPDX-License-Identifier: Apache-2.0 */
/* The checks, in the order in which they build on one another. */
#ifndef SELFTEST_CHECKS_H
#define SELFTEST_CHECKS_H

#include "window.h"

/* Which cores the window names, and whether the library finds them: presence.c */
void check_presence(struct window *window);

/* Registers and operand RAM that must read back: registers.c */
void check_registers(struct window *window);

/* CryptoMaster reads and writes the library's memory, at any alignment: dma.c */
void check_dma(struct window *window);

/* The public-key engine computes at all: microcode.c */
void check_microcode(struct window *window);

/* The end of an operation wakes a program that sleeps: interrupts.c */
void check_interrupts(struct window *window);

/* Published answers of AES and hashes: symmetric.c */
void check_symmetric(struct window *window);

/* Published answers of the public-key engine, and evidence: rsa.c, curves.c, curve25519.c */
void check_rsa(struct window *window);
void check_curves(struct window *window);
void check_curve25519(struct window *window);

/* How long operations take, next to the model's times: timing.c */
void check_timing(struct window *window);

/* The kernel's own tests of the driver's algorithms, from a file like /proc/crypto: kernel.c */
void check_kernel(struct report *report, const char *path);

#endif
