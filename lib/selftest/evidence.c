/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"

#include <string.h>

#include "../number.h"

#define RANDOM_MAX 32u /* bytes at a time */

bool evidence_run(struct window *window, const char *check, const struct firesteel_request *request)
{
	int error = window_run(window, request);

	if (error)
		window_failed(window, FS_PK, check, EVIDENCE_SECTION, error);
	return error == FIRESTEEL_OK;
}

bool evidence_refuses(struct window *window, const char *check,
		      const struct firesteel_request *request, int error)
{
	int came = window_run(window, request);

	if (came == error)
		return true;
	if (came == FIRESTEEL_OK)
		report_failed(window->report, check, EVIDENCE_SECTION,
			      "expected \"%s\", came a result", firesteel_error_text(error));
	else
		window_failed(window, FS_PK, check, EVIDENCE_SECTION, came);
	return false;
}

bool evidence_is(struct window *window, const char *check, struct firesteel_bytes expected,
		 const uint8_t *came, size_t size)
{
	uint8_t padded[FS_NUMBER_MAX];

	fs_number_pad(expected, padded, size);
	if (memcmp(padded, came, size) == 0)
		return true;
	window_differs(window, check, EVIDENCE_SECTION, padded, came, size);
	return false;
}

bool evidence_private(struct window *window, const char *check, struct firesteel_request request,
		      struct firesteel_bytes expected, const uint8_t *came, size_t size)
{
	unsigned other = request.flags;

	request.flags = other | evidence_flags(window);
	if (!evidence_run(window, check, &request) ||
	    !evidence_is(window, check, expected, came, size))
		return false;
	if (request.flags & FIRESTEEL_UNPROTECTED)
		return true;
	request.flags = other | FIRESTEEL_UNPROTECTED;
	return evidence_run(window, check, &request) &&
	       evidence_is(window, check, expected, came, size);
}

unsigned evidence_flags(const struct window *window)
{
	return window->has.protection ? 0 : FIRESTEEL_UNPROTECTED;
}

void evidence_random(struct window *window, uint8_t *bytes, size_t size)
{
	while (size > 0) {
		size_t part = size < RANDOM_MAX ? size : RANDOM_MAX;

		fs_random_get(&window->device->random, bytes, part);
		bytes += part;
		size -= part;
	}
}
