/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "bench.h"

#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <nettle/gcm.h>
#include <nettle/sha2.h>
#include <string.h>

#include "silex/ba411.h"
#include "silex/ba413.h"
#include "silex/cryptomaster.h"

#include "../silex-model.h"

/* Where things lie in memory, as offsets */
enum {
	FETCH = 0x0000,
	PUSH = 0x0800,
	CONFIG = 0x1000,
	KEY = 0x1040,
	IV = 0x1080,
	LENGTHS = 0x10c0,
	INPUT = 0x10000,
	OUTPUT = 0x40000,
};

struct job {
	struct silex_model *model;
	uint32_t tag; /* engine of the data */
	size_t size; /* bytes of data */
	bool decrypt;
	bool last_lengths; /* GCM: the trailer follows the data */
	uint8_t key[32];
};

/* ---- descriptors ---- */

static void put(unsigned list, unsigned number, uint32_t offset, uint32_t length, uint32_t tag,
		bool stop)
{
	uint32_t where = list + number * sizeof(struct silex_descriptor);
	struct silex_descriptor descriptor = {
		.addr = BENCH_MEMORY_BASE + offset,
		.next = stop ? SILEX_NEXT_STOP
			     : BENCH_MEMORY_BASE + where + (uint32_t)sizeof(descriptor),
		.length = length,
		.tag = tag,
	};

	memcpy(bench_memory + where, &descriptor, sizeof(descriptor));
}

static uint32_t config_tag(unsigned offset)
{
	return SILEX_ENGINE_AES | SILEX_TAG_CONFIG | SILEX_TAG_OFFSET(offset);
}

static void run(struct silex_model *model)
{
	silex_model_write(model, SILEX_CM_FETCH_ADDR, BENCH_MEMORY_BASE + FETCH);
	silex_model_write(model, SILEX_CM_PUSH_ADDR, BENCH_MEMORY_BASE + PUSH);
	silex_model_write(model, SILEX_CM_CONFIG,
			  SILEX_CM_CONFIG_FETCH_SG | SILEX_CM_CONFIG_PUSH_SG);
	silex_model_write(model, SILEX_CM_START, SILEX_CM_START_FETCH | SILEX_CM_START_PUSH);
}

/* ---- AES: a key of its own for each job, as a driver writes it ---- */

static void aes_model(struct job *job, unsigned count, uint32_t mode, unsigned iv_size)
{
	uint32_t config = mode | (job->decrypt ? SILEX_AES_DECRYPT : 0);
	uint32_t end = SILEX_LEN_REALIGN, last = SILEX_TAG_LAST;
	bool trailer = job->last_lengths;

	memcpy(bench_memory + CONFIG, &config, sizeof(config));
	for (unsigned i = 0; i < count; i++) {
		job->key[0] = (uint8_t)i;
		memcpy(bench_memory + KEY, job->key, sizeof(job->key));
		put(FETCH, 0, CONFIG, 4 | end, config_tag(SILEX_AES_CONFIG), false);
		put(FETCH, 1, KEY, 32 | end, config_tag(SILEX_AES_KEY), false);
		put(FETCH, 2, IV, iv_size | end, config_tag(SILEX_AES_IV), false);
		put(FETCH, 3, INPUT, (uint32_t)job->size | end,
		    SILEX_ENGINE_AES | (trailer ? 0 : last), !trailer);
		put(FETCH, 4, LENGTHS, 16 | end, SILEX_ENGINE_AES | last, true);
		put(PUSH, 0, OUTPUT, (uint32_t)job->size, 0, !trailer);
		put(PUSH, 1, IV, 16, 0, true);
		run(job->model);
	}
}

static void cbc_model(void *state, unsigned count)
{
	aes_model(state, count, SILEX_AES_MODE_CBC, 16);
}

