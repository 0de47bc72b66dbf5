/* SPDX-License-Identifier: Apache-2.0 */
/* A CryptoMaster by UIO that lies: a file is in the place of the device. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../silex/cryptomaster.h"
#include "../../silex/soc.h"
#include "uio-files.h"
#include "unit.h"

/* What was never encrypted must not pass for it */
static void cryptomaster_that_does_nothing_is_caught(void **state)
{
	struct firesteel *device;
	uint8_t bytes[32] = { 0 };
	struct firesteel_request cbc = unit_cbc(bytes, sizeof(bytes));

	(void)state;
	fake_cm("uio1", "0000:00:02.0");
	device = fake_open("auto");
	unit_run(device, &cbc, FIRESTEEL_ERROR_FAULT);
	firesteel_close(device);
}

/* What it raises when a list is done, and only then */
#define END_BITS \
	(SILEX_CM_INT_FETCH_STOPPED | SILEX_CM_INT_PUSH_STOPPED | SILEX_CM_INT_PUSH_BLOCK_END)

/* Reset before START it stops on both sides, with nothing done; reset later it shows nothing */
static void a_message_is_done_when_all_says_so(void **state)
{
	struct fake fake = fake_cm("uio1", "0000:00:02.0");
	struct firesteel *device = fake_open("auto");

	(void)state;
	for (uint32_t bits = 0; bits <= SILEX_CM_INT_ALL; bits++) {
		bool ends = (bits & ~SILEX_CM_INT_FETCH_BLOCK_END) == END_BITS;
		uint8_t bytes[32] = { 0 };
		struct firesteel_request cbc = unit_cbc(bytes, sizeof(bytes));

		fake_set(&fake, SILEX_CM_INT_STAT_RAW, bits);
		unit_run(device, &cbc, ends ? FIRESTEEL_OK : FIRESTEEL_ERROR_FAULT);
	}
	firesteel_close(device);
}

/* It says that it is done and has written nothing: whatever tag comes, it is not authentic, and no
 * tag or digest is what lay there before */
static void nothing_is_believed_that_the_core_has_not_written(void **state)
{
	static const uint8_t key[16] = { 1 }, nonce[12] = { 2 };
	uint8_t tags[][16] = { { 0 }, { 3 }, { 0xff } };
	struct fake fake = fake_cm("uio1", "0000:00:02.0");
	uint8_t bytes[32] = { 4 }, tag[32] = { 5 };
	const uint8_t before[32] = { 4 };
	struct firesteel_request cipher = {
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .key = BYTES(key),
			    .iv = BYTES(nonce),
			    .in = BYTES(bytes),
			    .out = OUTPUT(bytes) },
	};
	struct firesteel_request hash = {
		.operation = FIRESTEEL_HASH,
		.hash = { .algorithm = FIRESTEEL_SHA256,
			  .in = BYTES(bytes),
			  .digest = OUTPUT(tag) },
	};
	struct firesteel *device;

	(void)state;
	memset(tags[2], 0xff, sizeof(tags[2]));
	fake_set(&fake, SILEX_PRESENCE, SILEX_PRESENCE_AES | SILEX_PRESENCE_HASH);
	fake_set(&fake, SILEX_HASH_CAPS,
		 SILEX_HASH_CAPS_ALGS | SILEX_HASH_CAPS_PAD | SILEX_HASH_CAPS_HMAC);
	fake_set(&fake, SILEX_CM_INT_STAT_RAW, END_BITS);
	device = fake_open("auto");
	for (unsigned i = 0; i < 2 * COUNT(tags); i++) {
		cipher.cipher.mode = i % 2 ? FIRESTEEL_CCM : FIRESTEEL_GCM;
		cipher.cipher.decrypt = true;
		cipher.cipher.expected = BYTES(tags[i / 2]);
		unit_run(device, &cipher, FIRESTEEL_ERROR_FAULT);
	}
	cipher.cipher.expected.size = 0;
	cipher.cipher.tag = SPACE(tag, 16);
	cipher.cipher.mode = FIRESTEEL_GCM;
	unit_run(device, &cipher, FIRESTEEL_ERROR_FAULT); /* compared by the caller */
	cipher.cipher.decrypt = false;
	unit_run(device, &cipher, FIRESTEEL_ERROR_FAULT);
	cipher.cipher.mode = FIRESTEEL_CMAC;
	cipher.cipher.iv.size = cipher.cipher.out.size = 0;
	unit_run(device, &cipher, FIRESTEEL_ERROR_FAULT);
	unit_run(device, &hash, FIRESTEEL_ERROR_FAULT);
	hash.hash.hmac = true;
	hash.hash.key = BYTES(key);
	unit_run(device, &hash, FIRESTEEL_ERROR_FAULT);
	assert_memory_equal(bytes, before, sizeof(bytes));
	assert_int_equal(tag[0], 5);
	firesteel_close(device);
}

