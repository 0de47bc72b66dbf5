/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * How long BA414E takes: docs/pk-timing.md derives the formula and argues for the constants.
 * All of it is an assumption; nothing is published but the number of multipliers that cores have.
 */
#ifndef SILEX_PK_TIMING_H
#define SILEX_PK_TIMING_H

#include <stdint.h>

#include "pk-operation.h"

/* Core cycles from START to the end, for what the registers and operands say; even, as TIMER is */
uint64_t silex_pk_cycles(const struct silex_pk_operation *operation);

/* Cycles to clear operand RAM, after power-on and for CLEAR_MEMORY */
uint64_t silex_pk_clear_cycles(const struct silex_config *config);

/* A modular product of operands of `size` bytes; a square */
uint64_t silex_pk_product_cycles(const struct silex_config *config, size_t size);
uint64_t silex_pk_square_cycles(const struct silex_config *config, size_t size);

/* An exponentiation of operands of `size` bytes with an exponent of `bits` */
uint64_t silex_pk_power_cycles(const struct silex_config *config, size_t size, unsigned bits);

#endif
