/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/trial.h"

#include <stdint.h>
#include <string.h>

#include <openssl/core_names.h>

#include "symmetric/hash.h"
#include "symmetric/soft.h"

#define SHORT_SIZE 256u
#define LONG_SIZE  4096u
#define LARGEST    65536u
#define STEP       16u
#define ROUNDS     4u

_Static_assert(FSP_SYMMETRIC_TRIAL_COST == SHORT_SIZE + ROUNDS * (SHORT_SIZE + LONG_SIZE),
	       "the cost of a trial is what it does");

/* One message and its answer: as long as the message, and a tag or digest.  Too large for the stack of
 * an ASYNC job. */
struct message {
	uint8_t key[64];
	uint8_t iv[16];
	uint8_t in[LONG_SIZE];
	uint8_t out[LONG_SIZE];
	uint8_t tag[32];
	size_t size;
};

/* AES by name, and what each mode needs */
static const struct {
	const char *name;
	enum firesteel_mode mode;
	uint8_t key_size, iv_size, tag_size;
} modes[] = {
	[FSP_TASK_ECB] = { "AES-256-ECB", FIRESTEEL_ECB, 32, 0, 0 },
	[FSP_TASK_CBC] = { "AES-256-CBC", FIRESTEEL_CBC, 32, 16, 0 },
	[FSP_TASK_CTR] = { "AES-256-CTR", FIRESTEEL_CTR, 32, 16, 0 },
	[FSP_TASK_CFB] = { "AES-256-CFB", FIRESTEEL_CFB, 32, 16, 0 },
	[FSP_TASK_OFB] = { "AES-256-OFB", FIRESTEEL_OFB, 32, 16, 0 },
	[FSP_TASK_GCM] = { "AES-256-GCM", FIRESTEEL_GCM, 32, 12, 16 },
	[FSP_TASK_CCM] = { "AES-256-CCM", FIRESTEEL_CCM, 32, 12, 16 },
	[FSP_TASK_XTS] = { "AES-256-XTS", FIRESTEEL_XTS, 64, 16, 0 },
	[FSP_TASK_CTS] = { "AES-256-CBC", FIRESTEEL_CBC, 32, 16, 0 },
	[FSP_TASK_CMAC] = { "AES-256-CBC", FIRESTEEL_CBC, 32, 16, 0 },
};

/* A message of at most LONG_SIZE.  Key and IV are of its first SHORT_SIZE bytes, which are always there. */
static void begin(struct message *message, size_t size)
{
	for (size_t i = 0; i < size || i < SHORT_SIZE; i++)
		message->in[i] = (uint8_t)(i * 167 + 13);
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
			  .key = { message->key, task == FSP_TASK_HMAC ? 32 : 0 },
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
		.cipher = { .mode = modes[task].mode,
			    .key = { message->key, modes[task].key_size },
			    .iv = { message->iv, modes[task].iv_size },
			    .in = { message->in, message->size },
			    .out = { message->out, message->size },
			    .tag = { message->tag, modes[task].tag_size },
			    .total = message->size },
	};
}

/* ---- software ---- */

static bool cipher(EVP_CIPHER_CTX *context, const EVP_CIPHER *algorithm, enum fsp_task task,
		   struct message *message)
{
	int size = (int)message->size, got;
	bool ccm = task == FSP_TASK_CCM;

	if (!EVP_EncryptInit_ex2(context, algorithm, NULL, NULL, NULL) ||
	    (ccm && (!EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) ||
		     !EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, NULL))) ||
	    !EVP_EncryptInit_ex2(context, NULL, message->key, message->iv, NULL) ||
	    !EVP_CIPHER_CTX_set_padding(context, 0) ||
	    (ccm && !EVP_EncryptUpdate(context, NULL, &got, NULL, size)) ||
	    !EVP_EncryptUpdate(context, message->out, &got, message->in, size) ||
	    !EVP_EncryptFinal_ex(context, message->out + got, &got))
		return false;
	return modes[task].tag_size == 0 ||
	       EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, message->tag);
}

static bool software_cipher(struct fsp_provider *provider, enum fsp_task task,
			    struct message *message)
{
	EVP_CIPHER *algorithm = EVP_CIPHER_fetch(provider->library, modes[task].name, FSP_SOFTWARE);
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	bool good = algorithm && context && cipher(context, algorithm, task, message);

	EVP_CIPHER_CTX_free(context);
	EVP_CIPHER_free(algorithm);
	return good;
}

static bool software_hmac(struct fsp_provider *provider, struct message *message)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA256", 0),
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_PROPERTIES, FSP_SOFTWARE, 0),
		OSSL_PARAM_construct_end(),
	};
	EVP_MAC *algorithm = EVP_MAC_fetch(provider->library, "HMAC", FSP_SOFTWARE);
	EVP_MAC_CTX *context = algorithm ? EVP_MAC_CTX_new(algorithm) : NULL;
	size_t got;
	bool good = context && EVP_MAC_init(context, message->key, 32, params) &&
		    EVP_MAC_update(context, message->in, message->size) &&
		    EVP_MAC_final(context, message->tag, &got, sizeof(message->tag));

	EVP_MAC_CTX_free(context);
	EVP_MAC_free(algorithm);
	return good;
}

