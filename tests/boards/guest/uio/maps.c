// SPDX-License-Identifier: Apache-2.0
/* What can be mapped, and what cannot. */
#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "silex/soc.h"
#include "uio.h"

#define PAGE ((size_t)getpagesize())

/* Whether mmap() is refused with EINVAL */
static bool is_refused(int fd, unsigned map, size_t size, int protection, int flags)
{
	void *area = mmap(NULL, size, protection, flags, fd, (off_t)(map * PAGE));

	if (area == MAP_FAILED)
		return errno == EINVAL;
	munmap(area, size);
	return false;
}

static bool is_refused_at(int fd, unsigned map, size_t size)
{
	return is_refused(fd, map, size, PROT_READ | PROT_WRITE, MAP_SHARED);
}

static void too_much(int fd, const size_t *sizes, unsigned maps)
{
	bool larger = true, beyond = true;

	for (unsigned map = 0; map < maps; map++)
		larger &= is_refused_at(fd, map, sizes[map] + PAGE) &&
			  is_refused_at(fd, map, 16 * sizes[map]);
	for (unsigned map = maps; map < 64; map++)
		beyond &= is_refused_at(fd, map, PAGE);
	check(larger, "no map is larger than it is");
	check(beyond, "there are no further maps");
}

static void wrong_kinds(int fd, unsigned maps)
{
	bool private = true, executable = true;

	for (unsigned map = 0; map < maps; map++) {
		private &= is_refused(fd, map, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE);
		executable &= is_refused(fd, map, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED);
	}
	check(private, "no map is private");
	check(executable, "no map is executable");
}

/* A map does not grow over what lies beyond it, nor become executable */
static void no_change(int fd, unsigned map, size_t size)
{
	void *area = device_map(fd, map, size);
	bool fixed;

	must(area != MAP_FAILED, "map");
	fixed = mremap(area, size, size + PAGE, MREMAP_MAYMOVE) == MAP_FAILED &&
		mprotect(area, size, PROT_READ | PROT_EXEC) != 0;
	check(fixed, "a map neither grows nor becomes executable");
	munmap(area, size);
}

static bool is_ones(const volatile uint32_t *words, size_t size)
{
	for (size_t i = 0; i < size / sizeof(*words); i++)
		if (words[i] != UINT32_MAX)
			return false;
	return true;
}

/* Nor is what it shows inherited, whatever the program asks for and whether it has touched it */
static void no_heir(int fd, unsigned map, size_t size)
{
	volatile uint32_t *area = device_map(fd, map, size);
	pid_t child;
	int status;

	must(area != MAP_FAILED, "map");
	madvise((void *)area, size, MADV_DOFORK);
	madvise((void *)area, size, MADV_KEEPONFORK);
	for (unsigned touched = 0; touched < 2; touched++) {
		child = fork();
		must(child >= 0, "fork");
		if (child == 0)
			_exit(!is_ones(area, size));
		must(waitpid(child, &status, 0) == child, "wait for the child");
		check(status == 0, touched ? "a child has ones in its place"
					   : "also of one that nobody has touched");
		(void)area[0];
	}
	munmap((void *)area, size);
}

static void pk_maps(void)
{
	const size_t sizes[] = { PAGE, SILEX_PK_RAM_SIZE, PAGE };
	int fd = device_open(SILEX_SHARE_PK, 0);

	must(fd >= 0, "open the public-key engine");
	too_much(fd, sizes, 3);
	wrong_kinds(fd, 3);
	for (unsigned map = 0; map < 3; map++) {
		no_change(fd, map, sizes[map]);
		no_heir(fd, map, sizes[map]);
	}
	close(fd);
}

static void cm_maps(void)
{
	const size_t sizes[] = { PAGE, device_value(SILEX_SHARE_CM, "maps/map1/size") };
	int fd = device_open(SILEX_SHARE_CM, 0);

	must(fd >= 0, "open CryptoMaster");
	check(sizes[1] == 1 << 20, "the buffer has the size of the parameter");
	too_much(fd, sizes, 2);
	wrong_kinds(fd, 2);
	for (unsigned map = 0; map < 2; map++) {
		no_change(fd, map, sizes[map]);
		no_heir(fd, map, sizes[map]);
	}
	close(fd);
}

/* Pieces of an area, moved and given back one by one, are still the core's */
static void pieces(void)
{
	volatile uint32_t *moved, *anywhere;
	struct pk pk;

	pk_open(&pk);
	must(lock_take(&pk, 1000), "lock");
	anywhere = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	moved = mremap((char *)pk.ram + PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		       (void *)anywhere);
	must(moved != MAP_FAILED, "move a page of operand RAM");
	pk_write(&pk, SILEX_PK_COMMAND, SILEX_PK_OP_CLEAR_MEMORY | SILEX_PK_SWAP_BYTES);
	moved[0] = 0x12345678;
	pk.ram[0] = 0x9abcdef0;
	check(moved[0] == 0x12345678 && pk.ram[0] == 0x9abcdef0, "areas can be cut and moved");
	munmap((void *)moved, PAGE);
	modexp_clear(&pk);
	lock_give(&pk);
	pk_unmap(&pk);
	close(pk.fd);
}

void scenario_maps(void)
{
	/* of two windows the first has both cores, and CryptoMaster of the second is a program's */
	check(device_count(SILEX_SHARE_PK) == 1, "one public-key engine");
	check(device_count(SILEX_SHARE_CM) == 1, "one CryptoMaster");
	pk_maps();
	cm_maps();
	pieces();
}
