/* SPDX-License-Identifier: Apache-2.0 */
#include "check/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int files_begin(struct files *files)
{
	const char *parent = secure_getenv("TMPDIR");
	char setting[sizeof(files->directory) + 3];

	memset(files, 0, sizeof(*files));
	if ((size_t)snprintf(
		    files->directory, sizeof(files->directory), "%s/firesteel-check-XXXXXX",
		    parent && *parent == '/' ? parent : "/tmp") >= sizeof(files->directory)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (!mkdtemp(files->directory))
		return -1;
	/* A program of root's may become another user before it loads the provider */
	if (geteuid() == 0 && chmod(files->directory, 01777) < 0)
		return -1;
	snprintf(setting, sizeof(setting), "%s/%%p", files->directory);
	return setenv("FIRESTEEL_PROVIDER_STATISTICS", setting, 1);
}

/* ---- adding up ---- */

static void add_counter(atomic_ullong *to, const atomic_ullong *from)
{
	atomic_fetch_add(to, atomic_load(from));
}

static void add(struct fsp_counters *to, const struct fsp_counters *from)
{
	memcpy(to->name, from->name, sizeof(to->name));
	add_counter(&to->hardware, &from->hardware);
	add_counter(&to->hardware_bytes, &from->hardware_bytes);
	add_counter(&to->small, &from->small);
	add_counter(&to->queued, &from->queued);
	add_counter(&to->unfit, &from->unfit);
	add_counter(&to->unprotected, &from->unprotected);
	add_counter(&to->busy, &from->busy);
	add_counter(&to->failed, &from->failed);
	if (atomic_load(&from->last_error))
		atomic_store(&to->last_error, atomic_load(&from->last_error));
	if (atomic_load(&from->break_even))
		atomic_store(&to->break_even, atomic_load(&from->break_even));
}

static void add_all(struct files *files, struct fsp_statistics *of)
{
	files->processes++;
	of->device[sizeof(of->device) - 1] = of->reason[sizeof(of->reason) - 1] = '\0';
	if (*of->device)
		strcpy(files->device, of->device);
	if (*of->reason)
		strcpy(files->reason, of->reason);
	for (unsigned i = 0; i < FSP_WORKS; i++) {
		of->of[i].name[sizeof(of->of[i].name) - 1] = '\0';
		add(&files->of[i], &of->of[i]);
	}
}

static bool read_file(int directory, const char *name, struct fsp_statistics *of)
{
	int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t got = file < 0 ? -1 : read(file, of, sizeof(*of));

	if (file >= 0)
		close(file);
	return got == sizeof(*of) &&
	       memcmp(of->magic, FSP_STATISTICS_MAGIC, sizeof(FSP_STATISTICS_MAGIC)) == 0 &&
	       of->version == FSP_STATISTICS_VERSION && of->works == FSP_WORKS;
}

void files_end(struct files *files)
{
	DIR *directory = opendir(files->directory);
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		struct fsp_statistics of;

		if (entry->d_name[0] == '.')
			continue;
		if (read_file(dirfd(directory), entry->d_name, &of))
			add_all(files, &of);
		else
			files->unread++;
		unlinkat(dirfd(directory), entry->d_name, 0);
	}
	if (directory)
		closedir(directory);
	rmdir(files->directory);
}