static void cbc_direct(void *state, unsigned count)
{
	struct job *job = state;
	const uint8_t *input = bench_memory + INPUT;
	uint8_t *output = bench_memory + OUTPUT, iv[16] = { 0 };
	struct aes256_ctx aes;

	for (unsigned i = 0; i < count; i++) {
		job->key[0] = (uint8_t)i;
		if (job->decrypt) {
			aes256_set_decrypt_key(&aes, job->key);
			cbc_decrypt(&aes, (nettle_cipher_func *)aes256_decrypt, 16, iv, job->size,
				    output, input);
		} else {
			aes256_set_encrypt_key(&aes, job->key);
			cbc_aes256_encrypt(&aes, iv, job->size, output, input);
		}
	}
}

static void gcm_model(void *state, unsigned count)
{
	aes_model(state, count, SILEX_AES_MODE_GCM, 12);
}

static void gcm_direct(void *state, unsigned count)
{
	struct job *job = state;
	uint8_t tag[16];
	struct gcm_aes256_ctx gcm;

	for (unsigned i = 0; i < count; i++) {
		job->key[0] = (uint8_t)i;
		gcm_aes256_set_key(&gcm, job->key);
		gcm_aes256_set_iv(&gcm, 12, bench_memory + IV);
		gcm_aes256_encrypt(&gcm, job->size, bench_memory + OUTPUT, bench_memory + INPUT);
		gcm_aes256_digest(&gcm, sizeof(tag), tag);
	}
}

/* ---- hash ---- */

static void sha256_model(void *state, unsigned count)
{
	struct job *job = state;
	uint32_t config = SILEX_HASH_ALG_SHA256 | SILEX_HASH_PAD | SILEX_HASH_FINAL;

	memcpy(bench_memory + CONFIG, &config, sizeof(config));
	for (unsigned i = 0; i < count; i++) {
		put(FETCH, 0, CONFIG, 4 | SILEX_LEN_REALIGN, SILEX_ENGINE_HASH | SILEX_TAG_CONFIG,
		    false);
		put(FETCH, 1, INPUT, (uint32_t)job->size | SILEX_LEN_REALIGN,
		    SILEX_ENGINE_HASH | SILEX_TAG_LAST, true);
		put(PUSH, 0, OUTPUT, SHA256_DIGEST_SIZE, 0, true);
		run(job->model);
	}
}

static void sha256_direct(void *state, unsigned count)
{
	struct job *job = state;
	struct sha256_ctx sha;

	for (unsigned i = 0; i < count; i++) {
		sha256_init(&sha);
		sha256_update(&sha, job->size, bench_memory + INPUT);
		sha256_digest(&sha, SHA256_DIGEST_SIZE, bench_memory + OUTPUT);
	}
}

int bench_symmetric(void)
{
	struct silex_model *model = bench_model();
	struct job large = { .model = model, .size = 65536 };
	struct job large_decrypt = { .model = model, .size = 65536, .decrypt = true };
	struct job packet = { .model = model, .size = 1408 };
	struct job packet_gcm = { .model = model, .size = 1408, .last_lengths = true };
	const struct comparison comparisons[] = {
		{ "AES-256-CBC encrypt, 64 KiB", 0.8, cbc_model, cbc_direct, &large },
		{ "AES-256-CBC decrypt, 64 KiB", 0.8, cbc_model, cbc_direct, &large_decrypt },
		{ "AES-256-CBC encrypt, 1.4 KiB, new key each", 0.6, cbc_model, cbc_direct,
		  &packet },
		{ "AES-256-GCM encrypt, 1.4 KiB, new key each", 0, gcm_model, gcm_direct,
		  &packet_gcm },
		{ "SHA-256, 64 KiB", 0, sha256_model, sha256_direct, &large },
	};
	int missed = 0;

	for (unsigned i = 0; i < sizeof(comparisons) / sizeof(*comparisons); i++)
		missed += bench_compare(&comparisons[i]);
	silex_model_free(model);
	return missed;
}
