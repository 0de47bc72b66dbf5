/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/aead-state.h"

enum {
	no = FSP_REFUSED,
	none = FSP_NO_IV,
	ready = FSP_READY,
	open = FSP_OPEN,
	core = FSP_IN_CORE,
	soft = FSP_IN_SOFTWARE,
	done = FSP_DONE,
	fail = FSP_FAILED,
	record = FSP_RECORD,

	fresh = ready | FSP_FORGETS,
	keyed = ready | FSP_KEYED,
	begin = open | FSP_KEYED | FSP_TAKES_IV,
	other = begin | FSP_FORGETS, /* begin, whatever was before */
	anew = open | FSP_FORGETS, /* with the same IV */
	over = done | FSP_FORGETS, /* unfinished: a tag that the core has made is none */
	head = record | FSP_FORGETS,
	khead = head | FSP_KEYED,
};

/*
 * These are the default provider's orders, as far as they give right bytes.  In the midst of a message a new
 * key begins it anew, and a new direction ends it, where the default provider goes on with the rest of what
 * it has.
 */
const struct fsp_aead_row fsp_gcm_rows[FSP_AEAD_EVENTS] = {
	/*                      none   ready  open   core   soft   done   fail   record */
	[FSP_ON_IV] = { { ready, ready, fresh, fresh, fresh, fresh, fresh, head } },
	[FSP_ON_COUNTED_IV] = { { begin, begin, other, other, other, other, other, khead } },
	[FSP_ON_IV_SIZE] = { { none, done, over, over, over, done, done, record } },
	[FSP_ON_KEY] = { { none, ready, fresh, fresh, fresh, done, done, record } },
	[FSP_ON_DIRECTION] = { { none, ready, done, done, done, done, done, record } },
	[FSP_ON_LENGTH] = { { no, no, no, no, no, no, no, no } },
	[FSP_ON_NOTHING] = { { no, no, no, no, no, no, no, no } },
	[FSP_ON_AAD] = { { no, begin, open, no, soft, no, no, no } },
	[FSP_ON_PAYLOAD] = { { no, begin, open, core, soft, no, no, no } },
	[FSP_ON_CORE] = { { no, no, core, no, no, no, no, record } },
	[FSP_ON_SOFTWARE] = { { no, no, soft, soft, soft, no, no, record } },
	[FSP_ON_END] = { { no, begin, open, core, soft, no, no, no } },
	[FSP_ON_DONE] = { { no, no, done, done, done, no, no, done } },
	[FSP_ON_FAILURE] = { { no, no, done, done, done, no, no, done } },
	[FSP_ON_HEAD] = { { record, record, head, head, head, head, head, head } },
};

/* A payload is all of it, and ends the message.  Once there was a head of a record, all that follows are
 * records. */
const struct fsp_aead_row fsp_ccm_rows[FSP_AEAD_EVENTS] = {
	/*                      none   ready  open   core   soft   done   fail   record */
	[FSP_ON_IV] = { { ready, ready, fresh, fresh, fresh, fresh, fresh, head } },
	[FSP_ON_COUNTED_IV] = { { no, no, no, no, no, no, no, no } },
	[FSP_ON_IV_SIZE] = { { none, none, none, none, none, done, fail, record } },
	[FSP_ON_KEY] = { { none, ready, open, core, soft, done, fail, record } },
	[FSP_ON_DIRECTION] = { { none, ready, open, done, done, done, fail, record } },
	[FSP_ON_LENGTH] = { { no, begin, anew, no, no, no, no, no } },
	[FSP_ON_NOTHING] = { { no, keyed, open, no, no, no, no, no } },
	[FSP_ON_AAD] = { { no, no, open, no, soft, no, no, no } },
	[FSP_ON_PAYLOAD] = { { no, begin, open, no, soft, no, no, no } },
	[FSP_ON_CORE] = { { no, no, core, no, no, no, no, record } },
	[FSP_ON_SOFTWARE] = { { no, no, soft, soft, soft, no, no, record } },
	[FSP_ON_END] = { { no, begin, open, no, soft, no, no, no } },
	[FSP_ON_DONE] = { { no, no, done, done, done, no, no, record } },
	[FSP_ON_FAILURE] = { { no, no, fail, fail, fail, no, no, record } },
	[FSP_ON_HEAD] = { { record, record, head, head, head, head, head, head } },
};

static void forget(struct fsp_aead *aead)
{
	aead->aad_size = 0;
	aead->saved_size = 0;
	aead->total = 0;
	aead->has_tag &= aead->decrypt;
	aead->tag_is_this = false;
	aead->has_computed = false;
}

bool fsp_aead_act(struct fsp_aead *aead, unsigned result)
{
	if (result == FSP_REFUSED || (result & FSP_KEYED && !aead->keyed))
		return false;
	if (result & FSP_FORGETS)
		forget(aead);
	aead->state = result & (FSP_REFUSED - 1);
	if (result & FSP_TAKES_IV)
		fsp_aead_copy_iv(aead->nonce, aead->iv, aead->iv_size);
	return true;
}
