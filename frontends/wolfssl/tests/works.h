/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* All works with the device and without: a program ends if there is a difference. */
#ifndef FSW_TESTS_WORKS_H
#define FSW_TESTS_WORKS_H

#include "unit.h"

/* Keys, made in software; for all threads */
void works_begin(void);
void works_end(void);

/* Ciphers with whole and broken messages, in place and not, with good and forged tags */
void works_ciphers(unsigned rounds);

/* Messages that software has sealed: a core that computes wrong tags refuses none */
void works_tags(unsigned rounds);

/* Hashes and HMACs in pieces of many sizes */
void works_hashes(unsigned rounds);

/* RSA, with padding that is right and wrong; ECDSA and Ed25519: signatures that are right and
 * forged */
void works_signatures(unsigned rounds);

/* The same without RSA's public operation: what a core computes wrongly here does not get out */
void works_secrets(unsigned rounds);

/* ECDH and X25519, with new keys */
void works_exchanges(unsigned rounds);

void works_all(unsigned rounds);

#endif
