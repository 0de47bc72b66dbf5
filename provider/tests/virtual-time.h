/* SPDX-License-Identifier: Apache-2.0 */
/* The program's own clock, so that runs are equal: it goes on when somebody looks at it. */
#ifndef FSP_TESTS_VIRTUAL_TIME_H
#define FSP_TESTS_VIRTUAL_TIME_H

#include <stdint.h>

#define VIRTUAL_SECOND INT64_C(1000000000)

extern int64_t virtual_ns;

#endif
