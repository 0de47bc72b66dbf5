/* SPDX-License-Identifier: Apache-2.0 */
#include "instance.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * What a driver does for the node of a CryptoMaster.  The file's lock goes with its last use: a page
 * of it is mapped, so, as with the node, closing descriptors does not give it up, and children have
 * it too.
 */
void *fs_instance_lock(const char *path)
{
	int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *page = MAP_FAILED;

	if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
		page = mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0);
	if (file >= 0)
		close(file);
	return page == MAP_FAILED ? NULL : page;
}
