/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "memory-search.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"

#define WINDOW  (1u << 20)
#define LARGEST ((size_t)1 << 30)

/* What is being looked through, a window at a time; the window itself is no place to look */
struct search {
	const uint8_t *masked;
	size_t size;
	int memory;
	uint8_t *window;
	unsigned found;
};

static bool is_there(const struct search *search, const uint8_t *bytes, bool reverse)
{
	size_t last = search->size - 1;

	for (size_t i = 0; i <= last; i++)
		if ((bytes[reverse ? last - i : i] ^ search->masked[i]) != SEARCH_MASK)
			return false;
	return true;
}

static void look(struct search *search, size_t size, bool reverse)
{
	uint8_t first = search->masked[reverse ? search->size - 1 : 0] ^ SEARCH_MASK;
	const uint8_t *end = search->window + size, *at = search->window;

	while ((at = memchr(at, first, (size_t)(end - at)))) {
		if ((size_t)(end - at) < search->size)
			break;
		search->found += is_there(search, at, reverse);
		at++;
	}
}

/* Windows overlap by one byte less than what is looked for */
static void look_through(struct search *search, uintptr_t start, uintptr_t end)
{
	size_t step = WINDOW - search->size + 1;

	for (uintptr_t at = start; at < end; at += step) {
		size_t size = end - at < WINDOW ? end - at : WINDOW;
		ssize_t got = pread(search->memory, search->window, size, (off_t)at);

		if (got > 0) {
			look(search, (size_t)got, false);
			look(search, (size_t)got, true);
		}
	}
}

unsigned memory_search(const uint8_t *masked, size_t size)
{
	struct search search = { .masked = masked, .size = size };
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	search.memory = open("/proc/self/mem", O_RDONLY);
	search.window = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			     0);
	assert_non_null(maps);
	assert_true(search.memory >= 0 && search.window != MAP_FAILED);
	while (fgets(line, sizeof(line), maps)) {
		uintptr_t start, end, window = (uintptr_t)search.window;
		char mode[8];

		if (sscanf(line, "%lx-%lx %4s", &start, &end, mode) != 3 || mode[1] != 'w' ||
		    end - start > LARGEST)
			continue;
		if (window < start || window >= end) {
			look_through(&search, start, end);
			continue;
		}
		look_through(&search, start, window);
		look_through(&search, window + WINDOW, end);
	}
	munmap(search.window, WINDOW);
	close(search.memory);
	fclose(maps);
	return search.found;
}
