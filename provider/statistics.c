/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* `%p` becomes the process's number; false: too long */
static bool file_name(const char *pattern, char *name, size_t size)
{
	const char *mark = strstr(pattern, "%p");
	int length;

	if (!mark)
		length = snprintf(name, size, "%s", pattern);
	else
		length = snprintf(name, size, "%.*s%ld%s", (int)(mark - pattern), pattern,
				  (long)getpid(), mark + 2);
	return length >= 0 && (size_t)length < size;
}

/* Removes an old file of ours, which others may have mapped; false: it is something else */
static bool make_place(const char *name)
{
	char magic[sizeof(FSP_STATISTICS_MAGIC)] = "";
	int file = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t got;

	if (file < 0)
		return errno == ENOENT;
	got = read(file, magic, sizeof(magic));
	close(file);
	errno = EEXIST;
	return got == sizeof(magic) && memcmp(magic, FSP_STATISTICS_MAGIC, sizeof(magic)) == 0 &&
	       unlink(name) == 0;
}

/* A file of the right size, or -1 */
static int make_file(const char *pattern, char *message, size_t size)
{
	char name[512];
	int file = -1;

	if (!file_name(pattern, name, sizeof(name))) {
		snprintf(message, size, "statistics: the name is too long");
		return -1;
	}
	if (make_place(name))
		file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (file >= 0 && ftruncate(file, sizeof(struct fsp_statistics)) == 0)
		return file;
	snprintf(message, size, "statistics: %.150s: %s", name, strerror(errno));
	if (file >= 0)
		close(file);
	return -1;
}

struct fsp_statistics *fsp_statistics_open(const char *file, char *message, size_t size)
{
	int descriptor = *file ? make_file(file, message, size) : -1;
	int flags = descriptor < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
	struct fsp_statistics *statistics = mmap(NULL, sizeof(*statistics), PROT_READ | PROT_WRITE,
						 flags, descriptor, 0);

	if (descriptor >= 0)
		close(descriptor);
	if (statistics == MAP_FAILED)
		return NULL;
	strcpy(statistics->magic, FSP_STATISTICS_MAGIC);
	statistics->version = FSP_STATISTICS_VERSION;
	statistics->works = FSP_WORKS;
	statistics->process = getpid();
	for (unsigned i = 0; i < FSP_WORKS; i++)
		strcpy(statistics->of[i].name, fsp_work_name((enum fsp_work)i));
	return statistics;
}

void fsp_statistics_close(struct fsp_statistics *statistics)
{
	if (statistics)
		munmap(statistics, sizeof(*statistics));
}
