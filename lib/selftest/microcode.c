/* SPDX-License-Identifier: Apache-2.0 */
#include "checks.h"

#include <string.h>

#include "../../silex/ba414.h"
#include "../pk-power.h"

#define SECTION "microcode"

/* 2 ^ 5 modulo 2 ^ 256 - 189, a prime */
static int power_of_two(struct window *window, uint8_t result[32], uint32_t *status)
{
	static const uint8_t two[] = { 2 }, five[] = { 5 };
	uint8_t modulus[32];
	struct fs_pk pk;
	int error = fs_pk_acquire(window->device, &pk);

	if (error)
		return error;
	memset(modulus, 0xff, sizeof(modulus));
	modulus[31] = 0x43;
	error = fs_power(&pk, &fs_power_modexp,
			 (struct firesteel_bytes){ modulus, sizeof(modulus) },
			 (struct firesteel_bytes){ two, sizeof(two) },
			 (struct firesteel_bytes){ five, sizeof(five) }, result);
	*status = pk.status;
	fs_pk_release(&pk);
	return error;
}

/* All that follows would fail for the same reason */
static void none(struct window *window, uint32_t status)
{
	report_failed(window->report, "microcode", SECTION,
		      "expected an answer, came STATUS 0x%08x: %s", status,
		      status & SILEX_PK_STATUS_NOT_IMPLEMENTED
			      ? "not implemented, as of a part that needs microcode"
			      : "bad microcode");
	window->silent[FS_PK] = true;
}

void check_microcode(struct window *window)
{
	static const uint8_t expected[32] = { [31] = 32 };
	uint8_t result[32];
	uint32_t status = 0;
	int error;

	if (!window->has.public_key || !window_try(window, FS_PK))
		return;
	error = power_of_two(window, result, &status);
	if (error == FIRESTEEL_ERROR_ABSENT)
		none(window, status);
	else if (error)
		window_failed(window, FS_PK, "microcode", SECTION, error);
	else if (memcmp(result, expected, sizeof(result)) != 0)
		window_differs(window, "microcode", SECTION, expected, result, sizeof(result));
	else
		report_ok(window->report, "microcode", "the engine has what it needs to compute");
}
