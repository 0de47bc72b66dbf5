// SPDX-License-Identifier: GPL-2.0-or-later
/* Authenticated encryption of the AES core alone: GCM and CCM, and both as IPsec has them. */
#include <linux/types.h>

#include <crypto/gcm.h>
#include <crypto/internal/aead.h>
#include <crypto/scatterwalk.h>

#include "aead-common.h"

#define TAG    SILEX_AES_TAG
#define ESP_IV 8u

#define HEADER (SILEX_ENGINE_AES | SILEX_TAG_TYPE(SILEX_AES_HEADER))

struct aead_context {
	struct firesteel_context common;
	struct crypto_aead *fallback;
};

struct aead_state {
	struct firesteel_ticket ticket; /* the first */
	bool decrypt;
	u8 tag[TAG]; /* received */
	struct aead_request fallback; /* the last: of variable length */
};

/* What distinguishes a kind of AEAD */
struct firesteel_aead_form {
	unsigned int salt; /* bytes of the nonce that come with the key */
	unsigned int in_associated; /* bytes at the end of associated data that are the IV */
	bool ccm;
};

/* One request as the core sees it */
struct message {
	struct aead_request *request;
	u8 *received; /* decrypting: the received tag */
	struct firesteel_context *context;
	struct firesteel_cmd *cmd;
	unsigned int associated; /* bytes that are authenticated only */
	unsigned int skip; /* where the payload begins in the lists */
	unsigned int payload;
	unsigned int tag;
	bool decrypt;
};

static struct firesteel_algorithm *aead_algorithm_of(struct crypto_aead *transform)
{
	return container_of(crypto_aead_alg(transform), struct firesteel_algorithm, api.aead);
}

/* ---- software ---- */

static int aead_software(struct crypto_async_request *base)
{
	struct aead_request *request = aead_request_cast(base);
	struct aead_context *context = firesteel_request_context(base);
	struct aead_state *state = aead_request_ctx(request);

	return firesteel_aead_software(request, context->fallback, &state->fallback,
				       state->decrypt);
}

/* ---- GCM ---- */

static void aead_put_gcm_iv(const struct message *message)
{
	const struct firesteel_aead_form *form = message->context->algorithm->form;
	struct firesteel_cmd *cmd = message->cmd;

	memcpy(cmd->arena->iv, message->context->salt, form->salt);
	memcpy(cmd->arena->iv + form->salt, message->request->iv, GCM_AES_IV_SIZE - form->salt);
	silex_list_config(&cmd->fetch, SILEX_ENGINE_AES, SILEX_AES_IV,
			  firesteel_cmd_address(cmd, iv), GCM_AES_IV_SIZE);
}

static void aead_put_gcm_lengths(const struct message *message)
{
	struct firesteel_cmd *cmd = message->cmd;

	silex_gcm_trailer(cmd->arena->trailer, message->associated, message->payload);
	silex_list_add(&cmd->fetch, firesteel_cmd_address(cmd, trailer),
		       SILEX_AES_TRAILER | SILEX_LEN_REALIGN, SILEX_ENGINE_AES | SILEX_TAG_LAST);
}

/* ---- CCM ---- */

/* B0 and the length of associated data; returns the number of bytes.  0: the payload is too long
 * for the nonce.
 */
static unsigned int aead_make_ccm_head(const struct message *message)
{
	const struct firesteel_aead_form *form = message->context->algorithm->form;
	u8 *head = message->cmd->arena->head;
	/* RFC 4309 has the end of the nonce at the start of the IV; CCM has there how many bytes
	 * the payload's length takes of those that the nonce leaves
	 */
	unsigned int nonce = form->salt ? 11 : 14 - message->request->iv[0];

	memcpy(head + 1, message->context->salt, form->salt);
	memcpy(head + 1 + form->salt, message->request->iv + !form->salt, nonce - form->salt);
	return silex_ccm_head(head, nonce, message->tag, message->associated, message->payload);
}

static bool aead_put_ccm_head(const struct message *message, unsigned int *size)
{
	struct firesteel_cmd *cmd = message->cmd;

	*size = aead_make_ccm_head(message);
	if (!*size)
		return false;
	silex_list_add(&cmd->fetch, firesteel_cmd_address(cmd, head), *size, HEADER);
	return true;
}

