// SPDX-License-Identifier: Apache-2.0
/* Public-key operations: polled and by interrupt; and what is written to the descriptor. */
#include <errno.h>
#include <unistd.h>

#include "uio.h"

static bool polled(void *data)
{
	struct modexp modexp;
	struct pk *pk = data;
	bool right;

	modexp_read(&modexp);
	pk_map(pk);
	forbid_system_calls();
	right = lock_take(pk, 1000) && modexp_run(pk, &modexp);
	lock_give(pk);
	return right;
}

/* Takes what events there were */
static void drain(const struct pk *pk)
{
	while (pk_event(pk, 0))
		;
}

static void by_interrupt(struct pk *pk)
{
	struct modexp modexp;

	modexp_read(&modexp);
	must(lock_take(pk, 1000), "lock");
	drain(pk);
	modexp_start(pk, &modexp);
	check(!pk_tell(pk, SILEX_SHARE_ARM), "arm");
	check(pk_event(pk, 1000) && !pk_is_busy(pk), "an event when it has ended");
	check(modexp_is_right(pk, &modexp), "right by interrupt");
	modexp_clear(pk);
	lock_give(pk);
}

/* Where it has a line of its own, which is masked until it is armed */
void scenario_once(void)
{
	struct modexp modexp;
	struct pk pk;

	pk_open(&pk);
	modexp_read(&modexp);
	must(lock_take(&pk, 1000), "lock");
	drain(&pk);
	must(modexp_run(&pk, &modexp), "a right result");
	check(!pk_event(&pk, 20), "no event without arming");
	modexp_start(&pk, &modexp);
	while (pk_is_busy(&pk))
		;
	check(!pk_tell(&pk, SILEX_SHARE_ARM) && pk_event(&pk, 1000),
	      "armed late, it comes at once");
	check(!pk_event(&pk, 20), "and once");
	check(!pk_tell(&pk, SILEX_SHARE_ARM) && !pk_tell(&pk, SILEX_SHARE_DISARM), "disarm");
	must(modexp_run(&pk, &modexp), "a right result");
	check(!pk_event(&pk, 20), "no event after disarming");
	lock_give(&pk);
	pk_unmap(&pk);
	close(pk.fd);
}

static void words(struct pk *pk)
{
	uint64_t twice = SILEX_SHARE_WAKE;

	drain(pk);
	check(!pk_tell(pk, SILEX_SHARE_WAKE) && pk_event(pk, 0), "wake");
	check(pk_tell(pk, 4) == EINVAL && pk_tell(pk, INT32_MAX) == EINVAL, "no other word");
	check(write(pk->fd, &twice, sizeof(twice)) < 0 && errno == EINVAL, "one word at a time");
	check(pk_tell(pk, SILEX_SHARE_GIVE_UP) == EPERM, "no giving up what one does not own");
	must(lock_take(pk, 1000), "lock");
	check(!pk_tell(pk, SILEX_SHARE_GIVE_UP), "giving up what one owns");
	must(lock_take(pk, 1000), "lock after giving up");
	lock_give(pk);
}

void scenario_operation(void)
{
	struct pk pk;

	pk_open(&pk);
	check(pk.share->version == SILEX_SHARE_VERSION, "the lock page's version");
	check(pk.share->flags == SILEX_SHARE_INTERRUPT, "there are interrupts");
	check(ended_well(start(polled, &pk)), "right by polling, without a system call");
	by_interrupt(&pk);
	words(&pk);
	pk_unmap(&pk);
	close(pk.fd);
}