static void cryptomaster_that_hangs_is_reset(void **state)
{
	struct fake fake = fake_cm("uio1", "0000:00:02.0");
	struct firesteel *device;
	struct firesteel_statistics statistics;
	uint8_t bytes[32] = { 0 };
	struct firesteel_request cbc = unit_cbc(bytes, sizeof(bytes));

	(void)state;
	fake_set(&fake, SILEX_CM_INT_STAT_RAW, END_BITS);
	device = fake_open("auto");
	unit_run(device, &cbc, FIRESTEEL_OK);
	fake_set(&fake, SILEX_CM_INT_STAT_RAW, 0);
	fake_set(&fake, SILEX_CM_STATUS, SILEX_CM_STATUS_PUSH_BUSY);
	unit_run(device, &cbc, FIRESTEEL_ERROR_FAULT);
	firesteel_statistics(device, &statistics);
	assert_int_equal(statistics.resets, 1);
	fake_set(&fake, SILEX_CM_STATUS, 0);
	fake_set(&fake, SILEX_CM_INT_STAT_RAW, SILEX_CM_INT_PUSH_ERROR);
	unit_run(device, &cbc, FIRESTEEL_ERROR_FAULT);
	fake_set(&fake, SILEX_CM_INT_STAT_RAW, SILEX_GONE);
	unit_run(device, &cbc, FIRESTEEL_ERROR_GONE);
	firesteel_close(device);
}

/* Whether the word is among the registers: a file takes words where it is, behind what was read */
static bool was_told(const struct fake *fake, uint32_t word)
{
	return memmem(fake->bytes, 0x1000, &word, sizeof(word));
}

/* Where DMA is not coherent, what is long enough is read where the caches have it */
static void results_are_refreshed_before_they_are_read(void **state)
{
	struct fake fake = fake_cm("uio1", "0000:00:02.0");
	uint8_t bytes[1040] = { 0 }, expected[1040];
	struct firesteel_request cbc = unit_cbc(bytes, 1040);
	struct firesteel *device;

	(void)state;
	fake_results("uio1");
	fake_set(&fake, SILEX_CM_INT_STAT_RAW, END_BITS);
	device = fake_open("auto");
	unit_fill(expected, sizeof(expected), 1);
	memcpy(fake.bytes + FAKE_RESULTS_BEGIN, expected, sizeof(expected));
	unit_run(device, &cbc, FIRESTEEL_OK);
	assert_memory_equal(bytes, expected, sizeof(expected));
	assert_true(was_told(&fake, SILEX_SHARE_RESULTS(0, 17)));
	firesteel_close(device);
}

static void short_results_are_read_from_the_buffer(void **state)
{
	struct fake fake = fake_cm("uio1", "0000:00:02.0");
	uint8_t bytes[64] = { 0 };
	struct firesteel_request cbc = unit_cbc(bytes, sizeof(bytes));
	struct firesteel *device;

	(void)state;
	fake_results("uio1");
	fake_set(&fake, SILEX_CM_INT_STAT_RAW, END_BITS);
	device = fake_open("auto");
	memset(fake.bytes + FAKE_RESULTS_BEGIN, 0xa5, sizeof(bytes));
	unit_run(device, &cbc, FIRESTEEL_OK);
	assert_int_not_equal(bytes[0], 0xa5);
	firesteel_close(device);
}

/* 0: the first message is lost, and those that follow are not */
static int become_daemon(struct firesteel *device)
{
	uint8_t bytes[1040] = { 0 };
	struct firesteel_request cbc = unit_cbc(bytes, 1040);

	if (firesteel_run(device, &cbc) != FIRESTEEL_OK || bytes[0] != 0xa5)
		return 1;
	close_range(3, ~0u, 0);
	if (firesteel_run(device, &cbc) != FIRESTEEL_ERROR_SYSTEM)
		return 2;
	/* the core does nothing, so that what is read is what went in */
	memset(bytes, 1, sizeof(bytes));
	return firesteel_run(device, &cbc) != FIRESTEEL_OK || bytes[0] != 1 ? 3 : 0;
}

static void results_that_cannot_be_refreshed_are_read_from_the_buffer(void **state)
{
	struct fake fake = fake_cm("uio1", "0000:00:02.0");
	struct firesteel *device;
	int status = -1;
	pid_t pid;

	(void)state;
	fake_results("uio1");
	fake_set(&fake, SILEX_CM_INT_STAT_RAW, END_BITS);
	device = fake_open("auto");
	memset(fake.bytes + FAKE_RESULTS_BEGIN, 0xa5, 1040);
	pid = fork();
	if (pid == 0)
		_exit(become_daemon(device));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	firesteel_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(cryptomaster_that_does_nothing_is_caught),
		FAKE_TEST(a_message_is_done_when_all_says_so),
		FAKE_TEST(nothing_is_believed_that_the_core_has_not_written),
		FAKE_TEST(cryptomaster_that_hangs_is_reset),
		FAKE_TEST(results_are_refreshed_before_they_are_read),
		FAKE_TEST(short_results_are_read_from_the_buffer),
		FAKE_TEST(results_that_cannot_be_refreshed_are_read_from_the_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
