/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "bench.h"

#include <gcrypt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "silex/ba414.h"
#include "silex/soc.h"

#include "../silex-model.h"

#define BYTES 256u /* RSA-2048 */

struct rsa {
	struct silex_model *model;
	gcry_mpi_t p, q, dp, dq, qinv, input;
};

/* ---- through registers ---- */

/* Writes an operand big-endian, right-aligned in its slot; SWAP_BYTES is set */
static void put(struct silex_model *model, unsigned slot, gcry_mpi_t value, unsigned size)
{
	uint8_t bytes[BYTES] = { 0 };
	uint32_t offset = SILEX_PK_RAM_BASE + (slot + 1) * SILEX_PK_STRIDE(512) - BYTES;
	size_t used;

	gcry_mpi_print(GCRYMPI_FMT_USG, bytes, size, &used, value);
	memmove(bytes + BYTES - used, bytes, used);
	memset(bytes, 0, BYTES - used);
	for (unsigned i = 0; i < BYTES; i += 4) {
		uint32_t word;

		memcpy(&word, bytes + i, sizeof(word));
		silex_model_write(model, offset + i, word);
	}
}

static void rsa_model(void *state, unsigned count)
{
	struct rsa *rsa = state;
	uint32_t command = SILEX_PK_OP_RSA_CRT | SILEX_PK_SIZE(BYTES) | SILEX_PK_SWAP_BYTES |
			   SILEX_PK_CALC_R2;

	for (unsigned i = 0; i < count; i++) {
		silex_model_write(rsa->model, SILEX_PK_BASE + SILEX_PK_COMMAND, command);
		put(rsa->model, SILEX_PK_SLOT_RSA_P, rsa->p, BYTES);
		put(rsa->model, SILEX_PK_SLOT_RSA_Q, rsa->q, BYTES);
		put(rsa->model, SILEX_PK_SLOT_RSA_IN, rsa->input, BYTES);
		put(rsa->model, SILEX_PK_SLOT_RSA_DP, rsa->dp, BYTES);
		put(rsa->model, SILEX_PK_SLOT_RSA_DQ, rsa->dq, BYTES);
		put(rsa->model, SILEX_PK_SLOT_RSA_QINV, rsa->qinv, BYTES);
		silex_model_write(rsa->model, SILEX_PK_BASE + SILEX_PK_CONTROL,
				  SILEX_PK_CONTROL_RUN);
		if (silex_model_read(rsa->model, SILEX_PK_BASE + SILEX_PK_STATUS) &
		    SILEX_PK_STATUS_ERRORS) {
			fprintf(stderr, "bench: RSA failed\n");
			exit(2);
		}
	}
}

/* ---- directly ---- */

static void rsa_direct(void *state, unsigned count)
{
	struct rsa *rsa = state;
	gcry_mpi_t m1 = gcry_mpi_new(0), m2 = gcry_mpi_new(0);

	for (unsigned i = 0; i < count; i++) {
		gcry_mpi_powm(m1, rsa->input, rsa->dp, rsa->p);
		gcry_mpi_powm(m2, rsa->input, rsa->dq, rsa->q);
		gcry_mpi_subm(m1, m1, m2, rsa->p);
		gcry_mpi_mulm(m1, m1, rsa->qinv, rsa->p);
		gcry_mpi_mul(m1, m1, rsa->q);
		gcry_mpi_add(m1, m1, m2);
	}
	gcry_mpi_release(m1);
	gcry_mpi_release(m2);
}

/* ---- a key ---- */

static void check(gcry_error_t error)
{
	if (error) {
		fprintf(stderr, "bench: %s\n", gcry_strerror(error));
		exit(2);
	}
}

static gcry_mpi_t part(gcry_sexp_t key, const char *name)
{
	gcry_sexp_t found = gcry_sexp_find_token(key, name, 0);
	gcry_mpi_t value = gcry_sexp_nth_mpi(found, 1, GCRYMPI_FMT_USG);

	gcry_sexp_release(found);
	return value;
}

static gcry_mpi_t modulo_less_one(gcry_mpi_t d, gcry_mpi_t prime)
{
	gcry_mpi_t less = gcry_mpi_new(0), result = gcry_mpi_new(0);

	gcry_mpi_sub_ui(less, prime, 1);
	gcry_mpi_mod(result, d, less);
	gcry_mpi_release(less);
	return result;
}

static void make_key(struct rsa *rsa)
{
	gcry_sexp_t wish, key;
	gcry_mpi_t d;

	check(gcry_sexp_build(&wish, NULL, "(genkey (rsa (nbits 4:2048)))"));
	check(gcry_pk_genkey(&key, wish));
	rsa->p = part(key, "p");
	rsa->q = part(key, "q");
	d = part(key, "d");
	rsa->dp = modulo_less_one(d, rsa->p);
	rsa->dq = modulo_less_one(d, rsa->q);
	rsa->qinv = gcry_mpi_new(0);
	gcry_mpi_invm(rsa->qinv, rsa->q, rsa->p);
	rsa->input = gcry_mpi_new(0);
	gcry_mpi_randomize(rsa->input, 8 * BYTES - 8, GCRY_WEAK_RANDOM);
	gcry_mpi_release(d);
	gcry_sexp_release(key);
	gcry_sexp_release(wish);
}

int bench_public_key(void)
{
	struct rsa rsa = { .model = bench_model() };
	const struct comparison comparison = { "RSA-2048 private operation, CRT", 0.8, rsa_model,
					       rsa_direct, &rsa };
	int missed;

	make_key(&rsa);
	missed = bench_compare(&comparison);
	gcry_mpi_release(rsa.p);
	gcry_mpi_release(rsa.q);
	gcry_mpi_release(rsa.dp);
	gcry_mpi_release(rsa.dq);
	gcry_mpi_release(rsa.qinv);
	gcry_mpi_release(rsa.input);
	silex_model_free(rsa.model);
	return missed;
}
