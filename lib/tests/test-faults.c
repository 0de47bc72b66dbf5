/* SPDX-License-Identifier: Apache-2.0 */
/* Cores that fail: each request ends in time, with an error or with the right result. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../device.h"
#include "unit.h"

#define MOST_MS 5000.0

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* Faults strike by number, and opening a device makes operations of its own: those of each core are
 * counted here, to strike what comes after */
static struct firesteel *open_with(const char *options, const char *fault, unsigned after,
				   bool public_key)
{
	static const char only_keys[] = ",cryptomaster=off,aes=off,hash=off";
	static const char only_messages[] = ",pk=off";
	const unsigned at_open = public_key ? 3 : 12;
	char name[256];
	struct firesteel *device;

	snprintf(name, sizeof(name), "model:%s%s,faults=%s:nth=%u", options,
		 public_key ? only_keys : only_messages, fault, at_open + after);
	device = unit_open(name);
	firesteel_set(device, "timeout_ms", "100", NULL);
	return device;
}

/* Both runs one after the other; the first is struck */
static void run_two(struct firesteel *device, bool public_key, int errors[2])
{
	for (unsigned i = 0; i < 2; i++) {
		uint8_t result[64] = { 0 }, bytes[64] = { 0 };
		struct firesteel_request request = public_key ? unit_modexp(result)
							      : unit_cbc(bytes, sizeof(bytes));
		double begin = now_ms();

		errors[i] = firesteel_run(device, &request);
		assert_true(now_ms() - begin < MOST_MS);
		if (errors[i] && public_key)
			assert_int_equal(result[0] | result[63], 0);
		else if (!errors[i] && public_key)
			unit_check_modexp(result);
	}
}

static void expect_two(const char *fault, bool public_key, int first, int second)
{
	static const char *const completions[] = { "adaptive", "poll", "irq" };

	for (unsigned i = 0; i < COUNT(completions); i++) {
		struct firesteel *device = open_with("pk_multipliers=256", fault, 1, public_key);
		int errors[2];

		firesteel_set(device, "completion", completions[i], NULL);
		run_two(device, public_key, errors);
		if (errors[0] != first || errors[1] != second)
			fail_msg("%s, %s, %s: %s; %s", fault, completions[i],
				 public_key ? "public key" : "messages",
				 firesteel_error_text(errors[0]), firesteel_error_text(errors[1]));
		firesteel_close(device);
	}
}

static void a_core_that_hangs(void **state)
{
	(void)state;
	/* the public-key core is left alone for a while; CryptoMaster is reset */
	expect_two("stuck-busy", true, FIRESTEEL_ERROR_FAULT, FIRESTEEL_ERROR_FAULT);
	expect_two("stuck-busy", false, FIRESTEEL_ERROR_FAULT, FIRESTEEL_OK);
}

static void a_core_that_hung_is_tried_again(void **state)
{
	struct firesteel *device = open_with("pk_multipliers=256", "stuck-busy", 1, true);
	struct firesteel_statistics statistics;
	uint8_t result[64];
	struct firesteel_request request = unit_modexp(result);
	const struct timespec second = { .tv_sec = 1, .tv_nsec = 50000000 };

	(void)state;
	unit_run(device, &request, FIRESTEEL_ERROR_FAULT);
	assert_int_equal(firesteel_expect_ns(device, &request), FIRESTEEL_ERROR_FAULT);
	nanosleep(&second, NULL);
	unit_run(device, &request, FIRESTEEL_OK);
	unit_check_modexp(result);
	firesteel_statistics(device, &statistics);
	assert_int_equal(statistics.faults, 1);
	assert_int_equal(statistics.errors[FIRESTEEL_MODEXP], 1);
	firesteel_close(device);
}

static void a_core_that_vanishes(void **state)
{
	(void)state;
	expect_two("gone", true, FIRESTEEL_ERROR_GONE, FIRESTEEL_ERROR_GONE);
	expect_two("gone", false, FIRESTEEL_ERROR_GONE, FIRESTEEL_ERROR_GONE);
}

