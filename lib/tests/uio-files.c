/* SPDX-License-Identifier: Apache-2.0 */
#include "uio-files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../silex/ba414.h"
#include "../../silex/soc.h"
#include "../uio-list.h"
#include "unit.h"

#define FILE_SIZE   0x200000u
#define SHARE_SHIFT 0x10000u /* so that the lock page is not in operand RAM */
#define SHARE_BEGIN (0x2000u + SHARE_SHIFT)

#define HARDWARE                                                                    \
	(512u | SILEX_PK_HWCONFIG_MULTIPLIERS(2) | SILEX_PK_HWCONFIG_GF_P |         \
	 SILEX_PK_HWCONFIG_P192 | SILEX_PK_HWCONFIG_P256 | SILEX_PK_HWCONFIG_P384 | \
	 SILEX_PK_HWCONFIG_P521 | SILEX_PK_HWCONFIG_25519)

/* ---- what a kernel does ---- */

int fake_map_error, fake_join_error;
static struct {
	ino_t file;
	struct silex_share *share;
} known[16];
static unsigned files;

ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
void *__real_mmap64(void *at, size_t size, int use, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *at, size_t size, int use, int flags, int fd, off_t offset);

/* The lock page of the device; NULL: it is none */
static struct silex_share *share_of(int fd)
{
	struct stat about;

	if (fd < 0 || fstat(fd, &about) != 0)
		return NULL;
	for (unsigned i = 0; i < files; i++)
		if (known[i].file == about.st_ino)
			return known[i].share;
	return NULL;
}

static void name_slot(struct silex_share *share, uint32_t name)
{
	for (unsigned i = 3; i < SILEX_SHARE_SLOTS; i++) {
		uint32_t free = 0;

		if (__atomic_compare_exchange_n(&share->slots[i].name, &free, name, false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return;
	}
}

/* A word that joins is heard; others go to the file */
ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
	uint32_t word = 0;

	if (size == sizeof(word) && share_of(fd))
		memcpy(&word, bytes, sizeof(word));
	if (!(word & SILEX_SHARE_JOIN))
		return __real_write(fd, bytes, size);
	if (fake_join_error) {
		errno = fake_join_error;
		/* a name that was taken: the next one is not */
		fake_join_error = errno == EEXIST ? 0 : errno;
		return -1;
	}
	name_slot(share_of(fd), word);
	return (ssize_t)size;
}

void *__wrap_mmap64(void *at, size_t size, int use, int flags, int fd, off_t offset)
{
	if (fake_map_error && size == sysconf(_SC_PAGESIZE) + (size_t)SHARE_SHIFT && share_of(fd)) {
		errno = fake_map_error;
		return MAP_FAILED;
	}
	return __real_mmap64(at, size, use, flags, fd, offset);
}

/* ---- files ---- */

static char top[] = "/tmp/firesteel-uio-XXXXXX";
char fake_sysfs[64], fake_dev[64];

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void write_map(const char *name, unsigned map, unsigned long addr, unsigned long size,
		      unsigned long offset)
{
	const struct {
		const char *what;
		unsigned long value;
	} numbers[] = { { "addr", addr }, { "size", size }, { "offset", offset } };
	char path[256], text[32];

	snprintf(path, sizeof(path), "%s/%s/maps/map%u", fake_sysfs, name, map);
	assert_int_equal(mkdir(path, 0700), 0);
	for (unsigned i = 0; i < COUNT(numbers); i++) {
		snprintf(path, sizeof(path), "%s/%s/maps/map%u/%s", fake_sysfs, name, map,
			 numbers[i].what);
		snprintf(text, sizeof(text), "0x%lx\n", numbers[i].value);
		write_text(path, text);
	}
}

void fake_describe(const char *name, const char *kind, const char *window)
{
	char path[256], target[256];

	snprintf(path, sizeof(path), "%s/%s", fake_sysfs, name);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/%s/maps", fake_sysfs, name);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/%s/name", fake_sysfs, name);
	write_text(path, kind);
	snprintf(path, sizeof(path), "%s/%s/device", fake_sysfs, name);
	snprintf(target, sizeof(target), "../../../%s", window);
	assert_int_equal(symlink(target, path), 0);
}

static struct fake make_file(const char *name)
{
	char path[256];
	struct stat about;
	struct fake fake;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", fake_dev, name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, FILE_SIZE), 0);
	fake.bytes = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(fake.bytes, MAP_FAILED);
	fake.share = (struct silex_share *)(void *)(fake.bytes + SHARE_BEGIN);
	assert_int_equal(fstat(fd, &about), 0);
	assert_true(files < COUNT(known));
	known[files].file = about.st_ino;
	known[files++].share = fake.share;
	close(fd);
	return fake;
}

void fake_set(struct fake *fake, uint32_t offset, uint32_t value)
{
	*(volatile uint32_t *)(void *)(fake->bytes + offset) = value;
}

struct fake fake_pk(const char *name, const char *window)
{
	struct fake fake = make_file(name);

	fake_describe(name, SILEX_SHARE_PK "\n", window);
	write_map(name, SILEX_SHARE_PK_REGS_MAP, 0x10002000, 0x1000, 0);
	write_map(name, SILEX_SHARE_PK_RAM_MAP, 0x10008000, 0x4000, 0);
	write_map(name, SILEX_SHARE_PK_LOCK_MAP, 0, 0x1000, SHARE_SHIFT);
	fake_set(&fake, SILEX_PK_HWCONFIG, HARDWARE);
	fake.share->version = SILEX_SHARE_VERSION;
	return fake;
}

struct fake fake_cm(const char *name, const char *window)
{
	struct fake fake = make_file(name);

	fake_describe(name, SILEX_SHARE_CM "\n", window);
	write_map(name, SILEX_SHARE_CM_REGS_MAP, 0x10000000, 0x1000, 0);
	write_map(name, SILEX_SHARE_CM_BUFFER_MAP, 0x80000000, FAKE_BUFFER_SIZE, 0);
	fake_set(&fake, SILEX_PRESENCE, SILEX_PRESENCE_AES);
	fake_set(&fake, SILEX_AES_CAPS, 0x070101ff);
	return fake;
}

void fake_results(const char *name)
{
	write_map(name, SILEX_SHARE_CM_RESULTS_MAP, 0x90000000, FAKE_RESULTS_SIZE,
		  FAKE_RESULTS_BEGIN - SILEX_SHARE_CM_RESULTS_MAP * 0x1000);
}

struct firesteel *fake_open(const char *name)
{
	struct firesteel *device = unit_open(name);

	firesteel_set(device, "timeout_ms", "20", NULL);
	return device;
}

/* ---- the tree ---- */

static int drop(const char *path, const struct stat *about, int kind, struct FTW *where)
{
	(void)about;
	(void)kind;
	(void)where;
	return remove(path);
}

int fake_begin(void **state)
{
	(void)state;
	files = 0;
	fake_map_error = fake_join_error = 0;
	strcpy(top, "/tmp/firesteel-uio-XXXXXX");
	if (!mkdtemp(top))
		return -1;
	snprintf(fake_sysfs, sizeof(fake_sysfs), "%s/sys", top);
	snprintf(fake_dev, sizeof(fake_dev), "%s/dev", top);
	fs_uio_sysfs = fake_sysfs;
	fs_uio_dev = fake_dev;
	return mkdir(fake_sysfs, 0700) || mkdir(fake_dev, 0700);
}

int fake_end(void **state)
{
	(void)state;
	return nftw(top, drop, 8, FTW_DEPTH | FTW_PHYS);
}
