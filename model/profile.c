/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * What is known of parts.  Sources: nrf54l15_application.svd, efr32mg22_cryptoacc.h, and the public
 * drivers of Nordic (sdk-nrf, silexpk and sxsymcrypt), Silicon Labs (libcryptosoc) and Microchip
 * (Trusted Firmware for LAN969x).  docs/programming-model.md, "Profiles", says which values are
 * assumptions because no source has them.
 */
#include "profile.h"

#include "../silex/ba413.h"
#include "../silex/ba414.h"
#include "../silex/soc.h"

#define HASHES                                                                 \
	(SILEX_HASH_ALG_SHA1 | SILEX_HASH_ALG_SHA224 | SILEX_HASH_ALG_SHA256 | \
	 SILEX_HASH_ALG_SHA384 | SILEX_HASH_ALG_SHA512)
#define PADDED_HMAC (SILEX_HASH_CAPS_PAD | SILEX_HASH_CAPS_HMAC)

#define CURVES                                                                      \
	(SILEX_PK_HWCONFIG_P192 | SILEX_PK_HWCONFIG_P256 | SILEX_PK_HWCONFIG_P384 | \
	 SILEX_PK_HWCONFIG_P521 | SILEX_PK_HWCONFIG_25519)

/* nRF54L15: PRESENCE reads 0x771 */
#define CRACEN_OTHERS \
	(SILEX_PRESENCE_CHACHA | SILEX_PRESENCE_SHA3 | SILEX_PRESENCE_SM4 | SILEX_PRESENCE_RNG)

/* Assumption: what VERSION reads is not public; drivers do not look at it */
#define PK_VERSION 0x00010000u

static const struct silex_profile profiles[] = {
	/* no silicon: all that the model does, and what every known driver relies on */
	{ "firesteel",
	  { .cryptomaster = true,
	    .aes = true,
	    .aes_caps = SILEX_AES_CAPS_MODES | SILEX_AES_CAPS_CTS | SILEX_AES_CAPS_KEYS,
	    .aes_counter_bits = 128,
	    .hash_caps = HASHES | PADDED_HMAC,
	    .length_bits = 28,
	    .pk = true,
	    .pk_max_bytes = 512, /* 4096 bits: the largest keys of the published rows */
	    .pk_multipliers = 16, /* argued in docs/pk-timing.md */
	    .pk_curves = CURVES,
	    .pk_features = SILEX_PK_HWCONFIG_GF_P | SILEX_PK_HWCONFIG_NO_SM,
	    .pk_protection = true,
	    .pk_infinity = true,
	    .pk_bad_order = true,
	    .pk_version = PK_VERSION } },

	{ "nrf54l15",
	  { .cryptomaster = true,
	    .aes = true,
	    .hash = true,
	    .presence_others = CRACEN_OTHERS,
	    .aes_caps = 0x070301ff,
	    .aes_counter_bits = 128,
	    .hash_caps = 0x0003003f,
	    .sm4_caps = 0x000201ff,
	    .length_bits = 24,
	    .push_end = true,
	    .back_pressure = true,
	    .pk = true, /* HWCONFIG reads 0x01f72200 */
	    .pk_max_bytes = 512,
	    .pk_multipliers = 16,
	    .pk_curves = CURVES,
	    .pk_features = SILEX_PK_HWCONFIG_GF_P | SILEX_PK_HWCONFIG_GF_2M |
			   SILEX_PK_HWCONFIG_RAM_ECC,
	    .pk_protection = true,
	    .pk_infinity = true,
	    .pk_version = PK_VERSION,
	    .pk_microcode = 5120 } },

	{ "nrf54lm20a",
	  { .cryptomaster = true,
	    .aes = true,
	    .hash = true,
	    .presence_others = CRACEN_OTHERS,
	    .aes_caps = 0x070301ff,
	    .aes_counter_bits = 128,
	    .hash_caps = 0x0003003f,
	    .sm4_caps = 0x000201ff,
	    .length_bits = 24,
	    .push_end = true,
	    .back_pressure = true,
	    .pk = true,
	    .pk_max_bytes = 512,
	    .pk_multipliers = 16,
	    .pk_curves = CURVES,
	    .pk_features = SILEX_PK_HWCONFIG_GF_P | SILEX_PK_HWCONFIG_GF_2M |
			   SILEX_PK_HWCONFIG_RAM_ECC,
	    .pk_protection = true,
	    .pk_infinity = true,
	    .pk_words = true,
	    .pk_version = PK_VERSION } },

	{ "efr32mg22",
	  { .cryptomaster = true,
	    .aes = true,
	    .hash = true,
	    .presence_others = SILEX_PRESENCE_RNG, /* PRESENCE reads 0x611 */
	    .aes_caps = 0x0700017f,
	    .aes_counter_bits = 128,
	    .hash_caps = 0x0003007f,
	    .sha3_caps = 0x00000001,
	    .sm4_caps = 0x0000005f,
	    .length_bits = 28,
	    .push_end = true,
	    .pk = true,
	    .pk_max_bytes = 512,
	    .pk_multipliers = 1,
	    .pk_curves = CURVES,
	    .pk_features = SILEX_PK_HWCONFIG_GF_P | SILEX_PK_HWCONFIG_GF_2M |
			   SILEX_PK_HWCONFIG_NO_SM,
	    .pk_protection = true,
	    .pk_fail_pointer_old = true,
	    .pk_infinity = true,
	    .pk_version = PK_VERSION,
	    .pk_microcode = 8192 } },

	{ "lan969x",
	  { .cryptomaster = true,
	    .aes = true,
	    .hash = true,
	    .aes_caps = 0x070101ff,
	    .aes_counter_bits = 128,
	    .hash_caps = HASHES | PADDED_HMAC,
	    .length_bits = 24,
	    .push_end = true,
	    .pk = true,
	    .pk_max_bytes = 512,
	    .pk_multipliers = 1,
	    .pk_curves = CURVES,
	    .pk_features = SILEX_PK_HWCONFIG_GF_P | SILEX_PK_HWCONFIG_GF_2M,
	    .pk_protection = true,
	    .pk_bad_order = true,
	    .pk_version = PK_VERSION } },
};

const struct silex_profile *silex_profile(unsigned index)
{
	return index < sizeof(profiles) / sizeof(*profiles) ? &profiles[index] : NULL;
}
