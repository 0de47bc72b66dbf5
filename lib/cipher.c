/* SPDX-License-Identifier: Apache-2.0 */
/* AES: a request as messages for CryptoMaster, one for each piece that fits into a slot. */
#include <string.h>

#include "../silex/ba411.h"
#include "message.h"
#include "number.h"
#include "operation.h"

#define BLOCK        SILEX_AES_BLOCK
#define KEY_MAX      32u
#define CCM_IV_MIN   7u
#define CCM_IV_MAX   13u
#define CCM_TAG_MIN  4u
#define DIRECT_MAX   (1u << 20) /* of a piece that is not copied */
#define CONTEXT_SIZE 16u

/* From so many bytes on, the system call that refreshes results takes less time than reading memory
 * that is not cached: docs/dma.md */
#define REFRESH_MIN 256u

_Static_assert(FIRESTEEL_GCM_IV == SILEX_AES_GCM_IV, "the interface names the core's limit");

/* Properties of a mode */
struct mode {
	uint32_t bit;
	size_t iv;
	bool blocks; /* whole blocks only, but for ciphertext stealing */
	bool chained; /* a message continues with a context */
	bool aead;
};

static const struct mode modes[FIRESTEEL_MODES] = {
	[FIRESTEEL_ECB] = { SILEX_AES_MODE_ECB, 0, true, false, false },
	[FIRESTEEL_CBC] = { SILEX_AES_MODE_CBC, 16, true, true, false },
	[FIRESTEEL_CTR] = { SILEX_AES_MODE_CTR, 16, false, true, false },
	[FIRESTEEL_CFB] = { SILEX_AES_MODE_CFB, 16, false, true, false },
	[FIRESTEEL_OFB] = { SILEX_AES_MODE_OFB, 16, false, true, false },
	[FIRESTEEL_CCM] = { SILEX_AES_MODE_CCM, 0, false, true, true },
	[FIRESTEEL_GCM] = { SILEX_AES_MODE_GCM, SILEX_AES_GCM_IV, false, true, true },
	[FIRESTEEL_XTS] = { SILEX_AES_MODE_XTS, 16, true, true, false },
	[FIRESTEEL_CMAC] = { SILEX_AES_MODE_CMAC, 0, false, true, false },
};

/* A piece of a message */
struct piece {
	const struct firesteel_cipher *cipher;
	const struct mode *mode;
	const struct firesteel_cipher_context *context;
	size_t offset; /* in the request's data */
	size_t size;
	bool first;
	bool last;
	struct fs_dma_address in; /* the core's view */
	struct fs_dma_address out;
	uint32_t aad; /* bus */
	uint8_t *tail; /* tag or context, when it is done */
};

/* ---- checks ---- */

static bool has_output(const struct firesteel_cipher *cipher)
{
	return cipher->mode != FIRESTEEL_CMAC;
}

static size_t key_size(const struct firesteel_cipher *cipher)
{
	return cipher->mode == FIRESTEEL_XTS ? cipher->key.size / 2 : cipher->key.size;
}

static int check_key(const struct firesteel_capabilities *has,
		     const struct firesteel_cipher *cipher, bool values)
{
	size_t size = key_size(cipher);

	if (!silex_aes_is_key_size(size) ||
	    (cipher->mode == FIRESTEEL_XTS && (size == 24 || cipher->key.size != 2 * size)))
		return FIRESTEEL_ERROR_INVALID;
	if (!(has->key_bits & 1u << (size - 16) / 8))
		return FIRESTEEL_ERROR_ABSENT;
	if (values && cipher->mode == FIRESTEEL_XTS &&
	    fs_number_equal((struct firesteel_bytes){ cipher->key.data, size },
			    (struct firesteel_bytes){ cipher->key.data + size, size }))
		return FIRESTEEL_ERROR_INVALID;
	return FIRESTEEL_OK;
}

static bool is_first(const struct firesteel_cipher *cipher)
{
	return !cipher->context || !cipher->context->begun;
}

static bool check_iv(const struct firesteel_cipher *cipher)
{
	if (!is_first(cipher))
		return true;
	if (cipher->mode == FIRESTEEL_CCM)
		return cipher->iv.size >= CCM_IV_MIN && cipher->iv.size <= CCM_IV_MAX;
	return cipher->iv.size == modes[cipher->mode].iv;
}

