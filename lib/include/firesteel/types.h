/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in and bytes out. */
#ifndef FIRESTEEL_TYPES_H
#define FIRESTEEL_TYPES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Bytes that a request reads.  Numbers are big-endian unless stated otherwise, and may have any
 * number of leading zeros.
 */
struct firesteel_bytes {
	const uint8_t *data;
	size_t size;
};

/* An output buffer: a request writes exactly `size` bytes.  Numbers are padded with leading zeros. */
struct firesteel_output {
	uint8_t *data;
	size_t size;
};

#endif
