/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Published vectors, each a line of words (words.h).  Symmetric ones are
 *
 *	NAME DIRECTION KEY IV HEADER INPUT EXPECTED TAG
 *
 * bytes in hexadecimal, "-" for nothing, EXPECTED "!" where the tag must not agree; the others
 *
 *	NAME SIZE FLAGS VERDICT VALUE...
 *
 * with the bytes of an operand, and numbers.  Numbers of ED25519 are bytes in their order.
 */
#ifndef SELFTEST_VECTORS_H
#define SELFTEST_VECTORS_H

/* NULL ends them */
extern const char *const selftest_vectors[];

#endif
