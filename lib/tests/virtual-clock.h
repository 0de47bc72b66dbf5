/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual time, so that runs of a test are equal: it goes on when the library or the model looks at
 * it.  The build wraps clock_gettime() and clock_nanosleep() of programs that have this.
 */
#ifndef FIRESTEEL_TESTS_VIRTUAL_CLOCK_H
#define FIRESTEEL_TESTS_VIRTUAL_CLOCK_H

#include <stdint.h>

/* By so much at each look: half of what a register access takes on the board of 2015 */
#define TICK_NS 60u

extern uint64_t virtual_ns;

#endif
