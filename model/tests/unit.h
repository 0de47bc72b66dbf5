/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* cmocka, with the headers that it wants before it. */
#ifndef SILEX_TESTS_UNIT_H
#define SILEX_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
