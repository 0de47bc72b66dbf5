/* SPDX-License-Identifier: Apache-2.0 */
/* Who owns the model's CryptoMaster: the process that holds a file's lock, and those forked from it. */
#ifndef FS_INSTANCE_H
#define FS_INSTANCE_H

/* One byte of memory, whose munmap() releases the lock; NULL: another process owns the lock */
void *fs_instance_lock(const char *path);

#endif
