/* SPDX-License-Identifier: Apache-2.0 */
/* Names of devices, options, and what a device that lacks something says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

static void expect_message(const char *name, int error, const char *part)
{
	char message[FIRESTEEL_MESSAGE_SIZE];
	struct firesteel *device = (struct firesteel *)1;

	assert_int_equal(firesteel_open(name, &device, message), error);
	assert_null(device);
	if (!strstr(message, part))
		fail_msg("\"%s\" does not say \"%s\"", message, part);
}

static void wrong_names_are_told(void **state)
{
	(void)state;
	expect_message("card", FIRESTEEL_ERROR_INVALID, "allowed are auto, uio:NAME, model");
	expect_message("uio:", FIRESTEEL_ERROR_INVALID, "allowed are");
	expect_message("model:zero", FIRESTEEL_ERROR_INVALID, "KEY=VALUE");
	expect_message("model:speed=1", FIRESTEEL_ERROR_INVALID, "speed");
	expect_message("model:coherent=maybe", FIRESTEEL_ERROR_INVALID, "on or off");
	expect_message("model:faults=flood:nth=1", FIRESTEEL_ERROR_INVALID, "flood");
	expect_message("model:pk=off,cryptomaster=off,aes=off,hash=off", FIRESTEEL_ERROR_INVALID,
		       "model");
	assert_int_equal(firesteel_open("card", NULL, NULL), FIRESTEEL_ERROR_INVALID);
}

static void the_environment_names_a_device(void **state)
{
	struct firesteel_capabilities has;
	struct firesteel *device;

	(void)state;
	setenv("FIRESTEEL_DEVICE", "model", 1);
	assert_int_equal(firesteel_open(NULL, &device, NULL), FIRESTEEL_OK);
	firesteel_capabilities(device, &has);
	assert_string_equal(has.name, "model");
	firesteel_close(device);
	setenv("FIRESTEEL_DEVICE", "nothing", 1);
	expect_message(NULL, FIRESTEEL_ERROR_INVALID, "nothing");
	unsetenv("FIRESTEEL_DEVICE");
}

static void options_are_checked(void **state)
{
	struct firesteel *device = unit_open("model");
	static const char *const bad[][2] = {
		{ "completion", "fast" }, { "completion", "" },        { "spin_ns", "-1" },
		{ "spin_ns", "1x" },      { "spin_ns", "1000000001" }, { "timeout_ms", "0" },
		{ "timeout_ms", "" },     { "colour", "red" },
	};
	static const char *const good[][2] = {
		{ "completion", "irq" }, { "completion", "poll" },   { "completion", "adaptive" },
		{ "spin_ns", "0" },      { "timeout_ms", "600000" },
	};
	char message[FIRESTEEL_MESSAGE_SIZE];

	(void)state;
	for (unsigned i = 0; i < COUNT(bad); i++) {
		*message = '\0';
		assert_int_equal(firesteel_set(device, bad[i][0], bad[i][1], message),
				 FIRESTEEL_ERROR_INVALID);
		assert_non_null(
			strstr(message, strcmp(bad[i][0], "colour") ? "allowed is" : "there are"));
	}
	for (unsigned i = 0; i < COUNT(good); i++)
		assert_int_equal(firesteel_set(device, good[i][0], good[i][1], NULL), FIRESTEEL_OK);
	firesteel_close(device);
	setenv("FIRESTEEL_SPIN_NS", "much", 1);
	expect_message("model", FIRESTEEL_ERROR_INVALID, "FIRESTEEL_SPIN_NS is \"much\"");
	unsetenv("FIRESTEEL_SPIN_NS");
}

static void capabilities_are_the_cores(void **state)
{
	struct firesteel *device = unit_open("model");
	struct firesteel_capabilities has;

	(void)state;
	firesteel_capabilities(device, &has);
	assert_true(has.public_key && has.cryptomaster && has.protection && has.cts && has.hmac);
	assert_int_equal(has.operand_bytes, 512);
	assert_int_equal(has.multipliers, 16);
	assert_int_equal(has.curves, 1u << FIRESTEEL_P192 | 1u << FIRESTEEL_P256 |
					     1u << FIRESTEEL_P384 | 1u << FIRESTEEL_P521 |
					     1u << FIRESTEEL_CURVE25519);
	assert_int_equal(has.modes, (1u << FIRESTEEL_MODES) - 1);
	assert_int_equal(has.digests, (1u << FIRESTEEL_DIGESTS) - 1);
	assert_int_equal(has.key_bits, 7);
	assert_int_equal(has.counter_bits, 128);
	firesteel_close(device);
	firesteel_close(NULL);
}

static void a_missing_core_is_absent(void **state)
{
	struct firesteel *keys = unit_open("model:cryptomaster=off,aes=off,hash=off,zero=on");
	struct firesteel *messages = unit_open("model:pk=off,hash=off,zero=on");
	uint8_t result[64], block[16] = { 0 };
	struct firesteel_request modexp = unit_modexp(result), cbc = unit_cbc(block, 16);
	const struct firesteel_request hash = {
		.operation = FIRESTEEL_HASH,
		.hash = { .algorithm = FIRESTEEL_SHA1, .digest = SPACE(result, 20) },
	};

	(void)state;
	unit_run(keys, &modexp, FIRESTEEL_OK);
	unit_run(keys, &cbc, FIRESTEEL_ERROR_ABSENT);
	assert_int_equal(firesteel_expect_ns(keys, &cbc), FIRESTEEL_ERROR_ABSENT);
	assert_int_equal(firesteel_retry(keys), FIRESTEEL_ERROR_ABSENT);
	assert_null(firesteel_buffer_new(keys, 16));
	unit_run(messages, &modexp, FIRESTEEL_ERROR_ABSENT);
	unit_run(messages, &hash, FIRESTEEL_ERROR_ABSENT);
	unit_run(messages, &cbc, FIRESTEEL_OK);
	assert_int_equal(firesteel_retry(messages), FIRESTEEL_OK);
	firesteel_close(keys);
	firesteel_close(messages);
}

/* A model's CryptoMaster with one owner is to others as a real one that is taken */
static void a_cryptomaster_has_one_owner(void **state)
{
	char file[] = "/tmp/firesteel-instance-XXXXXX", first[80], second[80];
	int descriptor = mkstemp(file);
	struct firesteel *owner, *other;
	uint8_t result[64], block[16] = { 0 };
	struct firesteel_request modexp = unit_modexp(result), cbc = unit_cbc(block, 16);

	(void)state;
	assert_true(descriptor >= 0);
	close(descriptor);
	snprintf(first, sizeof(first), "model:instance=%s", file);
	snprintf(second, sizeof(second), "model:zero=on,instance=%s", file);
	owner = unit_open(first);
	other = unit_open(second);
	unit_run(owner, &cbc, FIRESTEEL_OK);
	unit_run(other, &cbc, FIRESTEEL_ERROR_BUSY);
	unit_run(other, &modexp, FIRESTEEL_OK);
	assert_int_equal(firesteel_retry(other), FIRESTEEL_ERROR_BUSY);
	firesteel_close(owner);
	assert_int_equal(firesteel_retry(other), FIRESTEEL_OK);
	unit_run(other, &cbc, FIRESTEEL_OK);
	firesteel_close(other);
	unlink(file);
	expect_message("model:instance=/nowhere/file", FIRESTEEL_ERROR_INVALID, "/nowhere/file");
}

