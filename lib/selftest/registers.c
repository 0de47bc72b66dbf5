/* SPDX-License-Identifier: Apache-2.0 */
#include "checks.h"

#include "../../silex/ba414.h"
#include "../../silex/cryptomaster.h"
#include "../../silex/soc.h"
#include "../pk.h"

#define SECTION "registers"

/* A register, bits of it that are writable, and what it is left at */
struct word {
	const char *name;
	uint32_t offset;
	uint32_t mask;
	uint32_t left;
};

static const struct word cm_words[] = {
	{ "FETCH_ADDR", SILEX_CM_FETCH_ADDR, 0xfffffffc, 0 },
	{ "PUSH_ADDR", SILEX_CM_PUSH_ADDR, 0xfffffffc, 0 },
	{ "INT_EN", SILEX_CM_INT_EN, SILEX_CM_INT_ALL, 0 },
	{ "CONFIG", SILEX_CM_CONFIG, SILEX_CM_CONFIG_SG, SILEX_CM_CONFIG_SG },
};

/* POINTERS is never left at 0: silex/share.h */
static const struct word pk_words[] = {
	{ "POINTERS", SILEX_PK_BASE + SILEX_PK_POINTERS, 0x0f0f0f0f, 0x000a0806 },
	{ "COMMAND", SILEX_PK_BASE + SILEX_PK_COMMAND, 0x0003ff7f, SILEX_PK_OP_CLEAR_MEMORY },
};

/* Each bit as 0 and as 1, and neighbours that differ; none is 0 in POINTERS */
static const uint32_t patterns[] = { 0xffffffff, 0xa5a5a5a5, 0x5a5a5a5a, 0x12345678 };

static bool reads_back(struct window *window, enum fs_core core, const char *check,
		       const struct word *word)
{
	struct fs_transport *transport = window->device->transport;
	bool same = true;

	for (unsigned i = 0; i < sizeof(patterns) / sizeof(*patterns) && same; i++) {
		uint32_t expected = patterns[i] & word->mask, came;

		fs_write(transport, core, word->offset, expected);
		came = fs_read(transport, core, word->offset) & word->mask;
		same = came == expected;
		if (!same)
			report_failed(window->report, check, SECTION,
				      "expected 0x%08x in %s, came 0x%08x", expected, word->name,
				      came);
	}
	fs_write(transport, core, word->offset, word->left);
	if (!same)
		window_answers(window, core);
	return same;
}

static void all_read_back(struct window *window, enum fs_core core, const char *check,
			  const struct word *words, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!reads_back(window, core, check, &words[i]))
			return;
	report_ok(window->report, check, "%u registers keep what is written", count);
}

/* The library's next message writes all that these change */
static void cm_registers(struct window *window)
{
	struct fs_transport *transport = window->device->transport;

	if (!window->has.cryptomaster || !window_try(window, FS_CM))
		return;
	fs_write(transport, FS_CM, SILEX_CM_INT_STAT_CLR, SILEX_CM_INT_ALL);
	all_read_back(window, FS_CM, "cm-registers", cm_words,
		      sizeof(cm_words) / sizeof(*cm_words));
}

/* ---- operand RAM ---- */

/* A word that says where it lies: no two places may be one */
static uint32_t word_at(uint32_t offset, bool inverse)
{
	uint32_t word = 0x01000193u * (offset + 1) ^ offset << 16;

	return inverse ? ~word : word;
}

static bool ram_keeps(struct window *window, size_t size, bool inverse)
{
	struct fs_transport *transport = window->device->transport;

	for (uint32_t at = 0; at < size; at += 4) {
		uint32_t word = word_at(at, inverse);

		transport->ops->put(transport, SILEX_PK_RAM_BASE + at, (const uint8_t *)&word, 1);
	}
	for (uint32_t at = 0; at < size; at += 4) {
		uint32_t word = word_at(at, inverse), came;

		transport->ops->get(transport, SILEX_PK_RAM_BASE + at, (uint8_t *)&came, 1);
		if (came == word)
			continue;
		report_failed(window->report, "pk-ram", SECTION,
			      "expected 0x%08x at 0x%04x, came 0x%08x", word,
			      SILEX_PK_RAM_BASE + at, came);
		window_answers(window, FS_PK);
		return false;
	}
	return true;
}

static void pk_ram(struct window *window)
{
	size_t size = SILEX_PK_SLOTS * SILEX_PK_STRIDE(window->has.operand_bytes);

	if (ram_keeps(window, size, false) && ram_keeps(window, size, true))
		report_ok(window->report, "pk-ram", "%zu bytes of operand RAM keep what is written",
			  size);
}

static void pk_registers(struct window *window)
{
	struct fs_pk pk;
	int error;

	if (!window->has.public_key || !window_try(window, FS_PK))
		return;
	error = fs_pk_acquire(window->device, &pk);
	if (error) {
		window_failed(window, FS_PK, "pk-registers", SECTION, error);
		return;
	}
	/* they take nothing while it clears its memory, as after another owner */
	if (!window_answers(window, FS_PK))
		report_failed(window->report, "pk-registers", SECTION,
			      "expected an idle engine, came BUSY in STATUS");
	else
		all_read_back(window, FS_PK, "pk-registers", pk_words,
			      sizeof(pk_words) / sizeof(*pk_words));
	if (window_try(window, FS_PK))
		pk_ram(window);
	fs_pk_release(&pk);
}

void check_registers(struct window *window)
{
	cm_registers(window);
	pk_registers(window);
}