static bool check_tag_size(const struct firesteel_cipher *cipher, size_t size)
{
	switch (cipher->mode) {
	case FIRESTEEL_GCM:
		return size >= FIRESTEEL_GCM_TAG_MIN && size <= BLOCK;
	case FIRESTEEL_CCM:
		return size >= CCM_TAG_MIN && size <= BLOCK && size % 2 == 0;
	case FIRESTEEL_CMAC:
		return size >= 1 && size <= BLOCK;
	default:
		return true;
	}
}

/* GCM's core computes the tag either way, so a caller who has none yet may compare later */
static bool outputs_tag(const struct firesteel_cipher *cipher)
{
	return !cipher->decrypt || (cipher->mode == FIRESTEEL_GCM && cipher->expected.size == 0);
}

static size_t tag_size(const struct firesteel_cipher *cipher)
{
	return outputs_tag(cipher) ? cipher->tag.size : cipher->expected.size;
}

/* CCM needs the tag's length with the first piece, the others with the last */
static bool check_tag(const struct firesteel_cipher *cipher)
{
	/* To compare, or to be given what to compare with */
	if (cipher->decrypt && cipher->tag.size > 0 && cipher->expected.size > 0)
		return false;
	if (cipher->more && !(cipher->mode == FIRESTEEL_CCM && is_first(cipher)))
		return true;
	return check_tag_size(cipher, tag_size(cipher));
}

static int check_size(const struct firesteel_capabilities *has,
		      const struct firesteel_cipher *cipher)
{
	const struct mode *mode = &modes[cipher->mode];
	size_t size = cipher->in.size;

	if (cipher->more)
		return cipher->context && size > 0 && size % BLOCK == 0 ? FIRESTEEL_OK
									: FIRESTEEL_ERROR_INVALID;
	if (cipher->mode == FIRESTEEL_XTS && size < BLOCK)
		return FIRESTEEL_ERROR_INVALID;
	/* with a context and nothing else a core cannot end CCM: Nordic's driver refuses it, too */
	if (size == 0 && !is_first(cipher) &&
	    (mode->blocks || cipher->mode == FIRESTEEL_CMAC || cipher->mode == FIRESTEEL_CCM))
		return FIRESTEEL_ERROR_INVALID;
	if (!mode->blocks || size % BLOCK == 0)
		return FIRESTEEL_OK;
	if (cipher->mode == FIRESTEEL_ECB || size <= BLOCK)
		return FIRESTEEL_ERROR_INVALID;
	return has->cts ? FIRESTEEL_OK : FIRESTEEL_ERROR_ABSENT;
}

static bool check_total(const struct firesteel_cipher *cipher)
{
	uint64_t total = cipher->context ? cipher->total : cipher->in.size;
	size_t length = 15 - cipher->iv.size;

	if (cipher->mode != FIRESTEEL_CCM)
		return true;
	if (is_first(cipher))
		return cipher->in.size <= total && (length >= 8 || total >> (8 * length) == 0) &&
		       (cipher->more || total == cipher->in.size);
	total = cipher->total;
	if (cipher->in.size > total || cipher->context->payload_size > total - cipher->in.size)
		return false;
	return cipher->more || cipher->context->payload_size + cipher->in.size == total;
}

static int check(const struct firesteel_capabilities *has, const struct firesteel_request *request,
		 bool values)
{
	const struct firesteel_cipher *cipher = &request->cipher;
	int error;

	if ((unsigned)cipher->mode >= FIRESTEEL_MODES ||
	    (cipher->mode == FIRESTEEL_CMAC && cipher->decrypt))
		return FIRESTEEL_ERROR_INVALID;
	error = check_key(has, cipher, values);
	if (error == FIRESTEEL_ERROR_INVALID)
		return error;
	if (!check_iv(cipher) || !check_tag(cipher) || !check_total(cipher) ||
	    (has_output(cipher) && cipher->out.size != cipher->in.size) ||
	    (cipher->aad.size > 0 && (!modes[cipher->mode].aead || !is_first(cipher))))
		return FIRESTEEL_ERROR_INVALID;
	if (!(has->modes & 1u << cipher->mode) || cipher->aad.size > FIRESTEEL_AAD_MAX)
		return FIRESTEEL_ERROR_ABSENT;
	return error ? error : check_size(has, cipher);
}

/* ---- a piece as a message ---- */

static uint32_t word_of(const struct piece *piece)
{
	const struct firesteel_cipher *cipher = piece->cipher;
	size_t size = key_size(cipher);
	uint32_t word = piece->mode->bit | silex_aes_key_bits(size);

	if (cipher->decrypt)
		word |= SILEX_AES_DECRYPT;
	if (piece->mode->chained && !piece->first)
		word |= SILEX_AES_CONTEXT_LOAD;
	if (piece->mode->chained && !piece->last)
		word |= SILEX_AES_CONTEXT_SAVE;
	return word;
}

