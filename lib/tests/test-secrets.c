/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of keys when a request is over: nothing in operand RAM, nothing in the memory that
 * the cores reach. */
#include <string.h>
#include <time.h>

#include "../../silex/ba414.h"
#include "../../silex/soc.h"
#include "../device.h"
#include "unit.h"

static void wait_until_clear(struct firesteel *device)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	while (fs_read(device->transport, FS_PK, SILEX_PK_BASE + SILEX_PK_STATUS) &
	       SILEX_PK_STATUS_BUSY)
		nanosleep(&moment, NULL);
}

static void expect_clear_ram(struct firesteel *device)
{
	wait_until_clear(device);
	for (uint32_t offset = 0; offset < SILEX_PK_RAM_SIZE; offset += 4)
		assert_int_equal(fs_read(device->transport, FS_PK, SILEX_PK_RAM_BASE + offset), 0);
}

static void operand_ram_is_cleared(void **state)
{
	static const uint8_t secret[32] = { [31] = 99 };
	struct firesteel *device = unit_open("model:pk_multipliers=256");
	uint8_t x[32], y[32], result[64];
	struct firesteel_request request = unit_modexp(result);

	(void)state;
	unit_run(device, &request, FIRESTEEL_OK);
	expect_clear_ram(device);
	request = (struct firesteel_request){
		.operation = FIRESTEEL_ECDH,
		.ecdh = { { FIRESTEEL_P256, NULL },
			  BYTES(secret),
			  BYTES(x),
			  BYTES(y),
			  OUTPUT(x),
			  SPACE(y, 0) },
	};
	memset(x, 1, sizeof(x));
	memset(y, 2, sizeof(y));
	unit_run(device, &request, FIRESTEEL_ERROR_REFUSED); /* after an error, too */
	expect_clear_ram(device);
	firesteel_close(device);
}

static void expect_absent(struct firesteel *device, const void *bytes, size_t size)
{
	assert_null(memmem(device->transport->dma, device->transport->dma_size, bytes, size));
}

static void the_cores_memory_has_no_keys(void **state)
{
	struct firesteel *device = unit_open("model");
	struct firesteel_cipher_context context = { 0 };
	uint8_t key[64], iv[16], text[64], digest[20];
	struct firesteel_request request = {
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = FIRESTEEL_XTS,
			    .more = true,
			    .key = BYTES(key),
			    .iv = BYTES(iv),
			    .in = BYTES(text),
			    .out = OUTPUT(text),
			    .context = &context },
	};

	(void)state;
	unit_fill(key, sizeof(key), 1);
	unit_fill(iv, sizeof(iv), 2);
	unit_run(device, &request, FIRESTEEL_OK);
	expect_absent(device, key, 16);
	expect_absent(device, key + 32, 16);
	expect_absent(device, iv, sizeof(iv));
	expect_absent(device, context.opaque, 16);
	request = (struct firesteel_request){
		.operation = FIRESTEEL_HASH,
		.hash = { .algorithm = FIRESTEEL_SHA1,
			  .hmac = true,
			  .key = BYTES(key),
			  .in = BYTES(text),
			  .digest = OUTPUT(digest) },
	};
	unit_run(device, &request, FIRESTEEL_OK);
	expect_absent(device, key, 16);
	firesteel_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operand_ram_is_cleared),
		cmocka_unit_test(the_cores_memory_has_no_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
