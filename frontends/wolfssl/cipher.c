/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "cipher.h"

#include <stdlib.h>
#include <string.h>

#include <wolfssl/wolfcrypt/aes.h>

#include "frontends/common/size.h"

#define BLOCK AES_BLOCK_SIZE

static const struct {
	enum firesteel_mode mode;
	uint8_t iv_size, tag_size; /* as they are tried */
} modes[] = {
	[FIRESTEEL_WOLFSSL_ECB] = { FIRESTEEL_ECB, 0, 0 },
	[FIRESTEEL_WOLFSSL_CBC] = { FIRESTEEL_CBC, BLOCK, 0 },
	[FIRESTEEL_WOLFSSL_CTR] = { FIRESTEEL_CTR, BLOCK, 0 },
	[FIRESTEEL_WOLFSSL_GCM] = { FIRESTEEL_GCM, 12, 16 },
	[FIRESTEEL_WOLFSSL_CCM] = { FIRESTEEL_CCM, 12, 16 },
};

/* ---- what the core does ---- */

/* Data that overlap, and in place more than stays unchanged when the core fails, are software's */
static bool fits_in_memory(const byte *out, const byte *in, word32 size)
{
	if (in == out)
		return size <= FIRESTEEL_WHOLE;
	return out + size <= in || in + size <= out;
}

static bool has(const struct fsw_device *device, enum firesteel_wolfssl_work work, const Aes *aes)
{
	const struct firesteel_capabilities *core = &device->capabilities;

	return core->modes & 1u << modes[work].mode && aes->keylen >= 16 &&
	       core->key_bits & 1u << (aes->keylen / 8 - 2);
}

static struct firesteel_request request_of(enum firesteel_wolfssl_work work, const Aes *aes,
					   bool encrypt, byte *out, const byte *in, word32 size)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = modes[work].mode,
			    .decrypt = !encrypt,
			    .key = { (const byte *)aes->devKey, (size_t)aes->keylen },
			    .iv = { (const byte *)aes->reg, modes[work].iv_size },
			    .in = { in, size },
			    .out = { out, size },
			    .total = size },
	};
}

/* ---- blocks ---- */

static int ecb(struct fsw_device *device, Aes *aes, bool encrypt, byte *out, const byte *in,
	       word32 size)
{
	const enum firesteel_wolfssl_work work = FIRESTEEL_WOLFSSL_ECB;
	const struct firesteel_request request = request_of(work, aes, encrypt, out, in, size);

	if (size % BLOCK != 0 || !has(device, work, aes) || !fits_in_memory(out, in, size))
		return fsw_unfit(device, work);
	if (!fsw_wants_size(device, work, size) ||
	    fsw_run(device, work, &request, size) != FIRESTEEL_OK)
		return CRYPTOCB_UNAVAILABLE;
	return 0;
}

static int cbc(struct fsw_device *device, Aes *aes, bool encrypt, byte *out, const byte *in,
	       word32 size)
{
	const enum firesteel_wolfssl_work work = FIRESTEEL_WOLFSSL_CBC;
	const struct firesteel_request request = request_of(work, aes, encrypt, out, in, size);
	byte last[BLOCK];

	if (size == 0 || size % BLOCK != 0 || !has(device, work, aes) ||
	    !fits_in_memory(out, in, size))
		return fsw_unfit(device, work);
	if (!fsw_wants_size(device, work, size))
		return CRYPTOCB_UNAVAILABLE;
	memcpy(last, in + size - BLOCK, BLOCK);
	if (fsw_run(device, work, &request, size) != FIRESTEEL_OK)
		return CRYPTOCB_UNAVAILABLE;
	memcpy(aes->reg, encrypt ? out + size - BLOCK : last, BLOCK);
	return 0;
}

/* ---- CTR ---- */

