/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Named groups: keys that consist of domain parameters.
 *
 * A server generates a key of the same group for each connection, so groups are kept: making one
 * takes a part of a generation's time.  For Diffie-Hellman the core also needs the group's numbers.
 * So each is made once, and kept.
 */
#ifndef FSP_GROUP_H
#define FSP_GROUP_H

#include "keys/key.h"

/* A reference to the group with this name; NULL: software does not know it */
struct fsp_key *fsp_group_find(struct fsp_provider *provider, const struct fsp_key_kind *kind,
			       const char *name);

/* Frees all groups */
void fsp_groups_free(struct fsp_provider *provider);

#endif
