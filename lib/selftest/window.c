/* SPDX-License-Identifier: Apache-2.0 */
#include "window.h"

#include <stdio.h>
#include <string.h>

#include "../../silex/ba414.h"
#include "../../silex/cryptomaster.h"
#include "../../silex/soc.h"
#include "../clock.h"

/* How long the kernel has to recover a core that did not answer; it looks after 10 ms, then less often */
#define PATIENCE_NS (2 * FS_SECOND)
#define PAUSE_NS    (5 * FS_MILLISECOND)

/* Bytes of a result in a line */
#define SHOWN 8u

/* A core that was reset is configured again, too */
static void forget(struct window *window, enum fs_core core)
{
	struct fs_health *health = &window->device->health[core];

	if (core == FS_CM)
		window->device->lists = false;
	atomic_store(&health->faulty_until, 0);
	atomic_store(&health->gone, false);
	atomic_store(&health->wrong, false);
}

bool window_try(struct window *window, enum fs_core core)
{
	if (window->silent[core]) {
		window->report->untried++;
		return false;
	}
	forget(window, core);
	return true;
}

int window_run(struct window *window, const struct firesteel_request *request)
{
	return firesteel_run(window->device, request);
}

static bool is_ready(struct fs_transport *transport, enum fs_core core)
{
	if (core == FS_CM)
		return !(fs_read(transport, FS_CM, SILEX_CM_STATUS) &
			 (SILEX_CM_STATUS_BUSY | SILEX_CM_STATUS_RESET_BUSY));
	return !(fs_read(transport, FS_PK, SILEX_PK_BASE + SILEX_PK_STATUS) &
		 SILEX_PK_STATUS_BUSY) &&
	       __atomic_load_n(&transport->share->state, __ATOMIC_SEQ_CST) == SILEX_SHARE_READY;
}

/* A core that is gone reads all ones, which is busy, too */
bool window_answers(struct window *window, enum fs_core core)
{
	const struct timespec pause = fs_timespec(PAUSE_NS);
	uint64_t end = fs_now() + PATIENCE_NS;

	while (!is_ready(window->device->transport, core) && fs_now() < end)
		nanosleep(&pause, NULL);
	window->silent[core] = !is_ready(window->device->transport, core);
	return !window->silent[core];
}

void window_failed(struct window *window, enum fs_core core, const char *check, const char *section,
		   int error)
{
	bool answers = window_answers(window, core);

	report_failed(window->report, check, section, "expected an answer, came \"%s\"%s",
		      firesteel_error_text(error), answers ? "" : ", and the core answers no more");
}

static void show(char *text, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size && i < SHOWN; i++)
		text += sprintf(text, "%02x", bytes[i]);
}

void window_differs(struct window *window, const char *check, const char *section,
		    const uint8_t *expected, const uint8_t *came, size_t size)
{
	char one[2 * SHOWN + 1], other[2 * SHOWN + 1];
	size_t at = 0;

	while (at + 1 < size && expected[at] == came[at])
		at++;
	show(one, expected + at, size - at);
	show(other, came + at, size - at);
	report_failed(window->report, check, section, "expected %s at byte %zu of %zu, came %s",
		      one, at, size, other);
}
