/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of requests from arrays. */
#ifndef FS_TESTS_OPERANDS_H
#define FS_TESTS_OPERANDS_H

#include <firesteel/firesteel.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#define BYTES(array)      ((struct firesteel_bytes){ array, sizeof(array) })
#define OUTPUT(array)     ((struct firesteel_output){ array, sizeof(array) })
#define PART(data, size)  ((struct firesteel_bytes){ data, size })
#define SPACE(data, size) ((struct firesteel_output){ data, size })

#endif
