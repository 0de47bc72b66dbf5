// SPDX-License-Identifier: Apache-2.0
/* Results of a CryptoMaster whose DMA is not coherent: who may do what with that map. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uio.h"

#define PAGE   ((size_t)getpagesize())
#define OFFSET ((off_t)(SILEX_SHARE_CM_RESULTS_MAP * PAGE))

static bool is_refused(int fd, size_t size, int protection, int flags)
{
	return mmap(NULL, size, protection, flags, fd, OFFSET) == MAP_FAILED && errno == EINVAL;
}

/* What becomes of a word: 0 or the error number */
static int tell(int fd, uint32_t word)
{
	return write(fd, &word, sizeof(word)) == sizeof(word) ? 0 : errno;
}

static void words(int fd, size_t size)
{
	unsigned units = (unsigned)(size / SILEX_SHARE_RESULTS_UNIT);

	check(tell(fd, SILEX_SHARE_RESULTS(0, units)) == 0, "all results can be refreshed");
	check(tell(fd, SILEX_SHARE_RESULTS(units - 1, 1)) == 0, "so can the last ones");
	check(tell(fd, SILEX_SHARE_RESULTS(units, 1)) == EINVAL &&
		      tell(fd, SILEX_SHARE_RESULTS(1, units)) == EINVAL &&
		      tell(fd, SILEX_SHARE_RESULTS(0xffff, 0xffff)) == EINVAL,
	      "but nothing beyond them");
	check(tell(fd, SILEX_SHARE_RESULTS(0, 0)) == EINVAL, "nor nothing at all");
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

void scenario_results(void)
{
	size_t size = device_value(SILEX_SHARE_CM, "maps/map2/size");
	int fd = device_open(SILEX_SHARE_CM, 0);
	uint8_t *results;

	must(fd >= 0, "open CryptoMaster");
	check(size == device_value(SILEX_SHARE_CM, "maps/map1/size") / 4,
	      "a quarter of the buffer");
	check(is_refused(fd, size, PROT_READ | PROT_WRITE, MAP_SHARED), "no map can be written");
	check(is_refused(fd, size, PROT_READ, MAP_PRIVATE), "no map is private");
	check(is_refused(fd, size + PAGE, PROT_READ, MAP_SHARED), "no map is larger than it is");
	results = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, OFFSET);
	must(results != MAP_FAILED, "map");
	check(mprotect(results, size, PROT_READ | PROT_WRITE) != 0, "a map stays as it is");
	check(is_zero(results, size), "there is nothing of another program");
	words(fd, size);
	close(fd);
}
