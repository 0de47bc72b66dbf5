/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Configurations from words, what is refused, and in which words. */
#include <string.h>

#include "../silex-model.h"
#include "unit.h"

static char error[SILEX_MODEL_ERROR_SIZE];

static int set(struct silex_config *config, const char *key, const char *value)
{
	memset(error, 0, sizeof(error));
	return silex_config_set(config, key, value, error, sizeof(error));
}

static void expect_sentence(const char *words)
{
	if (!strstr(error, words))
		fail_msg("\"%s\" does not tell: %s", error, words);
}

static void values_reach_their_fields(void **state)
{
	struct silex_config config;

	(void)state;
	silex_config_default(&config);
	assert_int_equal(set(&config, "hash", "on"), 0);
	assert_int_equal(set(&config, "aes", "off"), 0);
	assert_int_equal(set(&config, "zero", "on"), 0);
	assert_int_equal(set(&config, "pk_multipliers", "16"), 0);
	assert_int_equal(set(&config, "pk_curves", "0x100000"), 0);
	assert_int_equal(set(&config, "clock_hz", "5000000000"), 0);
	assert_int_equal(set(&config, "aes256_cycles", "7"), 0);
	assert_int_equal(set(&config, "fetcher", "serial"), 0);
	assert_int_equal(set(&config, "seed", "18446744073709551615"), 0);
	assert_true(config.hash && !config.aes && config.timing.zero);
	assert_int_equal(config.pk_multipliers, 16);
	assert_int_equal(config.pk_curves, 0x100000);
	assert_int_equal(config.timing.clock_hz, 5000000000);
	assert_int_equal(config.timing.aes256_cycles, 7);
	assert_int_equal(config.timing.fetcher, SILEX_FETCHER_SERIAL);
	assert_int_equal(set(&config, "fetcher", "ahead"), 0);
	assert_int_equal(config.timing.fetcher, SILEX_FETCHER_AHEAD);
	assert_int_equal(config.faults.seed, UINT64_MAX);
}

static void every_key_takes_a_value(void **state)
{
	struct silex_config config;
	unsigned keys = 0;

	(void)state;
	silex_config_default(&config);
	for (const char *key; (key = silex_config_key(keys)); keys++)
		if (set(&config, key, "on") != 0 && set(&config, key, "1") != 0 &&
		    set(&config, key, "ahead") != 0 && set(&config, key, "lan969x") != 0)
			assert_int_equal(set(&config, key, ""), 0);
	assert_true(keys > 30);
}

static void wrong_words_are_refused(void **state)
{
	struct silex_config config, before;

	(void)state;
	silex_config_default(&config);
	before = config;
	assert_int_equal(set(&config, "hsah", "on"), -1);
	expect_sentence("\"hsah\": no such key; there are cryptomaster aes hash");
	assert_int_equal(set(&config, "hash", "yes"), -1);
	expect_sentence("hash = \"yes\": must be on or off");
	assert_int_equal(set(&config, "pk_multipliers", "many"), -1);
	expect_sentence("must be a number");
	assert_int_equal(set(&config, "pk_multipliers", "-1"), -1);
	assert_int_equal(set(&config, "pk_multipliers", "4294967296"), -1);
	assert_int_equal(set(&config, "pk_multipliers", "16x"), -1);
	assert_int_equal(set(&config, "pk_multipliers", ""), -1);
	assert_int_equal(set(&config, "fetcher", "behind"), -1);
	expect_sentence("fetcher = \"behind\": must be ahead or serial");
	assert_int_equal(set(&config, "clock_hz", "99999999999999999999"), -1);
	assert_memory_equal(&config, &before, sizeof(config));
}

/* ---- faults ---- */

static void faults_are_read(void **state)
{
	struct silex_faults faults = { .seed = 7 };
	const struct silex_fault *late = &faults.fault[SILEX_FAULT_LATE];

	(void)state;
	assert_int_equal(silex_faults_parse("gone:nth=3:from=5:until=9;late:rate=100:factor=50",
					    &faults, error, sizeof(error)),
			 0);
	assert_true(faults.fault[SILEX_FAULT_GONE].armed);
	assert_int_equal(faults.fault[SILEX_FAULT_GONE].nth, 3);
	assert_int_equal(faults.fault[SILEX_FAULT_GONE].from_ns, 5000000);
	assert_int_equal(faults.fault[SILEX_FAULT_GONE].until_ns, 9000000);
	assert_true(late->armed);
	assert_int_equal(late->rate, 100);
	assert_int_equal(late->factor, 50);
	assert_false(faults.fault[SILEX_FAULT_DMA_ERROR].armed);
	assert_int_equal(faults.seed, 7);
	assert_int_equal(
		silex_faults_parse("gone:rate=2:within=7:for=9", &faults, error, sizeof(error)), 0);
	assert_int_equal(faults.fault[SILEX_FAULT_GONE].within_ns, 7);
	assert_int_equal(faults.fault[SILEX_FAULT_GONE].for_ns, 9);
	assert_int_equal(silex_faults_parse("gone:accesses=3", &faults, error, sizeof(error)), 0);
	assert_int_equal(faults.fault[SILEX_FAULT_GONE].accesses, 3);
	assert_int_equal(silex_faults_parse("", &faults, error, sizeof(error)), 0);
	assert_false(late->armed);
}