/* The received tag, with which the core compares */
static void aead_put_ccm_tag(const struct message *message)
{
	struct firesteel_cmd *cmd = message->cmd;

	memcpy(cmd->arena->trailer, message->received, message->tag);
	silex_list_add(&cmd->fetch, firesteel_cmd_address(cmd, trailer), message->tag,
		       SILEX_ENGINE_AES);
	firesteel_cmd_end_item(cmd, message->tag, SILEX_AES_BLOCK,
			       SILEX_ENGINE_AES | SILEX_TAG_LAST);
}

/* ---- building a command ---- */

static bool aead_put_associated(const struct message *message)
{
	struct firesteel_cmd *cmd = message->cmd;
	unsigned int size = 0;

	if (message->context->algorithm->form->ccm && !aead_put_ccm_head(message, &size))
		return false;
	size += message->associated;
	if (!size)
		return true;
	firesteel_cmd_fetch_list(cmd, 0, message->associated, HEADER);
	firesteel_cmd_end_item(cmd, size, SILEX_AES_BLOCK, HEADER);
	firesteel_cmd_push_discard(cmd, size + silex_padding(size, SILEX_AES_BLOCK));
	return true;
}

static void aead_put_payload(const struct message *message)
{
	bool ends = message->context->algorithm->form->ccm && !message->decrypt;

	if (message->payload || ends)
		firesteel_cmd_crypt(message->cmd, message->skip, message->payload,
				    ends ? SILEX_TAG_LAST : 0);
}

/* The output for an authentic message: the tag with GCM, the difference of tags with CCM */
static const u8 *aead_expected(const struct message *message)
{
	static const u8 none[TAG];

	return message->context->algorithm->form->ccm ? none : message->received;
}

/* Encryption writes the tag to its place; decryption checks the output */
static void aead_put_tag(const struct message *message)
{
	struct firesteel_cmd *cmd = message->cmd;

	if (message->decrypt) {
		firesteel_cmd_preset(cmd->arena->tag, aead_expected(message), TAG);
		firesteel_cmd_push_arena(cmd, tag, TAG);
		return;
	}
	firesteel_cmd_push_list(cmd, message->skip + message->payload, message->tag);
	firesteel_cmd_push_discard(cmd, TAG - message->tag);
}

static bool aead_map(const struct message *message)
{
	struct aead_request *request = message->request;
	unsigned int end = message->skip + message->payload;

	return firesteel_cmd_map(message->cmd, request->src, end, request->dst,
				 end + (message->decrypt ? 0 : message->tag));
}

static bool aead_put_all(const struct message *message)
{
	bool ccm = message->context->algorithm->form->ccm;
	struct firesteel_cmd *cmd = message->cmd;

	firesteel_cmd_configure_aes(cmd,
				    firesteel_context_aes_word(message->context, message->decrypt),
				    message->context->key_size);
	if (!ccm)
		aead_put_gcm_iv(message);
	if (!aead_put_associated(message))
		return false;
	aead_put_payload(message);
	if (!ccm)
		aead_put_gcm_lengths(message);
	else if (message->decrypt)
		aead_put_ccm_tag(message);
	aead_put_tag(message);
	return firesteel_cmd_close(cmd);
}

/* ---- requests ---- */

static unsigned int aead_payload_of(struct aead_request *request)
{
	const struct aead_state *state = aead_request_ctx(request);
	unsigned int tag = crypto_aead_authsize(crypto_aead_reqtfm(request));

	return request->cryptlen - (state->decrypt ? tag : 0);
}

static struct message aead_message_of(struct aead_request *request, struct firesteel_cmd *cmd)
{
	struct firesteel_context *context = firesteel_request_context(&request->base);
	struct aead_state *state = aead_request_ctx(request);

	return (struct message){
		.request = request,
		.received = state->tag,
		.context = context,
		.cmd = cmd,
		.associated = request->assoclen - context->algorithm->form->in_associated,
		.skip = request->assoclen,
		.payload = aead_payload_of(request),
		.tag = crypto_aead_authsize(crypto_aead_reqtfm(request)),
		.decrypt = state->decrypt,
	};
}

static unsigned int aead_bytes(struct crypto_async_request *base)
{
	return aead_payload_of(aead_request_cast(base));
}

