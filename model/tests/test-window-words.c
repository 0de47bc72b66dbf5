/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Every word of the window: what can be written stays, and nothing else changes; what is not there
 * reads 0.  So do accesses that are not aligned. */
#include "../../silex/cryptomaster.h"
#include "public-key.h"
#include "unit.h"

#define LONG_AGO_NS 1000000000u
#define WORDS       (SILEX_WINDOW_SIZE / 4)

/* A window's configuration, as far as it changes what is there */
struct window {
	const char *configuration;
	bool cryptomaster;
	bool wide; /* addresses of 64 bits */
	uint32_t pk_max_bytes; /* 0: there is no public-key core */
};

static const struct window windows[] = {
	{ "hash=on", true, false, 512 },
	{ "address64=on,pk_max_bytes=1024", true, true, 1024 },
	{ "pk=off,hash=on", true, false, 0 },
	{ "cryptomaster=off,aes=off", false, false, 512 },
};

#define WINDOWS (sizeof(windows) / sizeof(*windows))

/* ---- the map ---- */

/* Bits of a word of CryptoMaster that stay as they are written, without those that do something */
static uint32_t cm_bits(const struct window *window, uint32_t offset)
{
	switch (offset) {
	case SILEX_CM_FETCH_ADDR:
	case SILEX_CM_FETCH_LEN:
	case SILEX_CM_FETCH_TAG:
	case SILEX_CM_PUSH_ADDR:
	case SILEX_CM_PUSH_LEN:
		return 0xffffffff;
	case SILEX_CM_FETCH_ADDR_HI:
	case SILEX_CM_PUSH_ADDR_HI:
		return window->wide ? 0xffffffff : 0;
	case SILEX_CM_INT_EN:
		return SILEX_CM_INT_ALL;
	case SILEX_CM_CONFIG:
		return SILEX_CM_CONFIG_SG | SILEX_CM_CONFIG_FETCH_STOP | SILEX_CM_CONFIG_PUSH_STOP;
	default:
		return 0;
	}
}

static uint32_t pk_bits(const struct window *window, uint32_t offset)
{
	switch (offset) {
	case PK(SILEX_PK_POINTERS):
		return 0x0f0f0f0f;
	case PK(SILEX_PK_COMMAND):
		return 0xf77bffff; /* all that silex/ba414.h names: not bits 18, 23 and 27 */
	case PK(SILEX_PK_TIMER):
		return 0xfffffffe;
	default:
		return offset >= SILEX_PK_CODE_BASE ||
				       (offset >= SILEX_PK_RAM_BASE &&
					offset - SILEX_PK_RAM_BASE <
						SILEX_PK_SLOTS *
							SILEX_PK_STRIDE(window->pk_max_bytes))
			       ? 0xffffffff
			       : 0;
	}
}

static uint32_t bits_that_stay(const struct window *window, uint32_t offset)
{
	if (offset < SILEX_CM_SIZE)
		return window->cryptomaster ? cm_bits(window, offset) : 0;
	return window->pk_max_bytes ? pk_bits(window, offset) : 0;
}

/* What a write to this word does besides */
static uint32_t bits_that_act(uint32_t offset)
{
	switch (offset) {
	case SILEX_CM_INT_SET:
	case SILEX_CM_INT_CLR:
	case SILEX_CM_INT_STAT_CLR:
	case SILEX_CM_START:
	case PK(SILEX_PK_CONTROL):
		return 0xffffffff;
	case SILEX_CM_CONFIG:
		return SILEX_CM_CONFIG_SOFT_RESET;
	default:
		return 0;
	}
}

/* Words that read something else than 0 when nothing was written */
static bool tells_something(const struct window *window, uint32_t offset)
{
	bool pk = window->pk_max_bytes > 0;

	switch (offset) {
	case SILEX_PRESENCE:
	case SILEX_AES_CAPS:
	case SILEX_AES_COUNTER_BITS:
	case SILEX_HASH_CAPS:
		return true;
	case PK(SILEX_PK_COMMAND): /* CLEAR_MEMORY, after power-on */
	case PK(SILEX_PK_TIMER): /* ... which takes time */
	case PK(SILEX_PK_VERSION):
	case PK(SILEX_PK_HWCONFIG):
		return pk;
	default:
		return false;
	}
}

/* ---- reading and writing ---- */

static struct bus *open_idle(const struct window *window)
{
	struct bus *bus = bus_open(window->configuration);