static size_t context_size(const struct piece *piece)
{
	return piece->mode->aead ? SILEX_AES_AEAD_CONTEXT : SILEX_AES_CONTEXT;
}

static void add_keys(struct fs_message *message, const struct piece *piece)
{
	const struct firesteel_cipher *cipher = piece->cipher;
	struct fs_arena *arena = message->slot.arena;
	size_t size = key_size(cipher);

	fs_message_word(message, word_of(piece));
	memcpy(arena->key, cipher->key.data, size);
	fs_message_config(message, SILEX_AES_KEY, arena->key, size);
	if (!piece->mode->chained)
		return;
	if (!piece->first) {
		memcpy(arena->iv, piece->context->opaque, context_size(piece));
		fs_message_config(message, SILEX_AES_IV, arena->iv, context_size(piece));
		return;
	}
	if (piece->mode->iv > 0) {
		memcpy(arena->iv, cipher->iv.data, piece->mode->iv);
		fs_message_config(message, SILEX_AES_IV, arena->iv, piece->mode->iv);
	}
	if (cipher->mode == FIRESTEEL_XTS) {
		memcpy(arena->key2, cipher->key.data + size, size);
		fs_message_config(message, SILEX_AES_KEY2, arena->key2, size);
	}
}

static size_t make_ccm_header(const struct firesteel_cipher *cipher, uint8_t *bytes)
{
	uint64_t total = cipher->context ? cipher->total : cipher->in.size;

	memcpy(bytes + 1, cipher->iv.data, cipher->iv.size);
	return silex_ccm_head(bytes, (unsigned)cipher->iv.size, (unsigned)tag_size(cipher),
			      (uint32_t)cipher->aad.size, total);
}

static void add_header(struct fs_message *message, const struct piece *piece)
{
	const struct firesteel_cipher *cipher = piece->cipher;
	const uint32_t tag = SILEX_TAG_TYPE(SILEX_AES_HEADER);
	size_t size = cipher->aad.size;

	if (!piece->first || !piece->mode->aead)
		return;
	if (cipher->mode == FIRESTEEL_CCM) {
		uint8_t *header = message->slot.arena->header;
		size_t begin = make_ccm_header(cipher, header);

		fs_message_fetch(message, fs_message_part(message, header, begin), begin, tag);
		size += begin;
	}
	fs_message_fetch(message, piece->aad, cipher->aad.size, tag);
	if (size > 0)
		fs_message_fetch_end(message, size, BLOCK, tag);
	fs_message_discard(message, size + silex_padding(size, BLOCK));
}

static bool has_trailer(const struct piece *piece)
{
	return piece->last && (piece->cipher->mode == FIRESTEEL_GCM ||
			       (piece->cipher->mode == FIRESTEEL_CCM && piece->cipher->decrypt));
}

static void add_payload(struct fs_message *message, const struct piece *piece)
{
	if (piece->size > 0 || !has_trailer(piece)) {
		fs_message_fetch(message, piece->in.bus, piece->size, 0);
		fs_message_fetch_end(message, piece->size, BLOCK,
				     has_trailer(piece) ? 0 : SILEX_TAG_LAST);
	}
	if (has_output(piece->cipher)) {
		fs_message_push(message, piece->out.bus, piece->size);
		fs_message_discard(message, silex_padding(piece->size, BLOCK));
	}
}

static void add_trailer(struct fs_message *message, const struct piece *piece)
{
	const struct firesteel_cipher *cipher = piece->cipher;
	uint8_t *trailer = message->slot.arena->trailer;

	if (!has_trailer(piece))
		return;
	if (cipher->mode == FIRESTEEL_GCM) {
		silex_gcm_trailer(trailer, piece->context->aad_size,
				  piece->context->payload_size + piece->size);
	} else {
		memset(trailer, 0, BLOCK);
		memcpy(trailer, cipher->expected.data, cipher->expected.size);
	}
	fs_message_fetch(message, fs_message_part(message, trailer, BLOCK), BLOCK, 0);
	fs_message_fetch_end(message, BLOCK, BLOCK, SILEX_TAG_LAST);
}

static size_t tail_size(const struct piece *piece)
{
	if (!piece->last)
		return piece->mode->chained ? context_size(piece) : 0;
	return piece->mode->aead || piece->cipher->mode == FIRESTEEL_CMAC ? SILEX_AES_TAG : 0;
}