static enum firesteel_outcome aead_build(struct crypto_async_request *base,
					 struct firesteel_cmd *cmd)
{
	struct message message = aead_message_of(aead_request_cast(base), cmd);

	cmd->ciphertext = message.decrypt;
	if (message.decrypt)
		scatterwalk_map_and_copy(message.received, message.request->src,
					 message.skip + message.payload, message.tag, 0);
	return aead_map(&message) && aead_put_all(&message) ? FIRESTEEL_GOOD
							    : FIRESTEEL_NOT_FOR_CORE;
}

static bool aead_is_authentic(const struct message *message)
{
	u8 tag[TAG];

	firesteel_cmd_read(tag, message->cmd->arena->tag, message->tag);
	return !crypto_memneq(aead_expected(message), tag, message->tag);
}

static enum firesteel_outcome aead_finish(struct crypto_async_request *base,
					  struct firesteel_cmd *cmd)
{
	struct message message = aead_message_of(aead_request_cast(base), cmd);

	return message.decrypt && !aead_is_authentic(&message) ? FIRESTEEL_NOT_AUTHENTIC
							       : FIRESTEEL_GOOD;
}

static int aead_check(struct aead_request *request, bool decrypt)
{
	struct firesteel_context *context = firesteel_request_context(&request->base);
	const struct firesteel_aead_form *form = context->algorithm->form;

	if (decrypt && request->cryptlen < crypto_aead_authsize(crypto_aead_reqtfm(request)))
		return -EINVAL;
	if (form->in_associated)
		return crypto_ipsec_check_assoclen(request->assoclen);
	if (form->ccm && (request->iv[0] < 1 || request->iv[0] > 7))
		return -EINVAL;
	return 0;
}

static int aead_run(struct aead_request *request, bool decrypt)
{
	struct aead_state *state = aead_request_ctx(request);
	int err = aead_check(request, decrypt);

	if (err)
		return err;
	state->decrypt = decrypt;
	return firesteel_request_run(&request->base, aead_payload_of(request));
}

static int aead_encrypt(struct aead_request *request)
{
	return aead_run(request, false);
}

static int aead_decrypt(struct aead_request *request)
{
	return aead_run(request, true);
}

/* ---- transforms ---- */

static int aead_set_key(struct crypto_aead *transform, const u8 *key, unsigned int size)
{
	struct aead_context *context = crypto_aead_ctx(transform);
	struct firesteel_context *common = &context->common;
	unsigned int salt = common->algorithm->form->salt;
	unsigned int aes = size - salt;
	int err;

	if (size < salt || !silex_aes_is_key_size(aes))
		return -EINVAL;
	err = firesteel_aead_set_fallback_key(transform, context->fallback, key, size);
	if (err)
		return err;
	common->key_size = aes;
	firesteel_context_clear(common);
	memcpy(common->keys.aes, key, aes);
	memcpy(common->salt, key + aes, salt);
	firesteel_context_keyed(common);
	return 0;
}

/* The fallback checks the size */
static int aead_set_tag_size(struct crypto_aead *transform, unsigned int size)
{
	struct aead_context *context = crypto_aead_ctx(transform);

	return crypto_aead_setauthsize(context->fallback, size);
}

/* The fallback is synchronous: an asynchronous one may have GHASH from cryptd, whose queue then
 * takes 1,000 requests and no more, as crypto/gcm.c does not pass on that its caller may be held
 * back.  A disk has more of them when the core fails.
 */
static int aead_open(struct crypto_aead *transform)
{
	struct aead_context *context = crypto_aead_ctx(transform);
	struct firesteel_algorithm *algorithm = aead_algorithm_of(transform);
	int err;

	context->fallback = crypto_alloc_aead(firesteel_algorithm_name(algorithm), 0,
					      FIRESTEEL_FALLBACK_MASK | CRYPTO_ALG_ASYNC);
	if (IS_ERR(context->fallback))
		return PTR_ERR(context->fallback);
	crypto_aead_set_reqsize(transform,
				sizeof(struct aead_state) + crypto_aead_reqsize(context->fallback));
	err = firesteel_context_open(&context->common, algorithm);
	if (err)
		crypto_free_aead(context->fallback);
	return err;
}

