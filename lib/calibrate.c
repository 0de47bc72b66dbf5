/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate.h"

#include <stdlib.h>
#include <string.h>

#include "../silex/ba414.h"
#include "../silex/cryptomaster.h"
#include "../silex/soc.h"
#include "clock.h"
#include "operation-table.h"
#include "pk-power.h"

#define READS      16u
#define SHORT_SIZE 64u
#define LONG_SIZE  4096u
#define BETWEEN    (LONG_SIZE - SHORT_SIZE)
#define ROUNDS     3u
#define ACCESSES   50u /* of registers and operand RAM, for the exponentiation below */

/* A core that does not answer must not delay opening for long */
#define PATIENCE_NS (50 * FS_MILLISECOND)

static void measure_register(struct firesteel *device)
{
	struct fs_transport *transport = device->transport;
	enum fs_core core = fs_has_pk(transport) ? FS_PK : FS_CM;
	uint32_t offset = core == FS_PK ? SILEX_PK_BASE + SILEX_PK_STATUS : SILEX_CM_STATUS;
	uint64_t begin = fs_now();

	for (unsigned i = 0; i < READS; i++)
		fs_read(transport, core, offset);
	device->expectations.register_ns = (fs_now() - begin) / READS + 1;
}

/* What a request took, the best of some */
struct duration {
	uint64_t whole; /* ns; 0: it failed */
	uint64_t core; /* of this, the core */
};

static struct duration measure(struct firesteel *device, const struct firesteel_request *request)
{
	enum fs_core core = fs_operation_find(request->operation)->core;
	struct duration best = { 0 };

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t begin = fs_now(), took;

		if (firesteel_run(device, request) < 0)
			return (struct duration){ 0 };
		took = fs_now() - begin;
		if (best.whole == 0 || took < best.whole)
			best = (struct duration){ took,
						  fs_expect_last(&device->expectations, core) };
	}
	return best;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* The result of the exponentiation below */
static const uint8_t power[32] = {
	0x14, 0xfc, 0x69, 0x72, 0x9b, 0x84, 0xc6, 0xf2, 0x9b, 0x4b, 0x53,
	0x4d, 0xb7, 0x39, 0x6a, 0x70, 0x38, 0x42, 0x07, 0x4c, 0x21, 0x64,
	0xf6, 0xed, 0x09, 0x52, 0x37, 0x44, 0xc5, 0xc1, 0x17, 0x1a,
};

/* An exponentiation of 256 bits: what a cycle takes follows from how long it was */
static void measure_cycle(struct firesteel *device)
{
	struct fs_expectations *expectations = &device->expectations;
	uint8_t modulus[32], result[32];
	const struct firesteel_bytes number = { modulus, sizeof(modulus) };
	struct firesteel_request request = {
		.operation = FIRESTEEL_MODEXP,
		.flags = FIRESTEEL_UNPROTECTED,
		.modexp = { number,
			    { modulus, sizeof(modulus) - 1 },
			    number,
			    { result, sizeof(result) } },
	};
	struct fs_prediction guess;
	struct duration duration;

	memset(modulus, 0xa5, sizeof(modulus));
	modulus[0] = 0xff;
	request.modexp.base.data = modulus + 1;
	guess = fs_expect_step(expectations, &fs_power_modexp, false, sizeof(modulus), 0);
	duration = measure(device, &request);
	if (duration.whole == 0)
		return;
	device->right = memcmp(result, power, sizeof(result)) == 0;
	expectations->cycle_ps = expectations->cycle_ps * duration.core / guess.plain + 1;
	expectations->around_ns[FS_PK] = less(duration.whole - duration.core,
					      ACCESSES * expectations->register_ns);
}

static struct firesteel_request message(bool hash, uint8_t *bytes, size_t size,
					struct firesteel_bytes key, struct firesteel_output digest)
{
	if (hash)
		return (struct firesteel_request){
			.operation = FIRESTEEL_HASH,
			.hash = { .algorithm = FIRESTEEL_SHA256,
				  .in = { bytes, size },
				  .digest = digest },
		};
	return (struct firesteel_request){
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = FIRESTEEL_ECB,
			    .key = key,
			    .in = { bytes, size },
			    .out = { bytes, size } },
	};
}

/* A byte's part of what a long message takes more than a short one, ns / 1024 */
static uint32_t per_byte(uint64_t ns)
{
	return (uint32_t)(ns * 1024 / BETWEEN);
}

static void measure_engine(struct firesteel *device, bool hash, uint8_t *bytes)
{
	static const uint8_t key[16];
	struct fs_expectations *expectations = &device->expectations;
	const struct firesteel_bytes key_bytes = { key, sizeof(key) };
	uint8_t digest[32];
	const struct firesteel_output output = { digest, sizeof(digest) };
	struct firesteel_request small = message(hash, bytes, SHORT_SIZE, key_bytes, output);
	struct firesteel_request large = message(hash, bytes, LONG_SIZE, key_bytes, output);
	struct duration one = measure(device, &small), two = measure(device, &large);

	if (one.whole == 0 || two.whole == 0)
		return;
	expectations->byte_q10[hash] = per_byte(less(two.core, one.core)) + 1;
	/* what AES said of the rest serves both, unless there is no AES */
	if (hash && device->capabilities.modes)
		return;
	expectations->message_ns = one.core + 1;
	expectations->around_ns[FS_CM] = one.whole - one.core;
	expectations->copy_q10 = per_byte(less(two.whole - two.core, one.whole - one.core));
}

/* What was learnt of single kinds while the guesses were wrong */
static void discard_training(struct firesteel *device)
{
	struct fs_expectations measured = device->expectations;

	fs_expect_begin(&device->expectations, measured.multipliers);
	device->expectations.register_ns = measured.register_ns;
	device->expectations.cycle_ps = measured.cycle_ps;
	device->expectations.message_ns = measured.message_ns;
	device->expectations.copy_q10 = measured.copy_q10;
	memcpy(device->expectations.byte_q10, measured.byte_q10, sizeof(measured.byte_q10));
	memcpy(device->expectations.around_ns, measured.around_ns, sizeof(measured.around_ns));
}

void fs_calibrate_messages(struct firesteel *device)
{
	uint8_t *bytes = calloc(1, LONG_SIZE);

	if (!bytes)
		return;
	if (device->capabilities.modes & 1u << FIRESTEEL_ECB)
		measure_engine(device, false, bytes);
	if (device->capabilities.digests & 1u << FIRESTEEL_SHA256)
		measure_engine(device, true, bytes);
	free(bytes);
}

void fs_calibrate(struct firesteel *device)
{
	uint64_t patience = atomic_exchange(&device->timeout_ns, PATIENCE_NS);

	measure_register(device);
	if (device->transport->has[FS_PK])
		measure_cycle(device);
	if (device->transport->has[FS_CM])
		fs_calibrate_messages(device);
	discard_training(device);
	atomic_store(&device->timeout_ns, patience);
}