static int run_piece(struct fs_message *message, const struct piece *piece)
{
	int error;

	fs_message_clear(message);
	add_keys(message, piece);
	add_header(message, piece);
	add_payload(message, piece);
	add_trailer(message, piece);
	fs_message_tail(message, tail_size(piece));
	if (message->push.count == 0)
		return FIRESTEEL_OK; /* no input, no output */
	error = fs_message_run(message, piece->cipher->mode, piece->size);
	if (!error)
		memcpy(piece->tail, message->result, tail_size(piece));
	return error;
}

/* ---- a request ---- */

struct work {
	struct firesteel *device;
	struct fs_message message;
	const struct firesteel_cipher *cipher;
	struct firesteel_cipher_context context;
	uint8_t tail[SILEX_AES_AEAD_CONTEXT];
	bool direct_in, direct_out, direct_aad;
	bool refreshes; /* output is read after a refresh */
	bool has_secrets; /* in the context or in the tail */
	struct fs_dma_address in, out, aad; /* of the whole, as far as they are direct */
	size_t capacity; /* for payload in the slot */
	size_t done;
};

static void translate_buffers(struct work *work)
{
	const struct firesteel_cipher *cipher = work->cipher;
	struct fs_pool *pool = work->device->pool;
	struct fs_dma_address data = work->message.slot.data;

	work->direct_in = fs_pool_translate(pool, cipher->in.data, cipher->in.size, &work->in);
	work->direct_out = has_output(cipher) &&
			   fs_pool_translate(pool, cipher->out.data, cipher->out.size, &work->out);
	work->direct_aad = fs_pool_translate(pool, cipher->aad.data, cipher->aad.size, &work->aad);
	work->capacity = FS_DATA_SIZE;
	if (!work->direct_aad) {
		size_t used = (cipher->aad.size + 63) / 64 * 64;

		work->aad = data;
		if (cipher->aad.size > 0)
			memcpy(data.cpu, cipher->aad.data, cipher->aad.size);
		work->capacity -= used;
		data.cpu += used;
		data.bus += (uint32_t)used;
	}
	if (!work->direct_in)
		work->in = data;
	if (!work->direct_out)
		work->out = data;
	work->refreshes = !work->direct_out && has_output(cipher) && work->message.slot.refreshes &&
			  cipher->in.size >= REFRESH_MIN;
	if (work->refreshes)
		work->out = work->message.slot.results;
}

/* All that fits; but what is left must be more than a block, as its end may be special */
static size_t next_size(const struct work *work)
{
	size_t left = work->cipher->in.size - work->done;
	bool direct = work->direct_in && (work->direct_out || !has_output(work->cipher));
	size_t most = direct ? DIRECT_MAX : work->capacity / BLOCK * BLOCK;

	if (left <= most)
		return left;
	return left - most <= BLOCK ? most - 2 * BLOCK : most;
}

static struct fs_dma_address at(struct fs_dma_address address, bool direct, size_t offset)
{
	if (direct) {
		address.cpu += offset;
		address.bus += (uint32_t)offset;
	}
	return address;
}

static void copy_in(struct work *work, const struct piece *piece)
{
	if (work->direct_in || piece->size == 0)
		return;
	memcpy(piece->in.cpu, work->cipher->in.data + work->done, piece->size);
	fs_count(&work->device->statistics.copied, piece->size);
}

static int copy_out(struct work *work, const struct piece *piece)
{
	struct firesteel *device = work->device;
	int error = FIRESTEEL_OK;

	if (work->direct_out || piece->size == 0 || !has_output(work->cipher))
		return FIRESTEEL_OK;
	if (work->refreshes)
		error = fs_pool_refresh(device->pool, &work->message.slot, piece->size);
	if (error)
		return error;
	memcpy(work->cipher->out.data + work->done, piece->out.cpu, piece->size);
	fs_count(&device->statistics.copied, piece->size);
	return FIRESTEEL_OK;
}

/* The context after a piece */
static void go_on(struct work *work, const struct piece *piece)
{
	work->context.begun = true;
	work->context.payload_size += piece->size;
	if (!piece->last && piece->mode->chained)
		memcpy(work->context.opaque, work->tail, context_size(piece));
}

