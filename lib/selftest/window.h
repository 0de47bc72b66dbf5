/* SPDX-License-Identifier: Apache-2.0 */
/* One window of cores under test. */
#ifndef SELFTEST_WINDOW_H
#define SELFTEST_WINDOW_H

#include "../device.h"
#include "report.h"

struct window {
	struct report *report;
	struct firesteel *device;
	struct firesteel_capabilities has;
	uint64_t clock_hz; /* of its cores; 0: nobody has said */
	bool silent[FS_CORES]; /* the core no longer answers */
};

/* Whether it does AES as the simple checks want it: ECB with a key of 128 bits */
static inline bool window_encrypts(const struct window *window)
{
	return window->has.modes & 1u << FIRESTEEL_ECB && window->has.key_bits & 1u;
}

/* Before a check: whether the core answers.  What an earlier check found of it is forgotten, so that
 * each check stands for itself. */
bool window_try(struct window *window, enum fs_core core);

/* Whether the core answers now: idle, and not taken back by the kernel; waits for that */
bool window_answers(struct window *window, enum fs_core core);

/* Does a request of a check */
int window_run(struct window *window, const struct firesteel_request *request);

/* After an error: the line, and whether the core still answers */
void window_failed(struct window *window, enum fs_core core, const char *check, const char *section,
		   int error);

/* After a wrong result: the line, with the first bytes that differ */
void window_differs(struct window *window, const char *check, const char *section,
		    const uint8_t *expected, const uint8_t *came, size_t size);

#endif
