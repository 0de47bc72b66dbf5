/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "rsa.h"

#include <string.h>

#include <wolfssl/wolfcrypt/rsa.h>

#define SIZE_MAX_RSA 512u /* bytes: 4096 bits, as much as Debian's wolfSSL has */

/* ---- keys as the core wants them ---- */

enum part { N, E, D, P, Q, DP, DQ, QINV, PARTS };

struct numbers {
	struct firesteel_bytes part[PARTS]; /* size 0: missing */
	byte bytes[PARTS][SIZE_MAX_RSA];
};

static bool take(struct numbers *numbers, enum part part, mp_int *number)
{
	int size = mp_unsigned_bin_size(number);

	if (size < 0 || (size_t)size > SIZE_MAX_RSA ||
	    mp_to_unsigned_bin_len(number, numbers->bytes[part], size) != 0)
		return false;
	numbers->part[part] = (struct firesteel_bytes){ numbers->bytes[part], (size_t)size };
	return true;
}

static bool take_public(struct numbers *numbers, RsaKey *key)
{
	return take(numbers, N, &key->n) && take(numbers, E, &key->e) &&
	       numbers->part[N].size > 0 && numbers->part[E].size > 0;
}

static bool take_private(struct numbers *numbers, RsaKey *key)
{
	return key->type == RSA_PRIVATE && take_public(numbers, key) && take(numbers, D, &key->d) &&
	       take(numbers, P, &key->p) && take(numbers, Q, &key->q) &&
	       take(numbers, DP, &key->dP) && take(numbers, DQ, &key->dQ) &&
	       take(numbers, QINV, &key->u) && numbers->part[D].size > 0;
}

static bool has_primes(const struct numbers *numbers)
{
	for (unsigned i = P; i < PARTS; i++)
		if (numbers->part[i].size == 0)
			return false;
	return true;
}

/* ---- requests ---- */

static struct firesteel_request private_request(const struct numbers *numbers,
						struct firesteel_bytes in,
						struct firesteel_output out)
{
	const struct firesteel_bytes *part = numbers->part;

	if (!has_primes(numbers))
		return (struct firesteel_request){
			.operation = FIRESTEEL_RSA_PRIVATE,
			.flags = FIRESTEEL_CHECK,
			.rsa_private = { .modulus = part[N],
					 .secret = part[D],
					 .exponent = part[E],
					 .input = in,
					 .result = out },
		};
	return (struct firesteel_request){
		.operation = FIRESTEEL_RSA_CRT,
		.flags = FIRESTEEL_CHECK,
		.rsa_crt = { .p = part[P],
			     .q = part[Q],
			     .dp = part[DP],
			     .dq = part[DQ],
			     .qinv = part[QINV],
			     .modulus = part[N],
			     .exponent = part[E],
			     .input = in,
			     .result = out },
	};
}

static struct firesteel_request public_request(const struct numbers *numbers,
					       struct firesteel_bytes in,
					       struct firesteel_output out)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_RSA_PUBLIC,
		.rsa_public = { .modulus = numbers->part[N],
				.exponent = numbers->part[E],
				.input = in,
				.result = out },
	};
}

/* How much more software needs than for the trial's exponentiation of 1024 bits: one grows with
 * nearly the third power of the bits; with the primes it is two of half the size */
static uint64_t private_effort(const struct numbers *numbers)
{
	uint64_t bits = 8 * numbers->part[N].size / (has_primes(numbers) ? 2 : 1);
	uint64_t effort = FSC_EFFORT * bits * bits / 1024 * (bits + 1024) / (2 * 1024 * 1024);

	return has_primes(numbers) ? 2 * effort : effort;
}

/* The same for the trial's exponent, of 17 bits */
static uint64_t public_effort(const struct numbers *numbers)
{
	uint64_t bits = 8 * numbers->part[N].size, exponent = 8 * numbers->part[E].size;

	return FSC_EFFORT * bits / 1024 * (bits + 1024) / 2048 * (exponent + 8) / 32;
}

/* Whether 1 < in < n - 1; what wolfCrypt says of other inputs depends on the padding */
static bool is_in_range(RsaKey *key, const byte *in, word32 size)
{
	mp_int input;
	bool good;

	if (mp_init(&input) != 0)
		return false;
	good = mp_read_unsigned_bin(&input, in, size) == 0 && mp_cmp_d(&input, 1) == MP_GT &&
	       mp_add_d(&input, 1, &input) == 0 && mp_cmp(&input, &key->n) == MP_LT;
	mp_clear(&input);
	return good;
}

/* The result has memory of its own: wolfCrypt's is also the input, which software needs if this
 * fails */