	bus->pass(bus, LONG_AGO_NS);
	bus->write(bus, PK(SILEX_PK_CONTROL), SILEX_PK_CONTROL_CLEAR_IRQ);
	return bus;
}

static void expect_words(struct bus *bus, const struct window *window,
			 const uint32_t expected[WORDS])
{
	for (uint32_t i = 0; i < WORDS; i++) {
		uint32_t found = bus->read(bus, 4 * i);

		if (found != expected[i])
			fail_msg("%s: %04x reads %08x, not %08x", window->configuration, 4 * i,
				 found, expected[i]);
	}
}

/* Other bits in every word */
static uint32_t pattern(uint32_t offset)
{
	return (offset / 4 + 1) * 2654435761u;
}

static void write_word(struct bus *bus, const struct window *window, uint32_t offset,
		       uint32_t expected[WORDS])
{
	uint32_t value = pattern(offset) & ~bits_that_act(offset);
	uint32_t stay = bits_that_stay(window, offset);

	bus->write(bus, offset, value);
	expected[offset / 4] = (expected[offset / 4] & ~stay) | (value & stay);
}

/* Reads every word; what tells nothing is 0 */
static void read_words(struct bus *bus, const struct window *window, uint32_t words[WORDS])
{
	for (uint32_t i = 0; i < WORDS; i++) {
		words[i] = bus->read(bus, 4 * i);
		if (words[i] != 0 && !tells_something(window, 4 * i))
			fail_msg("%s: %04x reads %08x", window->configuration, 4 * i, words[i]);
	}
}

/* Writes every word, and what it should read then to `expected`; COMMAND comes first, as it rules
 * how operand RAM is seen */
static void write_words(struct bus *bus, const struct window *window, uint32_t expected[WORDS])
{
	read_words(bus, window, expected);
	write_word(bus, window, PK(SILEX_PK_COMMAND), expected);
	for (uint32_t i = 0; i < WORDS; i++)
		if (4 * i != PK(SILEX_PK_COMMAND))
			write_word(bus, window, 4 * i, expected);
}

/* ---- tests ---- */

static void a_write_changes_its_own_word_and_no_other(void **state)
{
	static uint32_t expected[WORDS];

	(void)state;
	for (unsigned i = 0; i < WINDOWS; i++) {
		struct bus *bus = open_idle(&windows[i]);

		write_words(bus, &windows[i], expected);
		expect_words(bus, &windows[i], expected);
		bus_close(bus);
	}
}

static void an_access_that_is_not_aligned_is_none(void **state)
{
	static uint32_t expected[WORDS];
	struct bus *bus = open_idle(&windows[0]);

	(void)state;
	write_words(bus, &windows[0], expected);
	for (uint32_t offset = 0; offset < SILEX_WINDOW_SIZE - 4; offset++) {
		if (offset % 4 == 0)
			continue;
		if (bus->read(bus, offset) != 0)
			fail_msg("%04x reads %08x", offset, bus->read(bus, offset));
		bus->write(bus, offset, 0xffffffff);
	}
	bus->pass(bus, LONG_AGO_NS);
	expect_words(bus, &windows[0], expected);
	bus_close(bus);
}

/* Each bit that acts, alone: none of them changes a word that keeps what was written but INT_EN */
static void what_acts_keeps_nothing(void **state)
{
	static uint32_t expected[WORDS];
	struct bus *bus = open_idle(&windows[0]);

	(void)state;
	write_words(bus, &windows[0], expected);
	bus->write(bus, SILEX_CM_INT_CLR, 0xffffffff);
	expected[SILEX_CM_INT_EN / 4] = 0;
	expect_words(bus, &windows[0], expected);
	bus->write(bus, SILEX_CM_INT_SET, 0xffffffff);
	expected[SILEX_CM_INT_EN / 4] = SILEX_CM_INT_ALL;
	expect_words(bus, &windows[0], expected);
	bus->write(bus, SILEX_CM_INT_STAT_CLR, 0xffffffff);
	bus->write(bus, SILEX_CM_START, ~(SILEX_CM_START_BOTH));
	bus->write(bus, PK(SILEX_PK_CONTROL), ~SILEX_PK_CONTROL_START);
	expect_words(bus, &windows[0], expected);
	bus_close(bus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_write_changes_its_own_word_and_no_other),
		cmocka_unit_test(an_access_that_is_not_aligned_is_none),
		cmocka_unit_test(what_acts_keeps_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