static void smaller_cores_say_what_they_lack(void **state)
{
	struct firesteel *device = unit_open(
		"model:pk_max_bytes=64,pk_curves=0x100000,pk_protection=off,"
		"aes_caps=0x01000002,hash_caps=0x00010008,zero=on");
	static const uint8_t secret[32] = { [31] = 5 }, key[32] = { 1 };
	uint8_t x[66], y[66], block[32] = { 0 };
	struct firesteel_request request = {
		.operation = FIRESTEEL_EC_PUBLIC,
		.ec_public = { { FIRESTEEL_P256, NULL },
			       BYTES(secret),
			       SPACE(x, 32),
			       SPACE(y, 32) },
	};

	(void)state;
	request.flags = FIRESTEEL_UNPROTECTED;
	unit_run(device, &request, FIRESTEEL_OK);
	request.ec_public.curve.name = FIRESTEEL_P192;
	unit_run(device, &request, FIRESTEEL_ERROR_ABSENT);
	request = unit_cbc(block, 32);
	unit_run(device, &request, FIRESTEEL_ERROR_ABSENT); /* keys of 256 bits */
	request.cipher.key = PART(key, 16);
	unit_run(device, &request, FIRESTEEL_OK);
	request.cipher.in.size = request.cipher.out.size = 20;
	unit_run(device, &request, FIRESTEEL_ERROR_ABSENT); /* stealing */
	request.cipher.mode = FIRESTEEL_CTR;
	unit_run(device, &request, FIRESTEEL_ERROR_ABSENT);
	request = (struct firesteel_request){
		.operation = FIRESTEEL_HASH,
		.hash = { .algorithm = FIRESTEEL_SHA256,
			  .hmac = true, /* of two hashes */
			  .key = BYTES(key),
			  .in = BYTES(block),
			  .digest = SPACE(x, 32) },
	};
	unit_run(device, &request, FIRESTEEL_OK);
	request.hash.algorithm = FIRESTEEL_SHA512;
	unit_run(device, &request, FIRESTEEL_ERROR_ABSENT);
	firesteel_close(device);
}

