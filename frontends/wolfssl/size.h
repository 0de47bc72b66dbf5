/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* From which size on the core is faster than wolfCrypt. */
#ifndef FSW_SIZE_H
#define FSW_SIZE_H

#include "policy.h"

/* The sizes for which wolfCrypt is timed */
#define FSW_SHORT  256u
#define FSW_LONG   4096u
#define FSW_ROUNDS 4u

/*
 * The least power of two, from 16 bytes to 64 KiB, with which the core is expected to be faster;
 * FSW_NEVER: with none.  `request` is one of any size, of which the data need not be there; `ns` is
 * what wolfCrypt takes for FSW_SHORT and FSW_LONG bytes, or less than 0.
 *
 * wolfCrypt's fixed costs are left out: so the core has to win by its bytes alone, which errs on
 * software's side.
 */
size_t fsw_size_break_even(struct firesteel *core, const struct firesteel_request *request,
			   int64_t short_ns, int64_t long_ns);

#endif
