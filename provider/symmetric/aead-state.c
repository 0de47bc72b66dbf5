/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/aead-state.h"

/* What an event leads to from each state, in the order of enum fsp_aead_state; `no` is refused */
struct row {
	uint8_t from[FSP_AEAD_STATES];
};

enum {
	no = FSP_AEAD_STATES,
	none = FSP_NO_IV,
	ready = FSP_READY,
	open = FSP_OPEN,
	core = FSP_IN_CORE,
	soft = FSP_IN_SOFTWARE,
	done = FSP_DONE,
	fail = FSP_FAILED,
	record = FSP_RECORD,
};

/*
 * These are the default provider's orders, as far as they give right bytes.  In the midst of a message a new
 * key begins it anew, and a new direction ends it, where the default provider goes on with the rest of what
 * it has.
 */
static const struct row gcm[FSP_AEAD_EVENTS] = {
	/*                      none   ready  open   core   soft   done   fail   record */
	[FSP_ON_IV] = { { ready, ready, ready, ready, ready, ready, ready, record } },
	[FSP_ON_COUNTED_IV] = { { open, open, open, open, open, open, open, record } },
	[FSP_ON_IV_SIZE] = { { none, done, done, done, done, done, done, record } },
	[FSP_ON_KEY] = { { none, ready, ready, ready, ready, done, done, record } },
	[FSP_ON_DIRECTION] = { { none, ready, done, done, done, done, done, record } },
	[FSP_ON_LENGTH] = { { no, no, no, no, no, no, no, no } },
	[FSP_ON_NOTHING] = { { no, no, no, no, no, no, no, no } },
	[FSP_ON_AAD] = { { no, open, open, no, soft, no, no, no } },
	[FSP_ON_PAYLOAD] = { { no, open, open, core, soft, no, no, no } },
	[FSP_ON_CORE] = { { no, no, core, no, no, no, no, record } },
	[FSP_ON_SOFTWARE] = { { no, no, soft, soft, soft, no, no, record } },
	[FSP_ON_END] = { { no, open, open, core, soft, no, no, no } },
	[FSP_ON_DONE] = { { no, no, done, done, done, no, no, done } },
	[FSP_ON_FAILURE] = { { no, no, done, done, done, no, no, done } },
	[FSP_ON_HEAD] = { { record, record, record, record, record, record, record, record } },
};

/* A payload is all of it, and ends the message.  Once there was a head of a record, all that follows are
 * records. */
static const struct row ccm[FSP_AEAD_EVENTS] = {
	/*                      none   ready  open   core   soft   done   fail   record */
	[FSP_ON_IV] = { { ready, ready, ready, ready, ready, ready, ready, record } },
	[FSP_ON_COUNTED_IV] = { { no, no, no, no, no, no, no, no } },
	[FSP_ON_IV_SIZE] = { { none, none, none, none, none, done, fail, record } },
	[FSP_ON_KEY] = { { none, ready, open, core, soft, done, fail, record } },
	[FSP_ON_DIRECTION] = { { none, ready, open, done, done, done, fail, record } },
	[FSP_ON_LENGTH] = { { no, open, open, no, no, no, no, no } },
	[FSP_ON_NOTHING] = { { no, ready, open, no, no, no, no, no } },
	[FSP_ON_AAD] = { { no, no, open, no, soft, no, no, no } },
	[FSP_ON_PAYLOAD] = { { no, open, open, no, soft, no, no, no } },
	[FSP_ON_CORE] = { { no, no, core, no, no, no, no, record } },
	[FSP_ON_SOFTWARE] = { { no, no, soft, soft, soft, no, no, record } },
	[FSP_ON_END] = { { no, open, open, no, soft, no, no, no } },
	[FSP_ON_DONE] = { { no, no, done, done, done, no, no, record } },
	[FSP_ON_FAILURE] = { { no, no, fail, fail, fail, no, no, record } },
	[FSP_ON_HEAD] = { { record, record, record, record, record, record, record, record } },
};

#define ON(event) (1u << FSP_ON_##event)

/* What cannot be without a key */
static const unsigned needs_key = ON(COUNTED_IV) | ON(LENGTH) | ON(NOTHING) | ON(AAD) |
				  ON(PAYLOAD) | ON(END);

/* After what there is nothing of a message before any more */
static const unsigned begins = ON(IV) | ON(COUNTED_IV) | ON(LENGTH) | ON(HEAD);

static void forget_message(struct fsp_aead *aead)
{
	aead->aad_size = 0;
	aead->saved_size = 0;
	aead->total = 0;
	aead->has_tag = aead->has_tag && aead->decrypt;
	aead->tag_is_this = false;
	aead->has_computed = false;
}

bool fsp_aead_step(struct fsp_aead *aead, enum fsp_aead_event event)
{
	const bool is_gcm = aead->kind->mode == FIRESTEEL_GCM;
	const enum fsp_aead_state from = aead->state, to = (is_gcm ? gcm : ccm)[event].from[from];

	if (to == FSP_AEAD_STATES || (!aead->keyed && needs_key & 1u << event))
		return false;
	/* Of what is only ready there is nothing yet */
	if (from > FSP_READY && (begins & 1u << event || to == FSP_READY))
		forget_message(aead);
	if (to == FSP_OPEN && (from != FSP_OPEN || event == FSP_ON_COUNTED_IV))
		fsp_aead_copy_iv(aead->nonce, aead->iv, aead->iv_size);
	aead->state = to;
	return true;
}