static void wrong_faults_are_refused(void **state)
{
	static const char *const wrong[] = {
		"late",
		"late:rate=0",
		"late:rate=1:nth=1",
		"late:rate=-1",
		"late:rate=1:x=1",
		"late:rate=1:factor=1",
		"gone:rate=1:factor=2",
		"gone:nth",
		"gone:nth=",
		"gone nth=1",
		"late:rate=1:factor=1000001",
		"gone:nth=1:until=0",
		"gone:nth=1:from=9:until=9",
		"gone:nth=1:from=1000000001",
		"gone:for=5",
		"gone:nth=1:accesses=5",
		"gone:accesses=5:within=5",
		"gone:nth=1:for=0",
		"gone:nth=1:within=1000000000000001",
		"late:nth=1:for=5",
		"late:accesses=5",
	};
	struct silex_faults faults = { 0 };

	(void)state;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		memset(error, 0, sizeof(error));
		if (silex_faults_parse(wrong[i], &faults, error, sizeof(error)) == 0)
			fail_msg("\"%s\" was taken", wrong[i]);
		assert_true(strlen(error) > 0);
		expect_sentence(wrong[i]);
	}
	silex_faults_parse("gon:nth=1", &faults, error, sizeof(error));
	expect_sentence("no such kind; there are dma-error, wrong-tag, stuck-busy, "
			"lost-interrupt, spurious-interrupt, late, flipped-bit, gone");
}

/* ---- what a model can not have ---- */

static uint64_t no_time(void *opaque)
{
	(void)opaque;
	return 0;
}

static void no_wish(void *opaque, uint64_t when)
{
	(void)opaque;
	(void)when;
}

static void no_line(void *opaque, unsigned line, bool level)
{
	(void)opaque;
	(void)line;
	(void)level;
}

static void expect_refusal(const char *key, const char *value, const char *words)
{
	const struct silex_host host = { .now = no_time, .wake_at = no_wish };
	struct silex_config config;

	silex_config_default(&config);
	assert_int_equal(set(&config, key, value), 0);
	assert_null(silex_model_new(&config, &host, error));
	expect_sentence(words);
}

static void parts_that_do_not_fit_are_refused(void **state)
{
	(void)state;
	expect_refusal("cryptomaster", "off", "aes and hash need cryptomaster");
	expect_refusal("pk_max_bytes", "63", "64 to 1024");
	expect_refusal("pk_max_bytes", "1032", "64 to 1024");
	expect_refusal("pk_multipliers", "2", "1, 4, 16, 64 or 256");
	expect_refusal("pk_curves", "1", "0x01f00000");
	expect_refusal("presence_others", "0x200", "0x00000211");
	expect_refusal("length_bits", "23", "24 to 28");
	expect_refusal("pk_features", "0x20000000", "must have 0x00010000");
	expect_refusal("pk_features", "0x02010000", "0x20070000");
	expect_refusal("pk_microcode", "16388", "up to 16384");
	expect_refusal("aes_caps", "0x200", "0x070301ff");
	expect_refusal("aes_counter_bits", "0", "1 to 128");
	expect_refusal("hash_caps", "0x80", "0x0003007f");
	expect_refusal("clock_hz", "0", "1000000 to 10000000000");
	expect_refusal("register_ns", "1000001", "0 to 1000000");
	expect_refusal("dma_bytes_per_beat", "3", "1, 2, 4, 8, 16 or 32");
	expect_refusal("sha512_cycles", "1000001", "0 to 1000000");
	expect_refusal("pk_row_cycles", "1000001", "0 to 1000000");
}

/* Each is a part that can be made, and leaves as it is what was given, whatever came first */
static void profiles_are_parts(void **state)
{
	const struct silex_host host = { .now = no_time, .wake_at = no_wish, .interrupt = no_line };
	struct silex_config config, other;
	unsigned profiles = 0;

	(void)state;
	for (const char *name; (name = silex_config_profile(profiles)); profiles++) {
		silex_config_default(&config);
		other = config;
		assert_int_equal(set(&config, "profile", name), 0);
		assert_int_equal(set(&config, "hash", "off"), 0);
		assert_int_equal(set(&config, "pk_multipliers", "256"), 0);
		assert_int_equal(set(&other, "pk_multipliers", "256"), 0);
		assert_int_equal(set(&other, "hash", "off"), 0);
		assert_int_equal(set(&other, "profile", name), 0);
		assert_memory_equal(&config, &other, sizeof(config));
		assert_int_equal(config.pk_multipliers, 256);
		assert_false(config.hash);

		struct silex_model *model = silex_model_new(&config, &host, error);

		assert_non_null(model);
		silex_model_free(model);
	}
	assert_int_equal(profiles, 5);
	assert_int_equal(set(&config, "profile", "nrf52840"), -1);
	expect_sentence("must be one of firesteel nrf54l15 nrf54lm20a efr32mg22 lan969x");
}

static void a_window_without_cores_is_refused(void **state)
{
	const struct silex_host host = { .now = no_time, .wake_at = no_wish };
	struct silex_config config;

	(void)state;
	silex_config_default(&config);
	config.cryptomaster = config.aes = config.pk = false;
	assert_null(silex_model_new(&config, &host, error));
	expect_sentence("no core");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_reach_their_fields),
		cmocka_unit_test(every_key_takes_a_value),
		cmocka_unit_test(wrong_words_are_refused),
		cmocka_unit_test(faults_are_read),
		cmocka_unit_test(wrong_faults_are_refused),
		cmocka_unit_test(parts_that_do_not_fit_are_refused),
		cmocka_unit_test(profiles_are_parts),
		cmocka_unit_test(a_window_without_cores_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