/* Whether the counter would run over the bits that the core counts with */
static bool counter_runs_over(const struct fsw_device *device, const byte counter[BLOCK],
			      word32 size)
{
	unsigned bits = device->capabilities.counter_bits;
	uint64_t low = 0, limit;

	if (bits >= 128)
		return false;
	for (unsigned i = 8; i < BLOCK; i++)
		low = low << 8 | counter[i];
	if (bits < 64)
		low &= (UINT64_C(1) << bits) - 1;
	limit = bits < 64 ? (UINT64_C(1) << bits) - low : UINT64_MAX - low;
	return size / BLOCK > limit;
}

static void count_on(byte counter[BLOCK], size_t blocks)
{
	uint64_t carry = blocks;

	for (unsigned i = BLOCK; i-- > 0 && carry;) {
		carry += counter[i];
		counter[i] = (byte)carry;
		carry >>= 8;
	}
}

/* What is left of a block before and behind the whole blocks is wolfCrypt's, as is what the core
 * fails at: it comes here again, and goes back at the latest then */
static int ctr(struct fsw_device *device, Aes *aes, byte *out, const byte *in, word32 size)
{
	const enum firesteel_wolfssl_work work = FIRESTEEL_WOLFSSL_CTR;
	word32 done = aes->left < size ? aes->left : size;
	const word32 whole = (size - done) / BLOCK * BLOCK;
	const struct firesteel_request request = request_of(work, aes, true, out + done, in + done,
							    whole);

	if (whole == 0)
		return CRYPTOCB_UNAVAILABLE;
	if (!has(device, work, aes) || !fits_in_memory(out, in, size) ||
	    counter_runs_over(device, (const byte *)aes->reg, whole))
		return fsw_unfit(device, work);
	if (!fsw_wants_size(device, work, whole))
		return CRYPTOCB_UNAVAILABLE;
	if (done > 0 && wc_AesCtrEncrypt(aes, out, in, done) != 0)
		return CRYPTOCB_UNAVAILABLE;
	if (fsw_run(device, work, &request, whole) == FIRESTEEL_OK) {
		count_on((byte *)aes->reg, whole / BLOCK);
		done += whole;
	} else if (done == 0) {
		return CRYPTOCB_UNAVAILABLE;
	}
	return done == size ? 0 : wc_AesCtrEncrypt(aes, out + done, in + done, size - done);
}

/* ---- GCM and CCM ---- */

/* Both modes and directions have the same parameters in wolfCrypt, each in a structure of its
 * own */
struct message {
	enum firesteel_wolfssl_work work;
	Aes *aes;
	byte *out;
	const byte *in;
	word32 size;
	struct firesteel_bytes iv, aad;
	struct firesteel_output tag; /* of an encryption */
	struct firesteel_bytes expected;
};

static bool message_fits(const struct fsw_device *device, const struct message *message)
{
	const size_t tag_size = message->tag.size + message->expected.size;

	if (!has(device, message->work, message->aes) || message->size > FIRESTEEL_WHOLE ||
	    message->aad.size > FIRESTEEL_AAD_MAX ||
	    !fits_in_memory(message->out, message->in, message->size))
		return false;
	if (message->work == FIRESTEEL_WOLFSSL_CCM)
		return tag_size >= 4 && tag_size % 2 == 0;
	return message->iv.size == FIRESTEEL_GCM_IV && tag_size >= FIRESTEEL_GCM_TAG_MIN;
}

/* Ciphertext that is decrypted in place: a rejected tag leaves zeros, and wolfCrypt is to see it
 * again */
static bool keep(const struct message *message, byte **kept)
{
	*kept = NULL;
	if (message->in != message->out || message->expected.size == 0 || message->size == 0)
		return true;
	*kept = malloc(message->size);
	if (*kept)
		memcpy(*kept, message->in, message->size);
	return *kept;
}

