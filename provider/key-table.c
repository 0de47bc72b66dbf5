/* SPDX-License-Identifier: Apache-2.0 */
/* Public keys, and what is done with them, by name. */
#include "key-table.h"

#include "decoder.h"

#define OFFER(names, functions, work) { { names, "provider=firesteel", functions, NULL }, work, 0 }
#define END                           { { NULL, NULL, NULL, NULL }, FSP_WORKS, 0 }

#define RSA_NAMES "RSA:rsaEncryption:1.2.840.113549.1.1.1"
#define DH_NAMES  "DH:dhKeyAgreement:1.2.840.113549.1.3.1"
#define DHX_NAMES "DHX:X9.42 DH:dhpublicnumber:1.2.840.10046.2.1"

const struct fsp_algorithm fsp_keys[] = {
	OFFER(RSA_NAMES, fsp_key_rsa, FSP_RSA),
	OFFER("RSA-PSS:RSASSA-PSS:1.2.840.113549.1.1.10", fsp_key_rsa_pss, FSP_RSA),
	OFFER(DH_NAMES, fsp_key_dh, FSP_DH),
	OFFER(DHX_NAMES, fsp_key_dhx, FSP_DH),
	END,
};

const struct fsp_algorithm fsp_signatures[] = {
	OFFER(RSA_NAMES, fsp_signature_rsa, FSP_RSA),
	END,
};

const struct fsp_algorithm fsp_exchanges[] = {
	OFFER(DH_NAMES, fsp_exchange_dh, FSP_DH),
	END,
};

const struct fsp_algorithm fsp_asyms[] = {
	OFFER(RSA_NAMES, fsp_asym_rsa, FSP_RSA),
	END,
};

#define DECODE(names, functions, work)                                                        \
	{ { names, "provider=firesteel,input=der,structure=type-specific", functions, NULL }, \
	  work,                                                                               \
	  0 }

const struct fsp_algorithm fsp_decoders[] = {
	DECODE(DH_NAMES, fsp_decoder_dh, FSP_DH),
	END,
};
