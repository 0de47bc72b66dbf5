/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Named groups: keys with domain parameters alone.
 *
 * A server generates a key of the same group for each connection, and to make a group takes as long as a part
 * of the generation; of Diffie-Hellman the core needs its numbers, too.  So each is made once, and kept.
 */
#ifndef FSP_GROUP_H
#define FSP_GROUP_H

#include "keys/key.h"

/* A reference to the group with this name; NULL: software does not know it */
struct fsp_key *fsp_group_find(struct fsp_provider *provider, const struct fsp_key_kind *kind,
			       const char *name);

/* Frees all that were made */
void fsp_groups_free(struct fsp_provider *provider);

#endif
