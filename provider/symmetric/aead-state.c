/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/aead-state.h"

enum {
	no = FSP_AEAD_STATES, /* refused */
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
const struct fsp_aead_row fsp_gcm_rows[FSP_AEAD_EVENTS] = {
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
const struct fsp_aead_row fsp_ccm_rows[FSP_AEAD_EVENTS] = {
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