static void a_lost_interrupt_harms_nothing(void **state)
{
	(void)state;
	expect_two("lost-interrupt", true, FIRESTEEL_OK, FIRESTEEL_OK);
	/* without its bit nothing says that the message has been worked on */
	expect_two("lost-interrupt", false, FIRESTEEL_ERROR_FAULT, FIRESTEEL_OK);
}

static void a_spurious_interrupt_ends_nothing_early(void **state)
{
	(void)state;
	expect_two("spurious-interrupt", true, FIRESTEEL_OK, FIRESTEEL_OK);
	expect_two("spurious-interrupt", false, FIRESTEEL_OK, FIRESTEEL_OK);
}

static void a_late_core_is_waited_for(void **state)
{
	(void)state;
	expect_two("late", false, FIRESTEEL_OK, FIRESTEEL_OK);
}

static void a_bus_error_is_recovered_from(void **state)
{
	struct firesteel *device = open_with("zero=off", "dma-error", 1, false);
	struct firesteel_statistics statistics;
	int errors[2];

	(void)state;
	expect_two("dma-error", false, FIRESTEEL_ERROR_FAULT, FIRESTEEL_OK);
	run_two(device, false, errors);
	firesteel_statistics(device, &statistics);
	assert_int_equal(statistics.faults, 1);
	assert_int_equal(statistics.resets, 1);
	firesteel_close(device);
}

/* A failed piece changes neither context nor output */
static void a_failed_piece_can_be_repeated(void **state)
{
	static const uint8_t key[16] = { 1 }, iv[12] = { 2 };
	struct firesteel *device = open_with("zero=off", "dma-error", 2, false);
	struct firesteel_cipher_context context = { 0 }, before;
	uint8_t in[96] = { 3 }, out[96] = { 0 }, whole[96], tag[16], whole_tag[16];
	struct firesteel_request request = {
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = FIRESTEEL_GCM,
			    .more = true,
			    .key = BYTES(key),
			    .iv = BYTES(iv),
			    .in = PART(in, 48),
			    .out = SPACE(out, 48),
			    .tag = OUTPUT(tag),
			    .context = &context },
	};

	(void)state;
	unit_run(device, &request, FIRESTEEL_OK);
	before = context;
	request.cipher.more = false;
	request.cipher.in.data += 48;
	request.cipher.out.data += 48;
	unit_run(device, &request, FIRESTEEL_ERROR_FAULT);
	assert_memory_equal(&context, &before, sizeof(context));
	for (unsigned i = 48; i < 96; i++)
		assert_int_equal(out[i], 0);
	unit_run(device, &request, FIRESTEEL_OK);
	request.cipher.context = NULL;
	request.cipher.in = BYTES(in);
	request.cipher.out = OUTPUT(whole);
	request.cipher.tag = OUTPUT(whole_tag);
	unit_run(device, &request, FIRESTEEL_OK);
	assert_memory_equal(out, whole, sizeof(out));
	assert_memory_equal(tag, whole_tag, sizeof(tag));
	firesteel_close(device);
}

/* ---- a core that lies ---- */

/* Each result is wrong in one bit: what is checked never gets out */
static void a_flipped_bit_is_caught_where_it_is_checked(void **state)
{
	static const uint8_t secret[32] = { [31] = 77 };
	struct firesteel *device = unit_open("model:zero=on,faults=flipped-bit:rate=2");
	uint8_t x[32], y[32], r[32], s[32], nonsense[32] = { 0 };
	struct firesteel *honest = unit_open("model");
	unsigned caught = 0;

	(void)state;
	unit_run(honest,
		 &(struct firesteel_request){
			 .operation = FIRESTEEL_EC_PUBLIC,
			 .ec_public = { { FIRESTEEL_P256, NULL },
					BYTES(secret),
					OUTPUT(x),
					OUTPUT(y) },
		 },
		 FIRESTEEL_OK);
	for (unsigned i = 0; i < 60; i++) {
		int error;

		memset(r, 0, sizeof(r));
		error = firesteel_run(device,
				      &(struct firesteel_request){
					      .operation = FIRESTEEL_ECDSA_SIGN,
					      .flags = FIRESTEEL_CHECK,
					      .ecdsa_sign = { .curve = { FIRESTEEL_P256, NULL },
							      .secret = BYTES(secret),
							      .digest = BYTES(x),
							      .public_x = BYTES(x),
							      .public_y = BYTES(y),
							      .r = OUTPUT(r),
							      .s = OUTPUT(s) },
				      });
		if (error) {
			assert_memory_equal(r, nonsense, sizeof(r));
			caught++;
			if (error == FIRESTEEL_ERROR_FAULT)
				atomic_store(&device->health[FS_PK].faulty_until, 0);
			continue;
		}
		unit_run(honest,
			 &(struct firesteel_request){
				 .operation = FIRESTEEL_ECDSA_VERIFY,
				 .ecdsa_verify = { { FIRESTEEL_P256, NULL },
						   BYTES(x),
						   BYTES(y),
						   BYTES(x),
						   BYTES(r),
						   BYTES(s) },
			 },
			 FIRESTEEL_OK);
	}
	assert_in_range(caught, 10, 50);
	firesteel_close(honest);
	firesteel_close(device);
}

