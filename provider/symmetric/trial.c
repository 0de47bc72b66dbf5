/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/trial.h"

#include <stdint.h>
#include <string.h>

#include <openssl/core_names.h>

#include "frontends/common/size.h"
#include "symmetric/hash.h"
#include "symmetric/soft.h"

#define HMAC_KEY_SIZE 32u

_Static_assert(FSP_SYMMETRIC_TRIAL_COST == FSC_SHORT + FSC_ROUNDS * (FSC_SHORT + FSC_LONG),
	       "the cost of a trial is what it does");

/* One message and its answer: as long as the message, and a tag or digest.  Too large for the stack of
 * an ASYNC job. */
struct message {
	uint8_t key[64];
	uint8_t iv[16];
	uint8_t in[FSC_LONG];
	uint8_t out[FSC_LONG];
	uint8_t tag[32];
	size_t size;
};

#define MODE(NAME, TASK, MODE, key, iv, tag)        \
	{                                           \
		.kind = { .name = "AES-256-" NAME,  \
			  .task = FSP_TASK_##TASK,  \
			  .mode = FIRESTEEL_##MODE, \
			  .key_size = key,          \
			  .iv_size = iv },          \
		.tag_size = tag,                    \
	}

/* The algorithm by which the core is tried with a task, and software timed */
static const struct mode {
	struct fsp_cipher_kind kind;
	uint8_t tag_size;
} modes[] = {
	[FSP_TASK_ECB] = MODE("ECB", ECB, ECB, 32, 0, 0),
	[FSP_TASK_CBC] = MODE("CBC", CBC, CBC, 32, 16, 0),
	[FSP_TASK_CTR] = MODE("CTR", CTR, CTR, 32, 16, 0),
	[FSP_TASK_CFB] = MODE("CFB", CFB, CFB, 32, 16, 0),
	[FSP_TASK_OFB] = MODE("OFB", OFB, OFB, 32, 16, 0),
	[FSP_TASK_GCM] = MODE("GCM", GCM, GCM, 32, 12, 16),
	[FSP_TASK_CCM] = MODE("CCM", CCM, CCM, 32, 12, 16),
	[FSP_TASK_XTS] = MODE("XTS", XTS, XTS, 64, 16, 0),
	[FSP_TASK_CTS] = MODE("CBC", CBC, CBC, 32, 16, 0),
	[FSP_TASK_CMAC] = MODE("CBC", CBC, CBC, 32, 16, 0),
};

/* A message of at most FSC_LONG.  Key and IV are of its first FSC_SHORT bytes, which are always there. */
static void begin(struct message *message, size_t size)
{
	fsc_trial_fill(message->in, size > FSC_SHORT ? size : FSC_SHORT);
	memcpy(message->key, message->in + 1, sizeof(message->key));
	memcpy(message->iv, message->in + 70, sizeof(message->iv));
	memset(message->out, 0, sizeof(message->out));
	memset(message->tag, 0, sizeof(message->tag));
	message->size = size;
}

static struct firesteel_request hash_request(enum fsp_task task, struct message *message)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_HASH,
		.hash = { .algorithm = FIRESTEEL_SHA256,
			  .hmac = task == FSP_TASK_HMAC,
			  .key = { message->key, task == FSP_TASK_HMAC ? HMAC_KEY_SIZE : 0 },
			  .in = { message->in, message->size },
			  .digest = { message->tag, 32 } },
	};
}

static struct firesteel_request request_of(enum fsp_task task, struct message *message)
{
	if (task == FSP_TASK_DIGEST || task == FSP_TASK_HMAC)
		return hash_request(task, message);
	return (struct firesteel_request){
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = modes[task].kind.mode,
			    .key = { message->key, modes[task].kind.key_size },
			    .iv = { message->iv, modes[task].kind.iv_size },
			    .in = { message->in, message->size },
			    .out = { message->out, message->size },
			    .tag = { message->tag, modes[task].tag_size },
			    .total = message->size },
	};
}

/* ---- software: without libcrypto's layers, as to fetch an algorithm would take longer than messages ---- */

/* CCM is told sizes before the key, and the length before the message */
static bool begin_ccm(struct fsp_soft_context *soft, const struct mode *mode,
		      const struct message *message)
{
	size_t iv_size = mode->kind.iv_size;
	OSSL_PARAM params[] = {
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, &iv_size),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, mode->tag_size),
		OSSL_PARAM_END,
	};

	return fsp_soft_init(soft, false, NULL, 0, NULL, 0, params) &&
	       fsp_soft_init(soft, false, message->key, mode->kind.key_size, message->iv, iv_size,
			     NULL) &&
	       fsp_soft_update(soft, NULL, NULL, message->size);
}