static int aead(struct fsw_device *device, const struct message *message)
{
	struct firesteel_request request = request_of(message->work, message->aes,
						      message->expected.size == 0, message->out,
						      message->in, message->size);
	byte *kept;
	int error;

	if (!message_fits(device, message))
		return fsw_unfit(device, message->work);
	if (!fsw_wants_size(device, message->work, message->size) || !keep(message, &kept))
		return CRYPTOCB_UNAVAILABLE;
	request.cipher.iv = message->iv;
	request.cipher.aad = message->aad;
	request.cipher.tag = message->tag;
	request.cipher.expected = message->expected;
	error = fsw_run(device, message->work, &request, message->size);
	if (error != FIRESTEEL_OK && kept)
		memcpy(message->out, kept, message->size);
	free(kept); /* what came over the wire */
	return error == FIRESTEEL_OK ? 0 : CRYPTOCB_UNAVAILABLE;
}

#define MESSAGE(name, from, nonce)                                                            \
	{                                                                                     \
		.work = FIRESTEEL_WOLFSSL_##name, .aes = (from).aes, .out = (from).out,       \
		.in = (from).in, .size = (from).sz, .iv = { (from).nonce, (from).nonce##Sz }, \
		.aad = { (from).authIn, (from).authInSz }                                     \
	}

static int gcm(struct fsw_device *device, wc_CryptoInfo *info)
{
	struct message encrypted = MESSAGE(GCM, info->cipher.aesgcm_enc, iv);
	struct message decrypted = MESSAGE(GCM, info->cipher.aesgcm_dec, iv);

	if (info->cipher.enc) {
		encrypted.tag = (struct firesteel_output){ info->cipher.aesgcm_enc.authTag,
							   info->cipher.aesgcm_enc.authTagSz };
		return aead(device, &encrypted);
	}
	decrypted.expected = (struct firesteel_bytes){ info->cipher.aesgcm_dec.authTag,
						       info->cipher.aesgcm_dec.authTagSz };
	return aead(device, &decrypted);
}

static int ccm(struct fsw_device *device, wc_CryptoInfo *info)
{
	struct message encrypted = MESSAGE(CCM, info->cipher.aesccm_enc, nonce);
	struct message decrypted = MESSAGE(CCM, info->cipher.aesccm_dec, nonce);

	if (info->cipher.enc) {
		encrypted.tag = (struct firesteel_output){ info->cipher.aesccm_enc.authTag,
							   info->cipher.aesccm_enc.authTagSz };
		return aead(device, &encrypted);
	}
	decrypted.expected = (struct firesteel_bytes){ info->cipher.aesccm_dec.authTag,
						       info->cipher.aesccm_dec.authTagSz };
	return aead(device, &decrypted);
}

int fsw_cipher(struct fsw_device *device, wc_CryptoInfo *info)
{
	bool encrypt = info->cipher.enc;

	switch (info->cipher.type) {
	case WC_CIPHER_AES_ECB:
		return ecb(device, info->cipher.aesecb.aes, encrypt, info->cipher.aesecb.out,
			   info->cipher.aesecb.in, info->cipher.aesecb.sz);
	case WC_CIPHER_AES_CBC:
		return cbc(device, info->cipher.aescbc.aes, encrypt, info->cipher.aescbc.out,
			   info->cipher.aescbc.in, info->cipher.aescbc.sz);
	case WC_CIPHER_AES_CTR:
		return ctr(device, info->cipher.aesctr.aes, info->cipher.aesctr.out,
			   info->cipher.aesctr.in, info->cipher.aesctr.sz);
	case WC_CIPHER_AES_GCM:
		return gcm(device, info);
	case WC_CIPHER_AES_CCM:
		return ccm(device, info);
	default:
		return CRYPTOCB_UNAVAILABLE;
	}
}

/* ---- the trial ---- */

/* One message and its answers, the core's and wolfCrypt's */
struct sample {
	byte key[32], iv[BLOCK], in[FSC_LONG];
	byte core[FSC_LONG], software[FSC_LONG], core_tag[BLOCK], software_tag[BLOCK];
};

static struct firesteel_request sample_request(enum firesteel_wolfssl_work work,
					       struct sample *sample, size_t size)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = modes[work].mode,
			    .key = { sample->key, sizeof(sample->key) },
			    .iv = { sample->iv, modes[work].iv_size },
			    .in = { sample->in, size },
			    .out = { sample->core, size },
			    .tag = { sample->core_tag, modes[work].tag_size },
			    .total = size },
	};
}