static void aead_close(struct crypto_aead *transform)
{
	struct aead_context *context = crypto_aead_ctx(transform);

	crypto_free_aead(context->fallback);
	firesteel_context_close(&context->common);
}

/* ---- the class ---- */

static int aead_trial_open(struct firesteel_trial *trial)
{
	unsigned int size = 32 + trial->algorithm->form->salt;
	int err = firesteel_aead_trial_open(trial);

	return err ?: crypto_aead_setkey(trial->aead, trial->key, size);
}

static int aead_add(struct firesteel_algorithm *algorithm)
{
	struct aead_alg *api = &algorithm->api.aead;

	firesteel_algorithm_complete(&api->base, sizeof(struct aead_context));
	api->base.cra_blocksize = 1;
	api->maxauthsize = TAG;
	api->chunksize = SILEX_AES_BLOCK;
	api->setkey = aead_set_key;
	api->setauthsize = aead_set_tag_size;
	api->encrypt = aead_encrypt;
	api->decrypt = aead_decrypt;
	api->init = aead_open;
	api->exit = aead_close;
	return crypto_register_aead(api);
}

static const struct firesteel_class aead_class = {
	.api = firesteel_aead_api,
	.add = aead_add,
	.remove = firesteel_aead_remove,
	.state = FIRESTEEL_AEAD_STATE,
	.bytes = aead_bytes,
	.build = aead_build,
	.finish = aead_finish,
	.software = aead_software,
	.trial_open = aead_trial_open,
	.trial_start = firesteel_aead_trial_start,
	.trial_close = firesteel_aead_trial_close,
};

static const struct firesteel_aead_form gcm = {};
static const struct firesteel_aead_form rfc4106 = { .salt = 4, .in_associated = ESP_IV };
static const struct firesteel_aead_form ccm = { .ccm = true };
static const struct firesteel_aead_form rfc4309 = { .salt = 3,
						    .in_associated = ESP_IV,
						    .ccm = true };

/* What aead_add() does not complete */
struct firesteel_algorithm firesteel_aeads[] = {
	{
		.class = &aead_class,
		.need = {
			.presence = SILEX_PRESENCE_AES,
			.aes_caps = SILEX_AES_CAPS_KEYS | SILEX_AES_MODE_GCM >> 8,
		},
		.mode = SILEX_AES_MODE_GCM,
		.form = &gcm,
		.api.aead = {
			.base.cra_name = "gcm(aes)",
			.base.cra_driver_name = "gcm-aes-firesteel",
			.ivsize = GCM_AES_IV_SIZE,
		},
	},
	{
		.class = &aead_class,
		.need = {
			.presence = SILEX_PRESENCE_AES,
			.aes_caps = SILEX_AES_CAPS_KEYS | SILEX_AES_MODE_GCM >> 8,
		},
		.mode = SILEX_AES_MODE_GCM,
		.form = &rfc4106,
		.api.aead = {
			.base.cra_name = "rfc4106(gcm(aes))",
			.base.cra_driver_name = "rfc4106-gcm-aes-firesteel",
			.ivsize = ESP_IV,
		},
	},
	{
		.class = &aead_class,
		.need = {
			.presence = SILEX_PRESENCE_AES,
			.aes_caps = SILEX_AES_CAPS_KEYS | SILEX_AES_MODE_CCM >> 8,
		},
		.mode = SILEX_AES_MODE_CCM,
		.form = &ccm,
		.api.aead = {
			.base.cra_name = "ccm(aes)",
			.base.cra_driver_name = "ccm-aes-firesteel",
			.ivsize = SILEX_AES_BLOCK,
		},
	},
	{
		.class = &aead_class,
		.need = {
			.presence = SILEX_PRESENCE_AES,
			.aes_caps = SILEX_AES_CAPS_KEYS | SILEX_AES_MODE_CCM >> 8,
		},
		.mode = SILEX_AES_MODE_CCM,
		.form = &rfc4309,
		.api.aead = {
			.base.cra_name = "rfc4309(ccm(aes))",
			.base.cra_driver_name = "rfc4309-ccm-aes-firesteel",
			.ivsize = ESP_IV,
		},
	},
};

const unsigned int firesteel_aead_count = ARRAY_SIZE(firesteel_aeads);