static bool end_with_tag(struct fsp_soft_context *soft, const struct mode *mode,
			 struct message *message)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, message->tag, mode->tag_size),
		OSSL_PARAM_END,
	};
	uint8_t nothing[FSP_BLOCK];
	size_t got;

	return soft->software->final(soft->context, nothing, &got, sizeof(nothing)) &&
	       soft->software->get(soft->context, params);
}

static bool software_cipher(struct fsp_provider *provider, const struct mode *mode,
			    struct message *message)
{
	struct fsp_soft_context soft = { 0 };
	bool good = fsp_soft_make(&soft, provider, &mode->kind);

	if (good && mode->kind.mode == FIRESTEEL_CCM)
		good = begin_ccm(&soft, mode, message);
	else if (good)
		good = fsp_soft_init(&soft, false, message->key, mode->kind.key_size, message->iv,
				     mode->kind.iv_size, NULL);
	good = good && fsp_soft_update(&soft, message->out, message->in, message->size) &&
	       (mode->tag_size == 0 || end_with_tag(&soft, mode, message));
	fsp_soft_close(&soft);
	return good;
}

static void sha256(struct fsp_provider *provider, const uint8_t *before, const uint8_t *in,
		   size_t size, uint8_t *out)
{
	const struct fsp_hash_kind *kind = &fsp_hash_kinds[FIRESTEEL_SHA256];
	struct fsp_hash hash;

	fsp_hash_begin(&hash, provider, kind, FSP_TASK_DIGEST);
	if (before)
		kind->update(&hash, before, kind->block);
	kind->update(&hash, in, size);
	fsp_hash_final(&hash, out);
}

/* FIPS 198-1, with the key of hash_request() */
static void software_hmac(struct fsp_provider *provider, struct message *message)
{
	uint8_t inner[SHA256_CBLOCK], outer[SHA256_CBLOCK], digest[SHA256_DIGEST_LENGTH];

	for (unsigned i = 0; i < SHA256_CBLOCK; i++) {
		uint8_t key = i < HMAC_KEY_SIZE ? message->key[i] : 0;

		inner[i] = key ^ 0x36;
		outer[i] = key ^ 0x5c;
	}
	sha256(provider, inner, message->in, message->size, digest);
	sha256(provider, outer, digest, sizeof(digest), message->tag);
}

static bool software(struct fsp_provider *provider, enum fsp_task task, struct message *message)
{
	if (task == FSP_TASK_DIGEST)
		sha256(provider, NULL, message->in, message->size, message->tag);
	else if (task == FSP_TASK_HMAC)
		software_hmac(provider, message);
	else
		return software_cipher(provider, &modes[task], message);
	return true;
}

/* All hashes that the device has, by blocks in its midst, as they are done */
static enum fsc_trial hash_answers(struct fsp_provider *provider, enum fsp_task task,
				   struct message *message)
{
	uint8_t here[FSP_HASH_SIZE_MAX], there[FSP_HASH_SIZE_MAX];

	begin(message, FSC_SHORT);
	for (unsigned i = 0; i < FIRESTEEL_DIGESTS; i++) {
		const struct fsp_hash_kind *kind = &fsp_hash_kinds[i];
		struct fsp_hash soft, core;
		int error;

		if (!(provider->capabilities.digests & 1u << i))
			continue;
		fsp_hash_begin(&soft, provider, kind, task);
		kind->update(&soft, message->in, kind->block);
		core = soft;
		kind->update(&soft, message->in, FSC_SHORT);
		error = fsp_hash_core(&core, message->in, FSC_SHORT, true);
		if (error != FIRESTEEL_OK)
			return fsc_trial_failed(error);
		fsp_hash_final(&soft, here);
		fsp_hash_final(&core, there);
		if (fsc_trial_compare(there, here, kind->size) == FSC_TRIAL_BAD)
			return FSC_TRIAL_BAD;
	}
	return FSC_TRIAL_GOOD;
}

/* A message that is one request */
static enum fsc_trial request_answers(struct fsp_provider *provider, enum fsp_task task,
				      struct message *here, struct message *there)
{
	struct firesteel_request request;
	int error;

	begin(here, FSC_SHORT);
	begin(there, FSC_SHORT);
	request = request_of(task, there);
	error = firesteel_run(provider->device, &request);
	if (error != FIRESTEEL_OK)
		return fsc_trial_failed(error);
	if (!software(provider, task, here))
		return FSC_TRIAL_NONE;
	if (fsc_trial_compare(there->out, here->out, FSC_SHORT) == FSC_TRIAL_BAD)
		return FSC_TRIAL_BAD;
	return fsc_trial_compare(there->tag, here->tag, sizeof(here->tag));
}

