/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * BA414E, the public-key engine: its registers and operand RAM.  The window (soc.c) passes
 * accesses on; what an operation computes is in the files pk-*.c.
 */
#ifndef SILEX_PK_H
#define SILEX_PK_H

#include <stdint.h>

#include "owner.h"

struct silex_pk;

/* NULL when memory is short.  `config` and `statistics` stay the caller's and must live as long;
 * `owner` is copied. */
struct silex_pk *silex_pk_new(const struct silex_config *config, const struct silex_owner *owner,
			      struct silex_statistics *statistics);
void silex_pk_free(struct silex_pk *pk); /* wipes; NULL is allowed */
void silex_pk_reset(struct silex_pk *pk); /* power-on: begins to clear operand RAM */

/* Registers by offset from SILEX_PK_BASE; aligned words */
uint32_t silex_pk_read(struct silex_pk *pk, uint32_t offset);
void silex_pk_write(struct silex_pk *pk, uint32_t offset, uint32_t value);

/* Operand RAM by offset from SILEX_PK_RAM_BASE, microcode RAM from SILEX_PK_CODE_BASE: `size` bytes, 1,
 * 2 or 4, at a multiple of it */
uint32_t silex_pk_ram_read(struct silex_pk *pk, uint32_t offset, unsigned size);
void silex_pk_ram_write(struct silex_pk *pk, uint32_t offset, uint32_t value, unsigned size);
uint32_t silex_pk_code_read(struct silex_pk *pk, uint32_t offset, unsigned size);
void silex_pk_code_write(struct silex_pk *pk, uint32_t offset, uint32_t value, unsigned size);

/* Ends the running operation if its time is over now */
void silex_pk_advance(struct silex_pk *pk);

#endif
