/* SPDX-License-Identifier: Apache-2.0 */
#include "probe.h"

#include <stdio.h>

#include "../silex/ba411.h"
#include "../silex/ba413.h"
#include "../silex/ba414.h"
#include "../silex/soc.h"
#include "number.h"
#include "pool.h"

static unsigned multipliers(uint32_t hardware)
{
	unsigned power = SILEX_PK_HWCONFIG_MULTIPLIERS_OF(hardware);

	/* 0, 1, 2, 4 and 8 stand for 1, 4, 16, 64 and 256 */
	return power == 8 ? 256 : power == 4 ? 64 : power == 2 ? 16 : power == 1 ? 4 : 1;
}

#define CURVES_PRIME                                                                \
	(SILEX_PK_HWCONFIG_P192 | SILEX_PK_HWCONFIG_P256 | SILEX_PK_HWCONFIG_P384 | \
	 SILEX_PK_HWCONFIG_P521)

/*
 * A core that lacks one of the four has no curve at all for this library, hard-wired or loaded: no
 * driver is known that has used one on silicon.  Source: nrf54l15 drivers, Microchip.
 */
static unsigned curves(uint32_t hardware)
{
	static const struct {
		uint32_t bit;
		enum firesteel_curve_name name;
	} pairs[] = {
		{ SILEX_PK_HWCONFIG_P192, FIRESTEEL_P192 },
		{ SILEX_PK_HWCONFIG_P256, FIRESTEEL_P256 },
		{ SILEX_PK_HWCONFIG_P384, FIRESTEEL_P384 },
		{ SILEX_PK_HWCONFIG_P521, FIRESTEEL_P521 },
		{ SILEX_PK_HWCONFIG_25519, FIRESTEEL_CURVE25519 },
	};
	unsigned found = 0;

	if ((hardware & CURVES_PRIME) != CURVES_PRIME)
		return 0;
	for (unsigned i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		if (hardware & pairs[i].bit)
			found |= 1u << pairs[i].name;
	return found;
}

/* Whether the core is one that this library can drive */
static bool probe_pk(struct firesteel *device)
{
	struct firesteel_capabilities *has = &device->capabilities;
	uint32_t hardware = fs_read(device->transport, FS_PK, SILEX_PK_BASE + SILEX_PK_HWCONFIG);
	unsigned bytes = hardware & SILEX_PK_HWCONFIG_BYTES;

	if (hardware == SILEX_GONE || bytes < 32 || bytes > FS_NUMBER_MAX ||
	    !(hardware & SILEX_PK_HWCONFIG_GF_P) || hardware & SILEX_PK_HWCONFIG_AHB_MASTER)
		return false;
	has->public_key = true;
	has->operand_bytes = bytes;
	has->multipliers = multipliers(hardware);
	has->curves = curves(hardware);
	has->protection = !(hardware & SILEX_PK_HWCONFIG_NO_PROTECTION);
	return true;
}

static void probe_engines(struct firesteel *device)
{
	struct firesteel_capabilities *has = &device->capabilities;
	struct fs_transport *transport = device->transport;
	uint32_t presence = fs_read(transport, FS_CM, SILEX_PRESENCE);
	uint32_t aes = fs_read(transport, FS_CM, SILEX_AES_CAPS);
	uint32_t hash = fs_read(transport, FS_CM, SILEX_HASH_CAPS);

	if (presence & SILEX_PRESENCE_AES) {
		has->modes = aes & SILEX_AES_CAPS_MODES;
		has->key_bits = (aes & SILEX_AES_CAPS_KEYS) / SILEX_AES_CAPS_KEY_128;
		has->cts = aes & SILEX_AES_CAPS_CTS;
		has->counter_bits = fs_read(transport, FS_CM, SILEX_AES_COUNTER_BITS);
	}
	if (presence & SILEX_PRESENCE_HASH) {
		/* both count SHA-1 to SHA-512 upwards; the core has MD5 before them */
		has->digests = (hash & SILEX_HASH_CAPS_ALGS) >> 1 & ((1u << FIRESTEEL_DIGESTS) - 1);
		has->hmac = hash & SILEX_HASH_CAPS_HMAC;
		if (!(hash & SILEX_HASH_CAPS_PAD))
			has->digests = 0;
	}
}

bool fs_probe_cm(struct firesteel *device)
{
	uint32_t presence = fs_read(device->transport, FS_CM, SILEX_PRESENCE);

	if (presence == SILEX_GONE || !(presence & (SILEX_PRESENCE_AES | SILEX_PRESENCE_HASH)))
		return false;
	if (!device->pool)
		device->pool = fs_pool_new(device->transport);
	if (!device->pool)
		return false;
	probe_engines(device);
	device->capabilities.cryptomaster = true;
	device->capabilities.pool_bytes = fs_pool_bytes(device->pool);
	return true;
}

void fs_probe(struct firesteel *device)
{
	struct fs_transport *transport = device->transport;

	snprintf(device->capabilities.name, sizeof(device->capabilities.name), "%s",
		 transport->name);
	if (!fs_has_pk(transport) || !probe_pk(device))
		transport->has[FS_PK] = transport->taken[FS_PK] = false;
	transport->has[FS_CM] = transport->has[FS_CM] && fs_probe_cm(device);
}
