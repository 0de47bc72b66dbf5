/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this process has been forked: a number that grows in each child. */
#ifndef FS_FORK_H
#define FS_FORK_H

/* Must have been called once before fs_fork_count() counts forks */
void fs_fork_watch(void);

unsigned fs_fork_count(void);

#endif