static int run(struct fsw_device *device, struct numbers *numbers, wc_CryptoInfo *info,
	       bool private)
{
	const enum firesteel_wolfssl_work work = private ? FIRESTEEL_WOLFSSL_RSA_PRIVATE
							 : FIRESTEEL_WOLFSSL_RSA_PUBLIC;
	RsaKey *key = info->pk.rsa.key;
	struct firesteel_bytes in = { info->pk.rsa.in, info->pk.rsa.inLen };
	byte result[SIZE_MAX_RSA];
	struct firesteel_request request;
	int error;

	if (!(private ? take_private(numbers, key) : take_public(numbers, key)) ||
	    *info->pk.rsa.outLen < numbers->part[N].size ||
	    !is_in_range(key, info->pk.rsa.in, info->pk.rsa.inLen))
		return fsw_unfit(device, work);
	request = (private ? private_request : public_request)(
		numbers, in, (struct firesteel_output){ result, numbers->part[N].size });
	error = fsw_do(device, work, &request,
		       private ? private_effort(numbers) : public_effort(numbers));
	if (!error) {
		memcpy(info->pk.rsa.out, result, numbers->part[N].size);
		*info->pk.rsa.outLen = (word32)numbers->part[N].size;
	}
	firesteel_wipe(result, sizeof(result));
	return error;
}

int fsw_rsa(struct fsw_device *device, wc_CryptoInfo *info)
{
	struct numbers numbers = { .part = { { NULL, 0 } } };
	int error;

	switch (info->pk.rsa.type) {
	case RSA_PUBLIC_ENCRYPT:
	case RSA_PUBLIC_DECRYPT:
		return run(device, &numbers, info, false);
	case RSA_PRIVATE_ENCRYPT:
	case RSA_PRIVATE_DECRYPT:
		error = run(device, &numbers, info, true);
		firesteel_wipe(&numbers, sizeof(numbers));
		return error;
	default:
		return CRYPTOCB_UNAVAILABLE;
	}
}

/* ---- the trial: an exponentiation of 1024 bits, as all that the core does for RSA are such
 * ---- */

#define TRIAL_SIZE 128u
#define ROUNDS     2u

struct sample {
	byte modulus[TRIAL_SIZE], base[TRIAL_SIZE], exponent[TRIAL_SIZE];
	word32 exponent_size;
	byte core[TRIAL_SIZE], software[TRIAL_SIZE];
};

static void fill(struct sample *sample, bool private)
{
	static const byte short_exponent[] = { 1, 0, 1 };

	for (unsigned i = 0; i < TRIAL_SIZE; i++) {
		sample->modulus[i] = (byte)(i * 167 + 0xc3);
		sample->base[i] = (byte)(i * 29 + 13);
		sample->exponent[i] = (byte)(i * 41 + 0x91);
	}
	sample->modulus[TRIAL_SIZE - 1] |= 1;
	sample->exponent_size = private ? TRIAL_SIZE : sizeof(short_exponent);
	if (!private)
		memcpy(sample->exponent, short_exponent, sizeof(short_exponent));
}

/* Less than 0: it does not work */
static int64_t software(struct sample *sample, bool private)
{
	mp_int modulus, base, exponent, result;
	int64_t best = -1;
	int error = mp_init_multi(&modulus, &base, &exponent, &result, NULL, NULL);

	if (!error)
		error = mp_read_unsigned_bin(&modulus, sample->modulus, TRIAL_SIZE);
	if (!error)
		error = mp_read_unsigned_bin(&base, sample->base, TRIAL_SIZE);
	if (!error)
		error = mp_read_unsigned_bin(&exponent, sample->exponent, sample->exponent_size);
	for (unsigned i = 0; i < ROUNDS && !error; i++) {
		int64_t from = fsc_trial_now();

		error = private ? mp_exptmod(&base, &exponent, &modulus, &result)
				: mp_exptmod_nct(&base, &exponent, &modulus, &result);
		fsc_trial_best(from, i, &best);
	}
	if (!error)
		error = mp_to_unsigned_bin_len(&result, sample->software, TRIAL_SIZE);
	return error ? -1 : best;
}

static struct firesteel_request sample_request(struct sample *sample, bool private)
{
	const struct firesteel_bytes modulus = { sample->modulus, TRIAL_SIZE };
	const struct firesteel_bytes base = { sample->base, TRIAL_SIZE };
	const struct firesteel_bytes exponent = { sample->exponent, sample->exponent_size };
	const struct firesteel_output result = { sample->core, TRIAL_SIZE };

	if (private)
		return (struct firesteel_request){ .operation = FIRESTEEL_MODEXP,
						   .modexp = { modulus, base, exponent, result } };
	return (struct firesteel_request){ .operation = FIRESTEEL_RSA_PUBLIC,
					   .rsa_public = { modulus, exponent, base, result } };
}

enum fsc_trial fsw_rsa_trial(struct fsw_device *device, enum firesteel_wolfssl_work work,
			     int64_t *software_ns)
{
	const bool private = work == FIRESTEEL_WOLFSSL_RSA_PRIVATE;
	struct firesteel_request request;
	struct sample sample;
	int error;

	fill(&sample, private);
	request = sample_request(&sample, private);
	error = firesteel_run(device->core, &request);
	if (error != FIRESTEEL_OK)
		return fsc_trial_failed(error);
	*software_ns = software(&sample, private);
	if (*software_ns < 0)
		return FSC_TRIAL_NONE;
	return fsc_trial_compare(sample.core, sample.software, TRIAL_SIZE);
}
