/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long the core may be busy with a power, which is most of what RSA and Diffie-Hellman take.
 *
 * Keys come from strangers: a certificate's exponent may be as long as its modulus.  All programs share
 * the core, so no request gets it for longer than two private operations of RSA with 4,096 bits, without the
 * primes; software does the longer ones.
 *
 * The core squares once for each bit of the exponent, and a square takes nearly as long as the square of the
 * modulus's bits (docs/pk-timing.md).
 */
#ifndef FSP_POWER_H
#define FSP_POWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint64_t fsp_power_length(size_t modulus_bits, size_t exponent_bits)
{
	return (uint64_t)modulus_bits * modulus_bits * exponent_bits;
}

static inline bool fsp_power_is_short(uint64_t length)
{
	return length <= 2 * fsp_power_length(4096, 4096);
}

#endif
