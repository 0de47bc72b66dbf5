/* SPDX-License-Identifier: Apache-2.0 */
#include "operation-table.h"

static const struct fs_family *const families[] = {
	&fs_cipher_family, &fs_hash_family, &fs_power_family,
	&fs_rsa_family,    &fs_ec_family,   &fs_25519_family,
};

const struct fs_operation *fs_operation_find(enum firesteel_operation name)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		for (size_t j = 0; j < families[i]->count; j++)
			if (families[i]->operations[j].name == name)
				return &families[i]->operations[j];
	return NULL;
}

bool firesteel_needs_protection(enum firesteel_operation operation)
{
	const struct fs_operation *found = fs_operation_find(operation);

	return found && found->secret;
}
