// SPDX-License-Identifier: Apache-2.0
/* A core that is reset, or was without power for a moment, and nobody has announced it. */
#include <unistd.h>

#include "uio.h"

/* The core goes with this operation, and comes back idle and without an error */
static void go_and_come(struct pk *pk)
{
	struct modexp longest;

	modexp_longest(&longest);
	modexp_start(pk, &longest);
	/* the end of clearing after power-on is an interrupt, too */
	check(eventually((pk_read(pk, SILEX_PK_STATUS) & ~SILEX_PK_STATUS_IRQ) == 0),
	      "STATUS is that of a success");
	check(pk_read(pk, SILEX_PK_POINTERS) == 0, "POINTERS tells that it is none");
	check(pk->generation == lock_load(&pk->share->generation), "the kernel knows of nothing");
}

/* All is as after a reset that was announced */
static void after_reset(struct pk *pk)
{
	struct modexp modexp;

	check(pk->generation != lock_load(&pk->share->generation), "the generation is another");
	check(eventually(lock_load(&pk->share->state) == SILEX_SHARE_READY), "it is ready again");
	modexp_read(&modexp);
	must(lock_take(pk, 1000), "lock");
	check(modexp_run(pk, &modexp), "right afterwards");
	lock_give(pk);
}

/* Who sleeps until the operation ends is woken at once */
void scenario_reset(void)
{
	struct pk pk;

	pk_open(&pk);
	must(lock_take(&pk, 1000), "lock");
	go_and_come(&pk);
	while (pk_event(&pk, 0))
		;
	check(!pk_tell(&pk, SILEX_SHARE_ARM) && pk_event(&pk, 5), "armed, the event comes at once");
	after_reset(&pk);
	pk_unmap(&pk);
	close(pk.fd);
}

/* The kernel sees the same reset several times before it can clear the core, which is busy */
void scenario_looks(void)
{
	struct modexp longest;
	struct pk pk;
	int i;

	pk_open(&pk);
	must(lock_take(&pk, 1000), "lock");
	modexp_longest(&longest);
	modexp_start(&pk, &longest);
	while (pk_read(&pk, SILEX_PK_POINTERS) != 0)
		;
	for (i = 0; i < 3; i++)
		check(!pk_tell(&pk, SILEX_SHARE_ARM), "arm");
	after_reset(&pk);
	pk_unmap(&pk);
	close(pk.fd);
}

/* The kernel has lost CryptoMaster of the same window meanwhile */
void scenario_told(void)
{
	struct pk pk;

	pk_open(&pk);
	must(lock_take(&pk, 1000), "lock");
	lock_give(&pk);
	mark("/run/ready");
	check(eventually(pk.generation != lock_load(&pk.share->generation)),
	      "one learns of it without doing anything");
	after_reset(&pk);
	pk_unmap(&pk);
	close(pk.fd);
}