static bool software_digest(struct fsp_provider *provider, struct message *message)
{
	EVP_MD *algorithm = EVP_MD_fetch(provider->library, "SHA256", FSP_SOFTWARE);
	bool good = algorithm &&
		    EVP_Digest(message->in, message->size, message->tag, NULL, algorithm, NULL);

	EVP_MD_free(algorithm);
	return good;
}

static bool software(struct fsp_provider *provider, enum fsp_task task, struct message *message)
{
	if (task == FSP_TASK_DIGEST)
		return software_digest(provider, message);
	if (task == FSP_TASK_HMAC)
		return software_hmac(provider, message);
	return software_cipher(provider, task, message);
}

/* All hashes that the device has, by blocks in its midst, as they are done */
static enum fsp_trial hash_answers(struct fsp_provider *provider, enum fsp_task task,
				   struct message *message)
{
	uint8_t here[FSP_HASH_SIZE_MAX], there[FSP_HASH_SIZE_MAX];

	begin(message, SHORT_SIZE);
	for (unsigned i = 0; i < FIRESTEEL_DIGESTS; i++) {
		const struct fsp_hash_kind *kind = &fsp_hash_kinds[i];
		struct fsp_hash soft, core;
		int error;

		if (!(provider->capabilities.digests & 1u << i))
			continue;
		fsp_hash_begin(&soft, provider, kind, task);
		kind->update(&soft, message->in, kind->block);
		core = soft;
		kind->update(&soft, message->in, SHORT_SIZE);
		error = fsp_hash_core(&core, message->in, SHORT_SIZE, true);
		if (error != FIRESTEEL_OK)
			return fsp_trial_failed(error);
		fsp_hash_final(&soft, here);
		fsp_hash_final(&core, there);
		if (fsp_trial_compare(there, here, kind->size) == FSP_TRIAL_BAD)
			return FSP_TRIAL_BAD;
	}
	return FSP_TRIAL_GOOD;
}

/* A message that is one request */
static enum fsp_trial request_answers(struct fsp_provider *provider, enum fsp_task task,
				      struct message *here, struct message *there)
{
	struct firesteel_request request;
	int error;

	begin(here, SHORT_SIZE);
	begin(there, SHORT_SIZE);
	request = request_of(task, there);
	error = firesteel_run(provider->device, &request);
	if (error != FIRESTEEL_OK)
		return fsp_trial_failed(error);
	if (!software(provider, task, here))
		return FSP_TRIAL_NONE;
	if (fsp_trial_compare(there->out, here->out, SHORT_SIZE) == FSP_TRIAL_BAD)
		return FSP_TRIAL_BAD;
	return fsp_trial_compare(there->tag, here->tag, sizeof(here->tag));
}

enum fsp_trial fsp_symmetric_trial(struct fsp_provider *provider, enum fsp_task task,
				   int64_t *software_ns)
{
	struct message *messages = OPENSSL_malloc(2 * sizeof(*messages));
	enum fsp_trial trial = FSP_TRIAL_GOOD;

	(void)software_ns;
	if (!messages)
		return FSP_TRIAL_NONE;
	if (task == FSP_TASK_DIGEST || task == FSP_TASK_HMAC)
		trial = hash_answers(provider, task, messages);
	/* HMAC is done by blocks, and whole where the core has it */
	if (trial == FSP_TRIAL_GOOD && task != FSP_TASK_DIGEST &&
	    (task != FSP_TASK_HMAC || provider->capabilities.hmac))
		trial = request_answers(provider, task, &messages[0], &messages[1]);
	OPENSSL_free(messages);
	return trial;
}

/* ---- time ---- */

static const struct fsp_cipher_kind ctr = {
	.name = "AES-256-CTR",
	.task = FSP_TASK_CTR,
	.mode = FIRESTEEL_CTR,
	.key_size = 32,
	.iv_size = 16,
	.block_size = 1,
};

/* AES-256-CTR and SHA-256, without libcrypto's layers: fetching would take longer than the message */
static bool directly(struct fsp_provider *provider, enum fsp_task task, struct message *message)
{
	struct fsp_soft_context soft = { 0 };
	bool good;

	if (task == FSP_TASK_DIGEST) {
		const struct fsp_hash_kind *sha256 = &fsp_hash_kinds[FIRESTEEL_SHA256];
		struct fsp_hash hash;

		fsp_hash_begin(&hash, provider, sha256, task);
		sha256->update(&hash, message->in, message->size);
		fsp_hash_final(&hash, message->tag);
		return true;
	}
	good = fsp_soft_make(&soft, provider, &ctr) &&
	       fsp_soft_init(&soft, false, message->key, ctr.key_size, message->iv, ctr.iv_size,
			     NULL) &&
	       fsp_soft_update(&soft, message->out, message->in, message->size);
	fsp_soft_close(&soft);
	return good;
}

