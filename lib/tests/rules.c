/* SPDX-License-Identifier: Apache-2.0 */
#include "rules.h"

static struct fs_transport_ops checking;
static const struct fs_transport_ops *sound;
static struct firesteel *watched;

static uint32_t checking_read(struct fs_transport *transport, enum fs_core core, uint32_t offset)
{
	uint32_t value = sound->read(transport, core, offset);

	if (core == FS_PK)
		rules_pk_read(offset, value);
	return value;
}

/* Before the core learns of it */
static void checking_write(struct fs_transport *transport, enum fs_core core, uint32_t offset,
			   uint32_t value)
{
	if (core == FS_PK)
		rules_pk_write(offset, value);
	else
		rules_cm_write(offset, value);
	sound->write(transport, core, offset, value);
}

static void checking_put(struct fs_transport *transport, uint32_t offset, const uint8_t *bytes,
			 size_t words)
{
	rules_pk_put(offset, bytes, 4 * words);
	sound->put(transport, offset, bytes, words);
}

static void checking_get(struct fs_transport *transport, uint32_t offset, uint8_t *bytes,
			 size_t words)
{
	rules_pk_get();
	sound->get(transport, offset, bytes, words);
}

void rules_begin(struct firesteel *device)
{
	watched = device;
	sound = device->transport->ops;
	checking = *sound;
	checking.read = checking_read;
	checking.write = checking_write;
	checking.put = checking_put;
	checking.get = checking_get;
	rules_pk_begin(&device->capabilities);
	rules_cm_begin(device->transport);
	device->transport->ops = &checking;
}

void rules_end(void)
{
	watched->transport->ops = sound;
}
