/* SPDX-License-Identifier: Apache-2.0 */
#include "base/statistics.h"

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

#define SECOND INT64_C(1000000000) /* ns */

static int64_t ns_of(struct timespec time)
{
	return time.tv_sec * SECOND + time.tv_nsec;
}

/* When this process started, in ns by the clock of files, to a hundredth of a second; 0: unknown */
static int64_t began(void)
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
	return ns_of(now) - ns_of(up) + ticks * (SECOND / sysconf(_SC_CLK_TCK));
}

/* ---- whose file it is ---- */

/*
 * A process ends by SIGBUS when somebody truncates a file that it has mapped.  So a file is mapped
 * only if this process's user alone may change it: it belongs to that user, has one name, and
 * nobody else may write it.  Whoever created a file may still have it open for writing, which its
 * mode does not show later; therefore the owner counts.
 */
static const char *not_ours(int file)
{
	struct stat stat;

	if (fstat(file, &stat) < 0)
		return strerror(errno);
	if (!S_ISREG(stat.st_mode))
		return "not a regular file";
	if (stat.st_uid != geteuid())
		return "the file belongs to another user";
	if (stat.st_mode & (S_IWGRP | S_IWOTH))
		return "other users may write the file";
	return stat.st_nlink == 1 ? NULL : "the file has a second name";
}

/* The same for its directory: whoever may replace files there decides what readers see */
static const char *not_our_directory(int directory)
{
	struct stat stat;

	if (fstat(directory, &stat) < 0)
		return strerror(errno);
	if (stat.st_uid != 0 && stat.st_uid != geteuid())
		return "the directory belongs to another user";
	if (stat.st_mode & (S_IWGRP | S_IWOTH) && !(stat.st_mode & S_ISVTX))
		return "other users may replace files in the directory, as it has no sticky bit";
	return NULL;
}

/*
 * A process that has taken another user's identity for a while creates files of that user's, who
 * could truncate them after it has changed back.  Root's own files are safe from all others.
 */
static const char *not_ourselves(void)
{
	uid_t real, effective, saved;

	if (getresuid(&real, &effective, &saved) < 0)
		return strerror(errno);
	if (effective == 0 || (real == effective && saved == effective))
		return NULL;
	return "the process may change back to another user";
}

/* ---- the file ---- */

/* Where a file is to be: a directory that is open, and the name in it */
struct location {
	int directory; /* -1: it cannot be opened */
	const char *name;
};

static struct location open_location(char path[])
{
	char *slash = strrchr(path, '/');
	struct location location = { .name = slash ? slash + 1 : path };
	const char *directory = !slash ? "." : slash == path ? "/" : path;

	if (slash)
		*slash = '\0';
	location.directory = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return location;
}

static bool is_statistics(const struct fsp_statistics *old)
{
	return memcmp(old->magic, FSP_STATISTICS_MAGIC, sizeof(FSP_STATISTICS_MAGIC)) == 0;
}

/* How far the clocks of files and of processes may differ */
#define APART (SECOND / 50)

/* Whether an old file is this very process's, which has executed itself again, as HAProxy's master
 * does: its earlier children continue to count in it. */
static bool is_own(int file, const struct fsp_statistics *old)
{
	int64_t start = began();
	struct stat stat;

	return start && old->version == FSP_STATISTICS_VERSION && old->works == FSP_WORKS &&
	       old->process == getpid() && !not_ours(file) && fstat(file, &stat) == 0 &&
	       stat.st_size == sizeof(*old) && ns_of(stat.st_mtim) >= start - APART;
}

/*
 * Prepares the location for a new file.  Removes an old file of the provider, which others may have
 * mapped, or reuses it if it is this process's: `file` is that file then, and -1 otherwise.  NULL, or
 * what is wrong.
 */
static const char *clear_location(const struct location *location, int *file)
{
	struct fsp_statistics old = { .magic = "" };
	ssize_t got;

	*file = openat(location->directory, location->name,
		       O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (*file < 0)
		return errno == ENOENT ? NULL : strerror(errno);
	got = read(*file, &old, sizeof(old));
	if (got == sizeof(old) && is_statistics(&old) && is_own(*file, &old))
		return NULL;
	close(*file);
	*file = -1;
	if (!is_statistics(&old))
		return "there is a file that is not the provider's";
	return unlinkat(location->directory, location->name, 0) == 0 ? NULL : strerror(errno);
}

/* All of it is written, not only its length set: a page for which there is no memory or disk later
 * would end the process as well */
static const char *fill(int file)
{
	static const struct fsp_statistics empty;
	ssize_t put = write(file, &empty, sizeof(empty));

	if (put == sizeof(empty))
		return not_ours(file);
	return put < 0 ? strerror(errno) : strerror(ENOSPC);
}

/* Opens or makes the file; NULL, or what is wrong */
static const char *make_file(const struct location *location, int *file)
{
	const char *wrong;

	*file = -1;
	if (location->directory < 0)
		return strerror(errno);
	wrong = not_ourselves();
	if (!wrong)
		wrong = not_our_directory(location->directory);
	if (!wrong)
		wrong = clear_location(location, file);
	if (wrong || *file >= 0)
		return wrong;
	*file = openat(location->directory, location->name,
		       O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (*file < 0)
		return strerror(errno);
	wrong = fill(*file);
	if (wrong)
		unlinkat(location->directory, location->name, 0);
	return wrong;
}

/* A file that may be mapped, or -1 */
static int open_file(const char *pattern, char *message, size_t size)
{
	char path[512], shown[512];
	const char *wrong;
	struct location location;
	int file;

	if (!file_name(pattern, path, sizeof(path))) {
		snprintf(message, size, "statistics: the name is too long");
		return -1;
	}
	strcpy(shown, path);
	location = open_location(path);
	wrong = make_file(&location, &file);
	if (wrong)
		snprintf(message, size, "statistics: %.150s: %s", shown, wrong);
	if (wrong && file >= 0)
		close(file);
	if (location.directory >= 0)
		close(location.directory);
	return wrong ? -1 : file;
}

struct fsp_statistics *fsp_statistics_open(const char *file, char *message, size_t size)
{
	int descriptor = *file ? open_file(file, message, size) : -1;
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