enum fsc_trial fsp_symmetric_trial(struct fsp_provider *provider, enum fsp_task task,
				   int64_t *software_ns)
{
	struct message *messages = OPENSSL_malloc(2 * sizeof(*messages));
	enum fsc_trial trial = FSC_TRIAL_GOOD;

	(void)software_ns;
	if (!messages)
		return FSC_TRIAL_NONE;
	if (task == FSP_TASK_DIGEST || task == FSP_TASK_HMAC)
		trial = hash_answers(provider, task, messages);
	/* HMAC is done by blocks, and whole where the core has it */
	if (trial == FSC_TRIAL_GOOD && task != FSP_TASK_DIGEST &&
	    (task != FSP_TASK_HMAC || provider->capabilities.hmac))
		trial = request_answers(provider, task, &messages[0], &messages[1]);
	OPENSSL_free(messages);
	return trial;
}

/* ---- time ---- */

/* What software takes for a size, the best of some, in ns; less than 0: it does not do it.  With
 * what a context takes, which is the same for all sizes: see below. */
static int64_t software_time(struct fsp_provider *provider, enum fsp_task task,
			     struct message *message, size_t size, unsigned rounds)
{
	int64_t best = -1;

	begin(message, size);
	for (unsigned i = 0; i < rounds; i++) {
		int64_t from = fsc_trial_now();

		if (!software(provider, task, message))
			return -1;
		fsc_trial_best(from, i, &best);
	}
	return best;
}

static int64_t estimate_ns(struct fsp_provider *provider, enum fsp_task task,
			   struct message *message, size_t size)
{
	const struct firesteel_request request = request_of(task, message);

	return fsc_size_ns(provider->device, &request, size);
}

static size_t break_even(struct fsp_provider *provider, enum fsp_task task, struct message *message)
{
	int64_t low = software_time(provider, task, message, FSC_SHORT, FSC_ROUNDS);
	int64_t high = software_time(provider, task, message, FSC_LONG, FSC_ROUNDS);
	struct firesteel_request request;

	begin(message, FSC_STEP);
	request = request_of(task, message);
	return fsc_size_break_even(provider->device, &request, low, high);
}

/* Whether the core needs less than half of what software needs for the largest message */
static bool clearly_wins(int64_t core, int64_t between)
{
	return core * 2 < between * (FSC_LARGEST / (FSC_LONG - FSC_SHORT));
}

/* What FSC_LONG takes in software more than FSC_SHORT, at a glance; less than 0: unknown.  The first
 * message finds cold caches, so software is timed again unless the core wins by far. */
static int64_t glance(struct fsp_provider *provider, enum fsp_task task, struct message *message,
		      int64_t core)
{
	int64_t low = software_time(provider, task, message, FSC_SHORT, 2);
	int64_t high = software_time(provider, task, message, FSC_LONG, 1), again;

	if (low < 0 || high < 0)
		return -1;
	if (!clearly_wins(4 * core, high - low)) {
		again = software_time(provider, task, message, FSC_LONG, 1);
		high = again >= 0 && again < high ? again : high;
	}
	return high > low ? high - low : 1;
}

/* Where it is clear, one message in software for AES and one for hashes is all that a program's start
 * has to wait for */
static bool pays(struct fsp_provider *provider, enum fsp_task task, struct message *message,
		 struct fsp_software_times *times)
{
	bool hash = task == FSP_TASK_DIGEST || task == FSP_TASK_HMAC;
	enum fsp_task fastest = hash ? FSP_TASK_DIGEST : FSP_TASK_CTR;
	int64_t *least = hash ? &times->hash : &times->aes, between, core;

	begin(message, FSC_STEP);
	core = estimate_ns(provider, task, message, FSC_LARGEST);
	if (core < 0)
		return false; /* the core does not do it */
	if (*least == 0)
		*least = glance(provider, fastest, message, core);
	if (*least > 0 && clearly_wins(core, *least))
		return true;
	between = task == fastest ? *least : glance(provider, task, message, core);
	return between < 0 || clearly_wins(core, between) ||
	       break_even(provider, task, message) != FSC_NEVER;
}

size_t fsp_symmetric_break_even(struct fsp_provider *provider, enum fsp_task task)
{
	struct message *message = OPENSSL_malloc(sizeof(*message));
	size_t found = message ? break_even(provider, task, message) : FSC_NEVER;

	OPENSSL_free(message);
	return found;
}

bool fsp_symmetric_pays(struct fsp_provider *provider, enum fsp_task task,
			struct fsp_software_times *times)
{
	struct message *message = OPENSSL_malloc(sizeof(*message));
	bool found = !message || pays(provider, task, message, times);

	OPENSSL_free(message);
	return found;
}