static void expect_left_to_software(struct firesteel *device,
				    const struct firesteel_request *requests, size_t count)
{
	struct firesteel_statistics statistics;

	for (size_t i = 0; i < count; i++) {
		assert_true(firesteel_needs_protection(requests[i].operation));
		unit_run(device, &requests[i], FIRESTEEL_ERROR_ABSENT);
		assert_int_equal(firesteel_expect_ns(device, &requests[i]), FIRESTEEL_ERROR_ABSENT);
	}
	firesteel_statistics(device, &statistics);
	assert_int_equal(statistics.unprotected, 2 * count);
}

/* A core without countermeasures gets no secret unless the caller says so */
static void a_secret_wants_countermeasures(void **state)
{
	static const uint8_t odd[64] = { [0] = 0xc1, [63] = 0x61 }, one[32] = { [31] = 1 };
	struct firesteel *device = unit_open("model:pk_protection=off");
	const struct firesteel_curve p256 = { FIRESTEEL_P256, NULL };
	uint8_t x[64], y[64];
	struct firesteel_request requests[] = {
		unit_modexp(x),
		{ .operation = FIRESTEEL_DH,
		  .dh = { BYTES(odd), PART(odd + 1, 63), BYTES(one), OUTPUT(x) } },
		{ .operation = FIRESTEEL_RSA_PRIVATE,
		  .rsa_private = { .modulus = BYTES(odd),
				   .secret = BYTES(one),
				   .input = BYTES(one),
				   .result = OUTPUT(x) } },
		{ .operation = FIRESTEEL_RSA_CRT,
		  .rsa_crt = { .p = BYTES(odd),
			       .q = BYTES(odd),
			       .dp = BYTES(one),
			       .dq = BYTES(one),
			       .qinv = BYTES(one),
			       .modulus = BYTES(odd),
			       .input = BYTES(one),
			       .result = OUTPUT(x) } },
		{ .operation = FIRESTEEL_ECDSA_SIGN,
		  .ecdsa_sign = { .curve = p256,
				  .secret = BYTES(one),
				  .digest = BYTES(one),
				  .r = SPACE(x, 32),
				  .s = SPACE(y, 32) } },
		{ .operation = FIRESTEEL_ECDH,
		  .ecdh = { p256, BYTES(one), BYTES(one), BYTES(one), OUTPUT(x), OUTPUT(y) } },
		{ .operation = FIRESTEEL_EC_PUBLIC,
		  .ec_public = { p256, BYTES(one), OUTPUT(x), OUTPUT(y) } },
		{ .operation = FIRESTEEL_X25519,
		  .x25519 = { .secret = BYTES(one), .result = SPACE(x, 32) } },
		{ .operation = FIRESTEEL_ED25519_PUBLIC,
		  .ed25519_public = { BYTES(one), SPACE(x, 32) } },
		{ .operation = FIRESTEEL_ED25519_SIGN,
		  .ed25519_sign = { .secret = BYTES(one), .signature = OUTPUT(x) } },
	};
	struct firesteel_request public = {
		.operation = FIRESTEEL_RSA_PUBLIC,
		.rsa_public = { BYTES(odd), BYTES(one), BYTES(one), OUTPUT(x) },
	};

	(void)state;
	expect_left_to_software(device, requests, COUNT(requests));
	unit_run(device, &public, FIRESTEEL_OK);
	assert_false(firesteel_needs_protection(public.operation));
	assert_false(firesteel_needs_protection(FIRESTEEL_CIPHER));
	assert_false(firesteel_needs_protection(FIRESTEEL_OPERATIONS));
	requests[0].flags = FIRESTEEL_UNPROTECTED;
	unit_run(device, &requests[0], FIRESTEEL_OK);
	unit_check_modexp(x);
	firesteel_close(device);
}

static int64_t expect_aead(struct firesteel *device, enum firesteel_mode mode, size_t iv,
			   size_t aad, size_t tag)
{
	const struct firesteel_request request = {
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = mode,
			    .key.size = 16,
			    .iv.size = iv,
			    .aad.size = aad,
			    .in.size = 64,
			    .out.size = 64,
			    .tag.size = tag },
	};

	return firesteel_expect_ns(device, &request);
}

