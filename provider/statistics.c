/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
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

/* When this process began, in seconds by the clock of files; 0: that cannot be known */
static time_t began(void)
{
	static const char fields[] = " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
				     " %*s %*s %*s %*s %*s %*s %*s %*s %*s %lld";
	int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	char line[1024] = "", *name;
	struct timespec now, up;
	long long ticks;

	if (file < 0)
		return 0;
	if (read(file, line, sizeof(line) - 1) < 0)
		*line = '\0';
	close(file);
	/* the 20th field behind the name, in which any character may be */
	name = strrchr(line, ')');
	if (!name || sscanf(name + 1, fields, &ticks) != 1)
		return 0;
	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &up);
	return now.tv_sec - (up.tv_sec - ticks / sysconf(_SC_CLK_TCK));
}

static bool ours(const struct fsp_statistics *old)
{
	return memcmp(old->magic, FSP_STATISTICS_MAGIC, sizeof(FSP_STATISTICS_MAGIC)) == 0;
}

/* Whether an old file is of this very process, which has executed itself anew, as HAProxy's master
 * does: children that it had before go on counting in it. */
static bool is_own(int file, const struct fsp_statistics *old)
{
	time_t start = began();
	struct stat stat;

	return start && old->version == FSP_STATISTICS_VERSION && old->works == FSP_WORKS &&
	       old->process == getpid() && fstat(file, &stat) == 0 &&
	       stat.st_size == sizeof(*old) && stat.st_mtim.tv_sec >= start;
}

/*
 * Makes place for a file.  An old one of ours, which others may have mapped, is removed, or gone on
 * with if it is this process's: `file` is that then, and -1 else.  false: there is something else.
 */
static bool make_place(const char *name, int *file)
{
	struct fsp_statistics old = { .magic = "" };
	ssize_t got;

	*file = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (*file < 0)
		return errno == ENOENT;
	got = read(*file, &old, sizeof(old));
	if (got == sizeof(old) && ours(&old) && is_own(*file, &old))
		return true;
	close(*file);
	*file = -1;
	errno = EEXIST;
	return ours(&old) && unlink(name) == 0;
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
	if (make_place(name, &file) && file < 0)
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
