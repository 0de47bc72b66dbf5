/* SPDX-License-Identifier: Apache-2.0 */
/* Who owns the model's CryptoMaster: the process that holds a file's lock, and those forked from it. */
#ifndef FS_INSTANCE_H
#define FS_INSTANCE_H

/* One byte of memory, by whose munmap() the lock is given up; NULL: another process has it */
void *fs_instance_lock(const char *path);

#endif
