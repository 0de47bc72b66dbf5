/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The smallest size for which the core is faster than software at a symmetric task. */
#ifndef FSC_SIZE_H
#define FSC_SIZE_H

#include <stddef.h>
#include <stdint.h>

#include <firesteel/firesteel.h>

#define FSC_NEVER SIZE_MAX

/* The sizes for which software is timed, in bytes, and how often */
#define FSC_SHORT  256u
#define FSC_LONG   4096u
#define FSC_ROUNDS 4u

/* Break-evens are multiples of FSC_STEP, up to FSC_LARGEST */
#define FSC_STEP    16u
#define FSC_LARGEST 65536u

/* The core's expected time for this request with another size, as from firesteel_expect_ns().  It
 * may have no data. */
int64_t fsc_size_ns(struct firesteel *device, const struct firesteel_request *request, size_t size);

/*
 * The least multiple of FSC_STEP for which the core should be faster; FSC_NEVER: no size.
 * `short_ns` and `long_ns` are software's times for FSC_SHORT and FSC_LONG bytes, or negative.
 *
 * Software's fixed costs are left out.  So the core must win only by its time for each byte, which
 * favours software.
 */
size_t fsc_size_break_even(struct firesteel *device, const struct firesteel_request *request,
			   int64_t short_ns, int64_t long_ns);

#endif
