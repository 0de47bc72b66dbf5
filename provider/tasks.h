/* SPDX-License-Identifier: Apache-2.0 */
/* All tasks, with what tries them. */
#ifndef FSP_TASKS_H
#define FSP_TASKS_H

#include "base/task.h"

extern const struct fsp_task_kind fsp_tasks[FSP_TASKS];

#endif
