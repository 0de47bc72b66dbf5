/* SPDX-License-Identifier: Apache-2.0 */
#include "fork.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_uint forks;

/* Only counts: a child may do hardly more here.  The rest is done when a device is next used. */
static void mark(void)
{
	atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed);
}

static void begin(void)
{
	pthread_atfork(NULL, NULL, mark);
}

void fs_fork_watch(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, begin);
}

unsigned fs_fork_count(void)
{
	return atomic_load_explicit(&forks, memory_order_relaxed);
}
