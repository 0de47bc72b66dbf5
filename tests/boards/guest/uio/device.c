// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "silex/soc.h"
#include "uio.h"

#define DEVICES 16u

/* The first line of a file of a UIO device; false: there is none */
static bool read_line(unsigned number, const char *file, char *line, size_t size)
{
	char path[128];
	FILE *stream;
	bool got;

	snprintf(path, sizeof(path), "/sys/class/uio/uio%u/%s", number, file);
	stream = fopen(path, "r");
	if (!stream)
		return false;
	got = fgets(line, (int)size, stream);
	fclose(stream);
	line[strcspn(line, "\n")] = '\0';
	return got;
}

static int find(const char *name, unsigned index)
{
	char line[64];

	for (unsigned number = 0; number < DEVICES; number++)
		if (read_line(number, "name", line, sizeof(line)) && !strcmp(line, name) &&
		    !index--)
			return (int)number;
	return -1;
}

unsigned device_count(const char *name)
{
	unsigned count = 0;

	while (find(name, count) >= 0)
		count++;
	return count;
}

uint64_t device_value(const char *name, const char *file)
{
	char line[64] = "";
	int number = find(name, 0);

	must(number >= 0 && read_line((unsigned)number, file, line, sizeof(line)), file);
	return strtoull(line, NULL, 0);
}

int device_open(const char *name, unsigned index)
{
	int number = find(name, index);
	char path[32];

	errno = ENOENT;
	if (number < 0)
		return -1;
	snprintf(path, sizeof(path), "/dev/uio%d", number);
	return open(path, O_RDWR | O_NONBLOCK);
}

void *device_map(int fd, unsigned map, size_t size)
{
	off_t offset = (off_t)map * getpagesize();

	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
}

/* ---- the public-key engine ---- */

/* Any name does that no other has */
static void join(struct pk *pk)
{
	uint32_t name = SILEX_SHARE_JOIN | (uint32_t)(getpid() << 8);

	while (pk_tell(pk, (int32_t)name) == EEXIST)
		name++;
	pk->slot = NULL;
	for (unsigned i = 0; i < SILEX_SHARE_SLOTS; i++)
		if (lock_load(&pk->share->slots[i].name) == name)
			pk->slot = &pk->share->slots[i];
	must(pk->slot != NULL, "a slot of that name");
}

void pk_map(struct pk *pk)
{
	size_t page = (size_t)getpagesize();

	pk->registers = device_map(pk->fd, SILEX_SHARE_PK_REGS_MAP, page);
	must(pk->registers != MAP_FAILED, "map registers");
	pk->ram = device_map(pk->fd, SILEX_SHARE_PK_RAM_MAP, SILEX_PK_RAM_SIZE);
	must(pk->ram != MAP_FAILED, "map operand RAM");
	pk->share = device_map(pk->fd, SILEX_SHARE_PK_LOCK_MAP, page);
	must(pk->share != MAP_FAILED, "map the lock page");
	join(pk);
}

void pk_unmap(struct pk *pk)
{
	size_t page = (size_t)getpagesize();

	munmap((void *)pk->registers, page);
	munmap((void *)pk->ram, SILEX_PK_RAM_SIZE);
	munmap(pk->share, page);
}

void pk_open(struct pk *pk)
{
	pk->fd = device_open(SILEX_SHARE_PK, 0);
	must(pk->fd >= 0, "open the public-key engine");
	pk_map(pk);
}

int pk_tell(const struct pk *pk, int32_t word)
{
	return write(pk->fd, &word, sizeof(word)) == sizeof(word) ? 0 : errno;
}

bool pk_event(const struct pk *pk, int ms)
{
	struct pollfd poll_for = { .fd = pk->fd, .events = POLLIN };
	uint32_t count;

	return poll(&poll_for, 1, ms) == 1 && read(pk->fd, &count, sizeof(count)) == sizeof(count);
}

bool pk_is_clear(const struct pk *pk)
{
	for (unsigned i = 0; i < SILEX_PK_RAM_SIZE / 4; i++)
		if (pk->ram[i])
			return false;
	return true;
}
