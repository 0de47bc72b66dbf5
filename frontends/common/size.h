/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* From which size on the core is faster than software at a symmetric task. */
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

/* Break-evens are multiples of the one, up to the other */
#define FSC_STEP    16u
#define FSC_LARGEST 65536u

/* What the core is expected to take for a request like this one, of any size: its data need not be
 * there.  As firesteel_expect_ns() */
int64_t fsc_size_ns(struct firesteel *device, const struct firesteel_request *request, size_t size);

/*
 * The least multiple of FSC_STEP with which the core is expected to be faster; FSC_NEVER: with none.
 * `ns` is what software takes for FSC_SHORT and FSC_LONG bytes, or less than 0.
 *
 * Software's fixed costs are left out: a new context is not part of them when it counts, and without
 * them the core is asked to win by its bytes alone, which errs on software's side.
 */
size_t fsc_size_break_even(struct firesteel *device, const struct firesteel_request *request,
			   int64_t short_ns, int64_t long_ns);

#endif
