/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random sequences of calls on a context of each provider.  A sequence follows from its seed alone; where the
 * two part, its seed and its calls are printed, and the program ends.
 *
 * Calls whose answers differ on purpose are left out; each such place names the row of provider/README.md's
 * table of differences, as "(row)".
 */
#ifndef FSP_TESTS_SEQUENCES_H
#define FSP_TESTS_SEQUENCES_H

#include "unit.h"

#define SEQUENCE_STEPS 40u
#define SEQUENCE_BYTES 2048u /* room for what goes in and comes out */

/* One sequence of each family */
void sequence_of_cipher(const struct unit *unit);
void sequence_of_aead(const struct unit *unit);
void sequence_of_digest(const struct unit *unit);
void sequence_of_mac(const struct unit *unit);

/* Begins a sequence: what follows is random by `seed` */
void sequence_begin(const char *family, uint64_t seed);

unsigned sequence_random(unsigned below);
void sequence_fill(void *bytes, size_t size);
/* True once in so many */
bool sequence_once_in(unsigned many);
/* The length of a piece: often 0, short, whole blocks, or long */
int sequence_size(void);

/* Notes a call before it is made */
__attribute__((format(printf, 1, 2))) void sequence_note(const char *format, ...);

/* Ends the program with the sequence unless both are the same: a call's answers, and what came out */
void sequence_same(long ours, long theirs, const char *what);
void sequence_same_bytes(const void *ours, const void *theirs, size_t size, const char *what);

#endif