static void limits_are_those_of_the_header(void **state)
{
	static const enum firesteel_mode both[] = { FIRESTEEL_GCM, FIRESTEEL_CCM };
	struct firesteel *device = unit_open("model");

	(void)state;
	for (unsigned i = 0; i < COUNT(both); i++) {
		assert_true(expect_aead(device, both[i], 12, FIRESTEEL_AAD_MAX, 16) > 0);
		assert_int_equal(expect_aead(device, both[i], 12, FIRESTEEL_AAD_MAX + 1, 16),
				 FIRESTEEL_ERROR_ABSENT);
		assert_int_equal(expect_aead(device, both[i], 12, 1u << 20, 16),
				 FIRESTEEL_ERROR_ABSENT);
	}
	assert_true(expect_aead(device, FIRESTEEL_GCM, FIRESTEEL_GCM_IV, 0, FIRESTEEL_GCM_TAG_MIN) >
		    0);
	assert_int_equal(expect_aead(device, FIRESTEEL_GCM, FIRESTEEL_GCM_IV + 1, 0, 16),
			 FIRESTEEL_ERROR_INVALID);
	assert_int_equal(
		expect_aead(device, FIRESTEEL_GCM, FIRESTEEL_GCM_IV, 0, FIRESTEEL_GCM_TAG_MIN - 1),
		FIRESTEEL_ERROR_INVALID);
	firesteel_close(device);
}

/* No operation of the interface has been forgotten */
static void every_operation_has_a_core(void **state)
{
	struct firesteel *device = unit_open("model");

	(void)state;
	for (int i = 1; i < FIRESTEEL_OPERATIONS; i++)
		assert_int_equal(firesteel_queue_ns(device, (enum firesteel_operation)i), 0);
	assert_int_equal(firesteel_queue_ns(device, FIRESTEEL_OPERATIONS), FIRESTEEL_ERROR_INVALID);
	assert_int_equal(firesteel_queue_ns(device, (enum firesteel_operation)0),
			 FIRESTEEL_ERROR_INVALID);
	firesteel_close(device);
}

/* What is expected is near what it takes, and grows with the work */
static void expectations_grow_with_the_work(void **state)
{
	struct firesteel *device = unit_open("model:hash=on");
	uint8_t result[64];
	struct firesteel_request small = unit_modexp(result), large = small;
	struct firesteel_request cbc = unit_cbc(NULL, 16);
	int64_t short_one, long_one;

	(void)state;
	large.modexp.modulus.size = 512;
	large.modexp.result.size = 512;
	large.modexp.modulus.data = NULL;
	small.modexp.exponent.size = small.modexp.modulus.size;
	large.modexp.exponent.size = large.modexp.modulus.size;
	short_one = firesteel_expect_ns(device, &small);
	long_one = firesteel_expect_ns(device, &large);
	/* 0.3 ms and 81 ms by docs/pk-timing.md, and registers; a machine that is busy is slower */
	assert_in_range(short_one, 200000, 10000000);
	assert_in_range(long_one, 50000000, 2000000000);
	assert_true(long_one > 100 * short_one);
	short_one = firesteel_expect_ns(device, &cbc);
	cbc.cipher.in.size = cbc.cipher.out.size = 65536;
	assert_true(firesteel_expect_ns(device, &cbc) > 2 * short_one);
	assert_int_equal(firesteel_queue_ns(device, FIRESTEEL_DH), 0);
	assert_int_equal(firesteel_queue_ns(device, FIRESTEEL_OPERATIONS), FIRESTEEL_ERROR_INVALID);
	firesteel_close(device);
}

static void errors_have_texts(void **state)
{
	(void)state;
	for (int error = FIRESTEEL_ERROR_CHECK; error <= FIRESTEEL_OK; error++)
		assert_string_not_equal(firesteel_error_text(error), "an unknown error");
	assert_string_equal(firesteel_error_text(1), "an unknown error");
	assert_string_equal(firesteel_error_text(-1000), "an unknown error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_names_are_told),
		cmocka_unit_test(the_environment_names_a_device),
		cmocka_unit_test(options_are_checked),
		cmocka_unit_test(capabilities_are_the_cores),
		cmocka_unit_test(a_missing_core_is_absent),
		cmocka_unit_test(a_cryptomaster_has_one_owner),
		cmocka_unit_test(smaller_cores_say_what_they_lack),
		cmocka_unit_test(a_secret_wants_countermeasures),
		cmocka_unit_test(limits_are_those_of_the_header),
		cmocka_unit_test(every_operation_has_a_core),
		cmocka_unit_test(expectations_grow_with_the_work),
		cmocka_unit_test(errors_have_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
