/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "config.h"

#include <stdio.h>

#include "../silex/ba413.h"
#include "../silex/ba414.h"
#include "../silex/soc.h"
#include "profile.h"

#define AES_CAPS_ALL \
	(SILEX_AES_CAPS_MODES | SILEX_AES_CAPS_CTS | SILEX_AES_CAPS_MASKING | SILEX_AES_CAPS_KEYS)
#define HASH_CAPS_ALL (SILEX_HASH_CAPS_ALGS | SILEX_HASH_CAPS_PAD | SILEX_HASH_CAPS_HMAC)
#define P521_BYTES    66u

#define CURVES_ALL                                                                  \
	(SILEX_PK_HWCONFIG_P192 | SILEX_PK_HWCONFIG_P256 | SILEX_PK_HWCONFIG_P384 | \
	 SILEX_PK_HWCONFIG_P521 | SILEX_PK_HWCONFIG_25519)

/* The AHB-master variant has registers that the model has not */
#define FEATURES_ALL                                                                    \
	(SILEX_PK_HWCONFIG_GF_P | SILEX_PK_HWCONFIG_GF_2M | SILEX_PK_HWCONFIG_RAM_ECC | \
	 SILEX_PK_HWCONFIG_NO_SM)

void silex_config_default(struct silex_config *config)
{
	*config = silex_profile(0)->config;
	silex_timing_default(&config->timing);
}

static int refuse(char *error, size_t size, const char *what)
{
	snprintf(error, size, "%s", what);
	return -1;
}

static const char *wrong_cores(const struct silex_config *config)
{
	if (!config->cryptomaster && !config->pk)
		return "no core: set cryptomaster, pk or both";
	if (!config->cryptomaster && (config->aes || config->hash))
		return "aes and hash need cryptomaster";
	if (config->presence_others &
	    (SILEX_PRESENCE_AES | SILEX_PRESENCE_HASH | SILEX_PRESENCE_PK))
		return "presence_others may not have the bits 0x00000211, which aes, hash and pk set";
	if (config->length_bits < 24 || config->length_bits > 28)
		return "length_bits must be 24 to 28";
	return NULL;
}

static const char *wrong_capabilities(const struct silex_config *config)
{
	if (config->aes_caps & ~AES_CAPS_ALL)
		return "aes_caps may have the bits 0x070301ff";
	if (config->aes_counter_bits < 1 || config->aes_counter_bits > 128)
		return "aes_counter_bits must be 1 to 128";
	if (config->hash_caps & ~HASH_CAPS_ALL)
		return "hash_caps may have the bits 0x0003007f";
	return NULL;
}

static const char *wrong_pk(const struct silex_config *config)
{
	unsigned m = config->pk_multipliers;

	if (config->pk_max_bytes < 64 || config->pk_max_bytes > 1024 || config->pk_max_bytes % 8)
		return "pk_max_bytes must be a multiple of 8 from 64 to 1024";
	if (m != 1 && m != 4 && m != 16 && m != 64 && m != 256)
		return "pk_multipliers must be 1, 4, 16, 64 or 256";
	if (config->pk_curves & ~CURVES_ALL)
		return "pk_curves may have the bits 0x01f00000";
	if (config->pk_features & ~FEATURES_ALL || !(config->pk_features & SILEX_PK_HWCONFIG_GF_P))
		return "pk_features may have the bits 0x20070000 and must have 0x00010000";
	if (config->pk_microcode > SILEX_PK_CODE_SIZE || config->pk_microcode % 4)
		return "pk_microcode must be a multiple of 4 up to 16384";
	if (config->pk_curves & SILEX_PK_HWCONFIG_P521 && config->pk_max_bytes < P521_BYTES)
		return "pk_curves names P-521, whose operands are longer than pk_max_bytes";
	return NULL;
}

static const char *wrong_timing(const struct silex_timing *timing)
{
	const unsigned cycles[] = {
		timing->dma_latency_cycles, timing->start_cycles,        timing->end_cycles,
		timing->aes128_cycles,      timing->aes192_cycles,       timing->aes256_cycles,
		timing->aes_key_cycles,     timing->sha1_cycles,         timing->sha256_cycles,
		timing->sha512_cycles,      timing->pk_operation_cycles, timing->pk_product_cycles,
		timing->pk_row_cycles,
	};

	if (timing->clock_hz < 1000000 || timing->clock_hz > 10000000000u)
		return "clock_hz must be 1000000 to 10000000000";
	if (timing->register_ns > 1000000)
		return "register_ns must be 0 to 1000000";
	if (timing->dma_bytes_per_beat < 1 || timing->dma_bytes_per_beat > 32 ||
	    timing->dma_bytes_per_beat & (timing->dma_bytes_per_beat - 1))
		return "dma_bytes_per_beat must be 1, 2, 4, 8, 16 or 32";
	for (unsigned i = 0; i < sizeof(cycles) / sizeof(*cycles); i++)
		if (cycles[i] > 1000000)
			return "a number of cycles must be 0 to 1000000";
	return NULL;
}

int silex_config_check(const struct silex_config *config, char *error, size_t size)
{
	const char *what = wrong_cores(config);

	if (!what)
		what = wrong_capabilities(config);
	if (!what)
		what = wrong_pk(config);
	if (!what)
		what = wrong_timing(&config->timing);
	return what ? refuse(error, size, what) : 0;
}