static int next_piece(struct work *work)
{
	struct piece piece = {
		.cipher = work->cipher,
		.mode = &modes[work->cipher->mode],
		.context = &work->context,
		.size = next_size(work),
		.first = !work->context.begun,
		.in = at(work->in, work->direct_in, work->done),
		.out = at(work->out, work->direct_out, work->done),
		.aad = work->aad.bus,
		.tail = work->tail,
	};
	int error, copied;

	piece.last = work->done + piece.size == work->cipher->in.size && !work->cipher->more;
	if (piece.first)
		work->context.aad_size = work->cipher->aad.size;
	copy_in(work, &piece);
	if (tail_size(&piece) > 0)
		work->has_secrets = true;
	error = run_piece(&work->message, &piece);
	if (error)
		return error;
	copied = copy_out(work, &piece);
	error = fs_message_alive(&work->message);
	if (error) {
		/* what was copied was not the core's */
		if (has_output(work->cipher) && piece.size > 0)
			firesteel_wipe(work->cipher->out.data + work->done, piece.size);
		return error;
	}
	if (copied)
		return copied;
	go_on(work, &piece);
	work->done += piece.size;
	return FIRESTEEL_OK;
}

/* The computed tag, or for CCM its difference from the received one */
static int compare_tag(const struct work *work)
{
	const struct firesteel_cipher *cipher = work->cipher;
	uint8_t difference = 0;

	for (size_t i = 0; i < cipher->expected.size; i++)
		difference |= cipher->mode == FIRESTEEL_CCM
				      ? work->tail[i]
				      : (uint8_t)(work->tail[i] ^ cipher->expected.data[i]);
	return difference ? FIRESTEEL_ERROR_TAG : FIRESTEEL_OK;
}

static int finish(struct work *work)
{
	const struct firesteel_cipher *cipher = work->cipher;
	bool tags = modes[cipher->mode].aead || cipher->mode == FIRESTEEL_CMAC;

	if (cipher->more || !tags)
		return FIRESTEEL_OK;
	if (!outputs_tag(cipher))
		return compare_tag(work);
	memcpy(cipher->tag.data, work->tail, cipher->tag.size);
	return FIRESTEEL_OK;
}

static int run_all(struct work *work)
{
	int error;

	do
		error = next_piece(work);
	while (!error && work->done < work->cipher->in.size);
	if (!error)
		error = finish(work);
	if (error == FIRESTEEL_ERROR_TAG && work->cipher->out.size > 0)
		firesteel_wipe(work->cipher->out.data, work->cipher->out.size);
	return error;
}

static int run(struct firesteel *device, const struct firesteel_request *request)
{
	struct work work;
	int error;

	/* what else it has is set before it is read */
	work.device = device;
	work.cipher = &request->cipher;
	work.done = 0;
	work.has_secrets = work.cipher->context != NULL;
	work.context.begun = false;
	work.context.payload_size = 0;
	if (work.cipher->context)
		work.context = *work.cipher->context;
	/* an empty message of a plain mode is an empty result */
	if (work.cipher->in.size == 0 && !modes[work.cipher->mode].aead &&
	    work.cipher->mode != FIRESTEEL_CMAC)
		return FIRESTEEL_OK;
	error = fs_message_begin(device, SILEX_ENGINE_AES, &work.message);
	if (error)
		return error;
	translate_buffers(&work);
	error = run_all(&work);
	fs_message_end(&work.message);
	if (!error && work.cipher->context)
		*work.cipher->context = work.context;
	if (!error)
		fs_count(&device->statistics.bytes, work.cipher->in.size);
	if (work.has_secrets) {
		firesteel_wipe(&work.context, sizeof(work.context));
		firesteel_wipe(work.tail, sizeof(work.tail));
	}
	return error;
}

static void estimate(struct fs_estimate *estimate, const struct firesteel_request *request)
{
	const struct firesteel_cipher *cipher = &request->cipher;

	fs_estimate_message(estimate, false, cipher->mode, cipher->in.size + cipher->aad.size);
}

static const struct fs_operation operations[] = {
	{
		.name = FIRESTEEL_CIPHER,
		.core = FS_CM,
		.operands = FS_OPERANDS(
			FS_BYTES(cipher.key), FS_BYTES(cipher.iv), FS_BYTES(cipher.aad),
			FS_BYTES(cipher.in), FS_OUTPUT(cipher.out), FS_OUTPUT(cipher.tag),
			FS_BYTES(cipher.expected),
			FS_CONTEXT(cipher.context, struct firesteel_cipher_context)),
		.check = check,
		.run.cm = run,
		.estimate = estimate,
	},
};

const struct fs_family fs_cipher_family = FS_FAMILY(operations);
