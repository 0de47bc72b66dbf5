/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "config.h"

#include <stdio.h>

#include "../silex/ba413.h"
#include "../silex/ba414.h"
#include "../silex/cryptomaster.h"
#include "../silex/soc.h"

#define AES_CAPS_ALL (SILEX_AES_CAPS_MODES | SILEX_AES_CAPS_CTS | SILEX_AES_CAPS_KEYS)
#define HASH_CAPS_ALL                                                          \
	(SILEX_HASH_ALG_SHA1 | SILEX_HASH_ALG_SHA224 | SILEX_HASH_ALG_SHA256 | \
	 SILEX_HASH_ALG_SHA384 | SILEX_HASH_ALG_SHA512 | SILEX_HASH_CAPS_PAD | \
	 SILEX_HASH_CAPS_HMAC)
#define P521_BYTES 66u

#define CURVES_ALL                                                                  \
	(SILEX_PK_HWCONFIG_P192 | SILEX_PK_HWCONFIG_P256 | SILEX_PK_HWCONFIG_P384 | \
	 SILEX_PK_HWCONFIG_P521 | SILEX_PK_HWCONFIG_25519)

/* Assumption: what VERSION reads is not public; drivers do not look at it */
#define PK_VERSION 0x00010000u

void silex_config_default(struct silex_config *config)
{
	*config = (struct silex_config){
		.cryptomaster = true,
		.aes = true,
		.aes_caps = AES_CAPS_ALL,
		.aes_counter_bits = 128,
		.hash_caps = HASH_CAPS_ALL,
		.bypass_engine = SILEX_ENGINE_BYPASS,
		.pk = true,
		.pk_max_bytes = 512, /* 4096 bits: the largest keys of the published rows */
		.pk_multipliers = 16, /* argued in docs/pk-timing.md */
		.pk_curves = CURVES_ALL,
		.pk_protection = true,
		.pk_version = PK_VERSION,
	};
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
	if (config->bypass_engine != SILEX_ENGINE_BYPASS &&
	    config->bypass_engine != SILEX_ENGINE_BYPASS_OLD)
		return "bypass_engine must be 0 or 15";
	return NULL;
}

static const char *wrong_capabilities(const struct silex_config *config)
{
	if (config->aes_caps & ~AES_CAPS_ALL)
		return "aes_caps may have the bits 0x070101ff";
	if (config->aes_counter_bits < 1 || config->aes_counter_bits > 128)
		return "aes_counter_bits must be 1 to 128";
	if (config->hash_caps & ~HASH_CAPS_ALL)
		return "hash_caps may have the bits 0x0003003e";
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
