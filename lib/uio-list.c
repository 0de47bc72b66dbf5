/* SPDX-License-Identifier: Apache-2.0 */
#include "uio-list.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../silex/share.h"

const char *fs_uio_sysfs = "/sys/class/uio";
const char *fs_uio_dev = "/dev";

static bool read_line(const char *name, const char *file, char *line, size_t size)
{
	char path[PATH_MAX];
	FILE *stream;
	bool found;

	if (snprintf(path, sizeof(path), "%s/%s/%s", fs_uio_sysfs, name, file) >= (int)sizeof(path))
		return false;
	stream = fopen(path, "re");
	if (!stream)
		return false;
	found = fgets(line, (int)size, stream);
	fclose(stream);
	if (found)
		line[strcspn(line, "\n")] = '\0';
	return found;
}

unsigned long fs_uio_map_number(const char *name, unsigned map, const char *what)
{
	char file[64], line[64];

	snprintf(file, sizeof(file), "maps/map%u/%s", map, what);
	return read_line(name, file, line, sizeof(line)) ? strtoul(line, NULL, 0) : 0;
}

/* The last word of where `device` points at */
static void find_window(struct fs_uio_entry *entry)
{
	char path[PATH_MAX], target[PATH_MAX];
	ssize_t length;
	char *slash;

	snprintf(path, sizeof(path), "%s/%s/device", fs_uio_sysfs, entry->name);
	length = readlink(path, target, sizeof(target) - 1);
	target[length > 0 ? length : 0] = '\0';
	slash = strrchr(target, '/');
	snprintf(entry->window, sizeof(entry->window), "%.63s", slash ? slash + 1 : target);
}

static bool is_meant(const struct fs_uio_entry *entry, const char *selection)
{
	return !selection || strcmp(selection, entry->name) == 0 ||
	       strcmp(selection, entry->window) == 0;
}

static int compare(const void *a, const void *b)
{
	const struct fs_uio_entry *one = a, *two = b;

	return atoi(one->name + strlen("uio")) - atoi(two->name + strlen("uio"));
}

static bool describe(const char *name, struct fs_uio_entry *entry)
{
	if (strncmp(name, "uio", strlen("uio")) != 0 || strlen(name) >= sizeof(entry->name))
		return false;
	snprintf(entry->name, sizeof(entry->name), "%.63s", name);
	if (!read_line(name, "name", entry->kind, sizeof(entry->kind)))
		return false;
	find_window(entry);
	return strcmp(entry->kind, SILEX_SHARE_PK) == 0 || strcmp(entry->kind, SILEX_SHARE_CM) == 0;
}

unsigned fs_uio_list(const char *selection, struct fs_uio_entry *entries, unsigned capacity)
{
	DIR *directory = opendir(fs_uio_sysfs);
	unsigned count = 0;
	struct dirent *file;

	if (!directory)
		return 0;
	while (count < capacity && (file = readdir(directory)))
		if (describe(file->d_name, &entries[count]) && is_meant(&entries[count], selection))
			count++;
	closedir(directory);
	qsort(entries, count, sizeof(*entries), compare);
	return count;
}
