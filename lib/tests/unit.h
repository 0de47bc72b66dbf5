/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka, with the headers that it wants before it, and devices for tests. */
#ifndef FS_TESTS_UNIT_H
#define FS_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "operands.h"

/* A device; ends the test if it cannot be opened */
struct firesteel *unit_open(const char *name);

/* Runs a request and ends the test unless it ends so */
void unit_run(struct firesteel *device, const struct firesteel_request *request, int expected);

/* Bytes that look random and are the same each time */
void unit_fill(void *bytes, size_t size, unsigned seed);

/* The bytes of a hexadecimal text; "-" has none */
size_t unit_hex(const char *text, uint8_t *bytes, size_t capacity);

/* Requests that most tests use */
struct firesteel_request unit_modexp(uint8_t result[64]);
void unit_check_modexp(const uint8_t result[64]);
struct firesteel_request unit_cbc(uint8_t *bytes, size_t size);

#endif