static void a_wrong_tag_gives_nothing(void **state)
{
	static const uint8_t key[16] = { 1 }, iv[12] = { 2 };
	/* of messages with a tag it is the second: at opening there are none */
	struct firesteel *device = unit_open("model:faults=wrong-tag:nth=2");
	uint8_t text[40] = { 3 }, tag[16];
	struct firesteel_request request = {
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = FIRESTEEL_GCM,
			    .key = BYTES(key),
			    .iv = BYTES(iv),
			    .in = BYTES(text),
			    .out = OUTPUT(text),
			    .tag = OUTPUT(tag) },
	};

	(void)state;
	unit_run(device, &request, FIRESTEEL_OK);
	request.cipher.decrypt = true;
	request.cipher.tag.size = 0;
	request.cipher.expected = BYTES(tag);
	unit_run(device, &request, FIRESTEEL_ERROR_TAG);
	for (unsigned i = 0; i < sizeof(text); i++)
		assert_int_equal(text[i], 0);
	firesteel_close(device);
}

/* Any fault, often, for everything */
static void all_faults_at_once(void **state)
{
	static const uint8_t secret[32] = { 9 };
	struct firesteel *device = unit_open(
		"model:hash=on,pk_multipliers=256,faults=dma-error:rate=5;wrong-tag:rate=5;"
		"stuck-busy:rate=20;lost-interrupt:rate=4;spurious-interrupt:rate=4;late:rate=6;"
		"flipped-bit:rate=5");

	(void)state;
	firesteel_set(device, "timeout_ms", "20", NULL);
	for (unsigned i = 0; i < 100; i++) {
		uint8_t result[64], bytes[300] = { 0 };
		struct firesteel_request modexp = unit_modexp(result);
		struct firesteel_request cbc = unit_cbc(bytes, 288);
		struct firesteel_request hash = {
			.operation = FIRESTEEL_HASH,
			.hash = { .algorithm = FIRESTEEL_SHA384,
				  .hmac = true,
				  .key = BYTES(secret),
				  .in = BYTES(bytes),
				  .digest = SPACE(result, 48) },
		};
		struct firesteel_request x25519 = {
			.operation = FIRESTEEL_X25519,
			.x25519 = { .secret = BYTES(secret), .result = SPACE(result, 32) },
		};
		double begin = now_ms();

		firesteel_run(device, &modexp);
		firesteel_run(device, &cbc);
		firesteel_run(device, &hash);
		firesteel_run(device, &x25519);
		atomic_store(&device->health[FS_PK].faulty_until, 0);
		assert_true(now_ms() - begin < MOST_MS);
	}
	firesteel_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_core_that_hangs),
		cmocka_unit_test(a_core_that_hung_is_tried_again),
		cmocka_unit_test(a_core_that_vanishes),
		cmocka_unit_test(a_lost_interrupt_harms_nothing),
		cmocka_unit_test(a_spurious_interrupt_ends_nothing_early),
		cmocka_unit_test(a_late_core_is_waited_for),
		cmocka_unit_test(a_bus_error_is_recovered_from),
		cmocka_unit_test(a_failed_piece_can_be_repeated),
		cmocka_unit_test(a_flipped_bit_is_caught_where_it_is_checked),
		cmocka_unit_test(a_wrong_tag_gives_nothing),
		cmocka_unit_test(all_faults_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
