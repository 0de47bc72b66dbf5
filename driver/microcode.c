// SPDX-License-Identifier: GPL-2.0-or-later
#include "microcode.h"

#include <linux/device.h>
#include <linux/err.h>
#include <linux/firmware.h>
#include <linux/property.h>
#include <linux/slab.h>

#include "compat.h"
#include "silex/soc.h"

char *firesteel_microcode_file = "";

static struct firesteel_microcode *microcode_refuse(struct device *dev, const char *file,
						    const char *why, int err)
{
	dev_err(dev, "microcode %s: %s (%d); the public-key engine is not used\n", file, why, err);
	return ERR_PTR(err);
}

static struct firesteel_microcode *microcode_copy(struct device *dev, const char *file,
						  const struct firmware *firmware)
{
	struct firesteel_microcode *microcode;

	if (!firmware->size || firmware->size % sizeof(u32) || firmware->size > SILEX_PK_CODE_SIZE)
		return microcode_refuse(dev, file, "must have 4 to 16384 bytes, a multiple of 4",
					-EINVAL);
	microcode = kmalloc(struct_size(microcode, bytes, firmware->size), GFP_KERNEL);
	if (!microcode)
		return microcode_refuse(dev, file, "no memory for it", -ENOMEM);
	microcode->size = firmware->size;
	memcpy(microcode->bytes, firmware->data, firmware->size);
	return microcode;
}

struct firesteel_microcode *firesteel_microcode_read(struct device *dev)
{
	const char *file = firesteel_microcode_file;
	struct firesteel_microcode *microcode;
	const struct firmware *firmware;
	int err;

	device_property_read_string(dev, "firmware-name", &file);
	if (!*file)
		return NULL;
	err = firmware_request_nowarn(&firmware, file, dev);
	if (err)
		return microcode_refuse(dev, file, "cannot be read from the firmware directories",
					err);
	microcode = microcode_copy(dev, file, firmware);
	release_firmware(firmware);
	return microcode;
}

void firesteel_microcode_write(const struct firesteel_microcode *microcode, void __iomem *code)
{
	size_t at;

	for (at = 0; at < microcode->size; at += sizeof(u32))
		writel_relaxed(get_unaligned_le32(microcode->bytes + at), code + at);
}
