// SPDX-License-Identifier: Apache-2.0
/* What somebody who had the public-key engine before the driver has left in it. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "silex/soc.h"
#include "uio.h"

/* The window of the first device, which no driver has */
#define DEVICE "/sys/bus/pci/devices/0000:00:02.0/"

static volatile uint32_t *map_window(void)
{
	FILE *enable = fopen(DEVICE "enable", "w");
	volatile uint32_t *window;
	int fd;

	must(enable && fputs("1", enable) >= 0 && !fclose(enable), "enable the device");
	fd = open(DEVICE "resource0", O_RDWR);
	must(fd >= 0, "open the window");
	window = mmap(NULL, SILEX_WINDOW_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(window != MAP_FAILED, "map the window");
	close(fd);
	return window;
}

/* Before the driver is loaded */
void scenario_leave(void)
{
	volatile uint32_t *window = map_window();
	volatile uint32_t *ram = window + SILEX_PK_RAM_BASE / 4;

	while (window[(SILEX_PK_BASE + SILEX_PK_STATUS) / 4] & SILEX_PK_STATUS_BUSY)
		;
	for (size_t i = 0; i < 16 * SILEX_PK_STRIDE(512) / 4; i++)
		ram[i] = ~(uint32_t)i;
	check(ram[0] == ~0u && ram[1] == ~1u, "operand RAM keeps what is written");
}

/* After it, without the lock: anybody can look */
void scenario_find(void)
{
	struct pk pk;

	pk_open(&pk);
	check(pk_is_clear(&pk), "nothing is left of what was there before the driver");
	pk_unmap(&pk);
	close(pk.fd);
}
