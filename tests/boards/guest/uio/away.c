// SPDX-License-Identifier: Apache-2.0
/* What becomes of a program whose device goes. */
#include <sys/mman.h>
#include <unistd.h>

#include "silex/soc.h"
#include "uio.h"

#define PAGE ((size_t)getpagesize())

struct everything {
	struct pk pk;
	int cm;
	volatile uint32_t *registers;
	volatile uint32_t *buffer;
};

static void map_everything(struct everything *all)
{
	pk_open(&all->pk);
	all->cm = device_open(SILEX_SHARE_CM, 0);
	must(all->cm >= 0, "open CryptoMaster");
	all->registers = device_map(all->cm, SILEX_SHARE_CM_REGS_MAP, PAGE);
	all->buffer = device_map(all->cm, SILEX_SHARE_CM_BUFFER_MAP, 1 << 20);
	must(all->registers != MAP_FAILED && all->buffer != MAP_FAILED, "map CryptoMaster");
	all->buffer[0] = 1;
}

/* Holds all open until /run/go is there */
void scenario_hold(void)
{
	struct everything all;

	map_everything(&all);
	mark("/run/ready");
	while (access("/run/go", F_OK))
		sleep_ms(10);
	check(all.buffer[0] == 1, "it is there still");
}

/* Has the core at work until it is killed */
void scenario_own(void)
{
	struct modexp longest;
	struct pk pk;

	pk_open(&pk);
	modexp_longest(&longest);
	must(lock_take(&pk, 5000), "lock");
	modexp_start(&pk, &longest);
	mark("/run/ready");
	stay();
}

static bool is_ones(volatile uint32_t *area, size_t size)
{
	for (size_t i = 0; i < size / 4; i++)
		if (area[i] != ~0u)
			return false;
	return true;
}

/* What is mapped reads all ones, and takes what is written without harm */
static void after_pk(struct everything *all)
{
	struct pk *pk = &all->pk;

	check(lock_load(&pk->share->state) == SILEX_SHARE_GONE, "the lock page says gone");
	check(eventually(lock_load(&pk->share->generation) != pk->generation),
	      "the generation is another");
	check(eventually(pk->registers[SILEX_PK_STATUS / 4] == ~0u), "STATUS reads all ones");
	check(is_ones(pk->ram, SILEX_PK_RAM_SIZE), "operand RAM reads all ones");
	pk->ram[0] = 1;
	pk->registers[SILEX_PK_CONTROL / 4] = SILEX_PK_CONTROL_START;
	check(!lock_take(pk, 100), "the lock is not to be had");
	check(pk_tell(pk, SILEX_SHARE_ARM) != 0, "the descriptor takes no word");
	munmap((char *)pk->ram + PAGE, PAGE);
	check(pk->ram[0] == 1, "a piece of an area that was taken back can be unmapped");
	check(device_map(pk->fd, SILEX_SHARE_PK_RAM_MAP, PAGE) == MAP_FAILED, "no map any more");
}

static void after_cm(struct everything *all)
{
	check(eventually(all->buffer[0] == ~0u), "the buffer reads all ones");
	check(is_ones(all->registers, 0x40), "CryptoMaster reads all ones");
	all->buffer[1] = 1;
	all->registers[0] = 1;
	check(device_map(all->cm, SILEX_SHARE_CM_REGS_MAP, PAGE) == MAP_FAILED, "nor here");
}

void scenario_away(void)
{
	struct everything all;
	struct modexp longest;

	modexp_longest(&longest);
	map_everything(&all);
	must(lock_take(&all.pk, 1000), "lock");
	modexp_start(&all.pk, &longest);
	mark("/run/ready");
	eventually(lock_load(&all.pk.share->state) == SILEX_SHARE_GONE);
	after_pk(&all);
	after_cm(&all);
}
