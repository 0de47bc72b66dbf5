/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of the public-key engine have in common.  All report what is wrong, and return false then. */
#ifndef SELFTEST_EVIDENCE_H
#define SELFTEST_EVIDENCE_H

#include "window.h"
#include "words.h"

#define EVIDENCE_SECTION "known-answers"

/* Does a request, which must succeed */
bool evidence_run(struct window *window, const char *check,
		  const struct firesteel_request *request);

/* Does a request that must end with that error: of a wrong signature, or of a point that is on no curve */
bool evidence_refuses(struct window *window, const char *check,
		      const struct firesteel_request *request, int error);

/* Whether a number came, in `size` bytes */
bool evidence_is(struct window *window, const char *check, struct firesteel_bytes expected,
		 const uint8_t *came, size_t size);

/* Does a request with a secret, with countermeasures if the engine has any, and without them; that
 * number must come in `size` bytes each time */
bool evidence_private(struct window *window, const char *check, struct firesteel_request request,
		      struct firesteel_bytes expected, const uint8_t *came, size_t size);

/* The flags of a request with a secret */
unsigned evidence_flags(const struct window *window);

/* Bytes that nobody knows beforehand */
void evidence_random(struct window *window, uint8_t *bytes, size_t size);

#endif
