/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The devices of this process.  A device that is opened again under the same name is shared and
 * reference-counted: the kernel gives a process one slot of a core.
 */
#ifndef FS_REGISTRY_H
#define FS_REGISTRY_H

#include <stdbool.h>

struct firesteel;

void fs_registry_lock(void);
void fs_registry_unlock(void);

/* All with the lock held.  A model has no name here, because each opening makes another model. */
struct firesteel *fs_registry_find(const char *name);
void fs_registry_add(const char *name, struct firesteel *device);
/* Whether that was its last user */
bool fs_registry_remove(struct firesteel *device);

/* Whether one of them has this file open */
bool fs_registry_has_file(const char *file);

#endif