/* 0, or an error of wolfCrypt's */
static int encrypt(enum firesteel_wolfssl_work work, Aes *aes, struct sample *sample, word32 size)
{
	switch (work) {
	case FIRESTEEL_WOLFSSL_ECB:
		return wc_AesEcbEncrypt(aes, sample->software, sample->in, size);
	case FIRESTEEL_WOLFSSL_CBC:
		return wc_AesCbcEncrypt(aes, sample->software, sample->in, size);
	case FIRESTEEL_WOLFSSL_CTR:
		return wc_AesCtrEncrypt(aes, sample->software, sample->in, size);
	case FIRESTEEL_WOLFSSL_GCM:
		return wc_AesGcmEncrypt(aes, sample->software, sample->in, size, sample->iv, 12,
					sample->software_tag, 16, NULL, 0);
	default:
		return wc_AesCcmEncrypt(aes, sample->software, sample->in, size, sample->iv, 12,
					sample->software_tag, 16, NULL, 0);
	}
}

/* What wolfCrypt takes for a size, the best of some, in ns; less than 0: it does not do it */
static int64_t software_time(enum firesteel_wolfssl_work work, struct sample *sample, word32 size)
{
	int64_t best = -1;
	int error = 0;
	Aes aes;

	if (wc_AesInit(&aes, NULL, INVALID_DEVID) != 0)
		return -1;
	for (unsigned i = 0; i < FSC_ROUNDS && !error; i++) {
		int64_t from;

		error = work == FIRESTEEL_WOLFSSL_GCM
				? wc_AesGcmSetKey(&aes, sample->key, sizeof(sample->key))
				: wc_AesSetKey(&aes, sample->key, sizeof(sample->key), sample->iv,
					       AES_ENCRYPTION);
		from = fsc_trial_now();
		if (!error)
			error = encrypt(work, &aes, sample, size);
		fsc_trial_best(from, i, &best);
	}
	wc_AesFree(&aes);
	return error ? -1 : best;
}

static struct sample *new_sample(void)
{
	struct sample *sample = calloc(1, sizeof(*sample));

	if (!sample)
		return NULL;
	fsc_trial_fill(sample->in, sizeof(sample->in));
	memcpy(sample->key, sample->in + 1, sizeof(sample->key));
	memcpy(sample->iv, sample->in + 70, sizeof(sample->iv));
	return sample;
}

static enum fsc_trial try(struct fsw_device *device, enum firesteel_wolfssl_work work,
			  struct sample *sample)
{
	const struct firesteel_request request = sample_request(work, sample, FSC_SHORT);
	int error = firesteel_run(device->core, &request);

	if (error != FIRESTEEL_OK)
		return fsc_trial_failed(error);
	if (software_time(work, sample, FSC_SHORT) < 0)
		return FSC_TRIAL_NONE;
	if (fsc_trial_compare(sample->core, sample->software, FSC_SHORT) == FSC_TRIAL_BAD)
		return FSC_TRIAL_BAD;
	return fsc_trial_compare(sample->core_tag, sample->software_tag, BLOCK);
}

enum fsc_trial fsw_cipher_trial(struct fsw_device *device, enum firesteel_wolfssl_work work,
				int64_t *software_ns)
{
	struct sample *sample = new_sample();
	enum fsc_trial found = sample ? try(device, work, sample) : FSC_TRIAL_NONE;

	(void)software_ns; /* it goes by size */
	free(sample);
	return found;
}

size_t fsw_cipher_break_even(struct fsw_device *device, enum firesteel_wolfssl_work work)
{
	struct sample *sample = new_sample();
	struct firesteel_request request;
	size_t found;

	if (!sample)
		return FSC_NEVER;
	request = sample_request(work, sample, FSC_SHORT);
	found = fsc_size_break_even(device->core, &request, software_time(work, sample, FSC_SHORT),
				    software_time(work, sample, FSC_LONG));
	free(sample);
	return found;
}
