/* SPDX-License-Identifier: Apache-2.0 */
/* All operations. */
#ifndef FS_OPERATION_TABLE_H
#define FS_OPERATION_TABLE_H

#include "operation.h"

/* NULL: there is no such operation */
const struct fs_operation *fs_operation_find(enum firesteel_operation name);

#endif
