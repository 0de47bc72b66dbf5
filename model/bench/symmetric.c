/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "bench.h"

#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <nettle/gcm.h>
#include <nettle/sha2.h>
#include <string.h>

#include "silex/ba413.h"
#include "silex/message.h"

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

static struct silex_list begin_list(unsigned offset)
{
	struct silex_list list;

	silex_list_begin(&list, (struct silex_descriptor *)(void *)(bench_memory + offset),
			 BENCH_MEMORY_BASE + offset,
			 (PUSH - FETCH) / sizeof(struct silex_descriptor));
	return list;
}

static void config(struct silex_list *list, uint32_t engine, unsigned reg, uint32_t offset,
		   uint32_t size)
{
	silex_list_config(list, engine, reg, BENCH_MEMORY_BASE + offset, size);
}

/* A whole item */
static void data(struct silex_list *list, uint32_t offset, size_t size, uint32_t tag)
{
	silex_list_add(list, BENCH_MEMORY_BASE + offset, (uint32_t)size | SILEX_LEN_REALIGN, tag);
}

static void push(struct silex_list *list, uint32_t offset, size_t size)
{
	silex_list_add(list, BENCH_MEMORY_BASE + offset, (uint32_t)size, 0);
}

static void run(struct silex_model *model)
{
	silex_model_write(model, SILEX_CM_FETCH_ADDR, BENCH_MEMORY_BASE + FETCH);
	silex_model_write(model, SILEX_CM_PUSH_ADDR, BENCH_MEMORY_BASE + PUSH);
	silex_model_write(model, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SG);
	silex_model_write(model, SILEX_CM_START, SILEX_CM_START_BOTH);
}

/* ---- AES: a key of its own for each job, as a driver writes it ---- */

static void aes_model(struct job *job, unsigned count, uint32_t mode, unsigned iv_size)
{
	uint32_t word = mode | (job->decrypt ? SILEX_AES_DECRYPT : 0);
	uint32_t last = SILEX_ENGINE_AES | SILEX_TAG_LAST;

	memcpy(bench_memory + CONFIG, &word, sizeof(word));
	for (unsigned i = 0; i < count; i++) {
		struct silex_list fetch = begin_list(FETCH), output = begin_list(PUSH);

		job->key[0] = (uint8_t)i;
		memcpy(bench_memory + KEY, job->key, sizeof(job->key));
		config(&fetch, SILEX_ENGINE_AES, SILEX_AES_CONFIG, CONFIG, sizeof(word));
		config(&fetch, SILEX_ENGINE_AES, SILEX_AES_KEY, KEY, sizeof(job->key));
		config(&fetch, SILEX_ENGINE_AES, SILEX_AES_IV, IV, iv_size);
		data(&fetch, INPUT, job->size, job->last_lengths ? SILEX_ENGINE_AES : last);
		push(&output, OUTPUT, job->size);
		if (job->last_lengths) {
			data(&fetch, LENGTHS, SILEX_AES_TRAILER, last);
			push(&output, IV, SILEX_AES_TAG);
		}
		silex_list_stop(&fetch, 0);
		silex_list_stop(&output, 0);
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
	uint32_t word = SILEX_HASH_ALG_SHA256 | SILEX_HASH_PAD | SILEX_HASH_FINAL;

	memcpy(bench_memory + CONFIG, &word, sizeof(word));
	for (unsigned i = 0; i < count; i++) {
		struct silex_list fetch = begin_list(FETCH), output = begin_list(PUSH);

		config(&fetch, SILEX_ENGINE_HASH, SILEX_HASH_CONFIG, CONFIG, sizeof(word));
		data(&fetch, INPUT, job->size, SILEX_ENGINE_HASH | SILEX_TAG_LAST);
		push(&output, OUTPUT, SHA256_DIGEST_SIZE);
		silex_list_stop(&fetch, 0);
		silex_list_stop(&output, 0);
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