typedef bool compute(struct fsp_provider *provider, enum fsp_task task, struct message *message);

/* What software takes for a size, the best of some, in ns; less than 0: it does not do it.  With
 * what fetching takes, which is the same for all sizes: see below. */
static int64_t software_time(struct fsp_provider *provider, enum fsp_task task, compute *compute,
			     struct message *message, size_t size, unsigned rounds)
{
	int64_t best = -1;

	begin(message, size);
	for (unsigned i = 0; i < rounds; i++) {
		int64_t from = fsp_trial_now();

		if (!compute(provider, task, message))
			return -1;
		fsp_trial_best(from, i, &best);
	}
	return best;
}

static int64_t estimate_ns(struct fsp_provider *provider, enum fsp_task task,
			   struct message *message, size_t size)
{
	struct firesteel_request request = request_of(task, message);

	if (task == FSP_TASK_DIGEST || task == FSP_TASK_HMAC) {
		request.hash.in = (struct firesteel_bytes){ NULL, size };
	} else {
		request.cipher.in = (struct firesteel_bytes){ NULL, size };
		request.cipher.out = (struct firesteel_output){ NULL, size };
		request.cipher.total = size;
	}
	return firesteel_expect_ns(provider->device, &request);
}

/*
 * Software's fixed costs are left out: fetching is not part of them when it counts, and without
 * them the core is asked to win by its bytes alone, which errs on software's side.
 */
static bool core_wins(struct fsp_provider *provider, enum fsp_task task, struct message *message,
		      size_t size, int64_t between)
{
	int64_t core = estimate_ns(provider, task, message, size);

	return core >= 0 && core <= between * (int64_t)size / (LONG_SIZE - SHORT_SIZE);
}

/* The least multiple of STEP with which the core wins.  Both sides' times are straight lines, so it
 * wins with more, too. */
static size_t break_even(struct fsp_provider *provider, enum fsp_task task, struct message *message)
{
	int64_t low = software_time(provider, task, software, message, SHORT_SIZE, ROUNDS);
	int64_t high = software_time(provider, task, software, message, LONG_SIZE, ROUNDS);
	size_t loses = 0, wins = STEP;

	if (low < 0 || high <= low)
		return FSP_NEVER;
	begin(message, STEP);
	while (!core_wins(provider, task, message, wins, high - low)) {
		loses = wins;
		wins *= 2;
		if (wins > LARGEST)
			return FSP_NEVER;
	}
	while (wins - loses > STEP) {
		size_t middle = (loses + wins) / (2 * STEP) * STEP;

		if (core_wins(provider, task, message, middle, high - low))
			wins = middle;
		else
			loses = middle;
	}
	return wins;
}

/* What LONG_SIZE takes in software more than SHORT_SIZE, at a glance; less than 0: unknown */
static int64_t glance(struct fsp_provider *provider, enum fsp_task task, compute *compute,
		      struct message *message)
{
	int64_t low = software_time(provider, task, compute, message, SHORT_SIZE, 2);
	int64_t high = software_time(provider, task, compute, message, LONG_SIZE, 1);

	if (low < 0 || high < 0)
		return -1;
	return high > low ? high - low : 1;
}

/* Whether the core needs less than half of what software needs for the largest message */
static bool clearly_wins(int64_t core, int64_t between)
{
	return core * 2 < between * (LARGEST / (LONG_SIZE - SHORT_SIZE));
}

/* Where it is clear, one message in software for AES and one for hashes is all that a program's start
 * has to wait for */
static bool pays(struct fsp_provider *provider, enum fsp_task task, struct message *message,
		 struct fsp_software_times *times)
{
	bool hash = task == FSP_TASK_DIGEST || task == FSP_TASK_HMAC;
	enum fsp_task fastest = hash ? FSP_TASK_DIGEST : FSP_TASK_CTR;
	int64_t *least = hash ? &times->hash : &times->aes, between, core;

	begin(message, STEP);
	core = estimate_ns(provider, task, message, LARGEST);
	if (core < 0)
		return false; /* the core does not do it */
	if (*least == 0)
		*least = glance(provider, fastest, directly, message);
	if (*least > 0 && clearly_wins(core, *least))
		return true;
	between = task == fastest ? *least : glance(provider, task, software, message);
	return between < 0 || clearly_wins(core, between) ||
	       break_even(provider, task, message) != FSP_NEVER;
}

size_t fsp_symmetric_break_even(struct fsp_provider *provider, enum fsp_task task)
{
	struct message *message = OPENSSL_malloc(sizeof(*message));
	size_t found = message ? break_even(provider, task, message) : FSP_NEVER;

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
