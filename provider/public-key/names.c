/* SPDX-License-Identifier: Apache-2.0 */
#include "public-key/names.h"

#include <firesteel/firesteel.h>

#include "keys/decoder.h"
#include "keys/kinds.h"
#include "keys/text.h"
#include "public-key/asym.h"
#include "public-key/exchange.h"
#include "public-key/signature.h"

#define OFFER(names, functions, work) { { names, FSP_PROPERTIES, functions, NULL }, work, 0 }
#define OFFER_25519(names, functions, work) \
	{ { names, FSP_PROPERTIES, functions, NULL }, work, 1u << FIRESTEEL_CURVE25519 }
#define END { { NULL, NULL, NULL, NULL }, FSP_WORKS, 0 }

#define RSA_NAMES     "RSA:rsaEncryption:1.2.840.113549.1.1.1"
#define RSA_PSS_NAMES "RSA-PSS:RSASSA-PSS:1.2.840.113549.1.1.10"
#define DH_NAMES      "DH:dhKeyAgreement:1.2.840.113549.1.3.1"
#define DHX_NAMES     "DHX:X9.42 DH:dhpublicnumber:1.2.840.10046.2.1"

#define EC_NAMES      "EC:id-ecPublicKey:1.2.840.10045.2.1"
#define X25519_NAMES  "X25519:1.3.101.110"
#define ED25519_NAMES "ED25519:1.3.101.112"

const struct fsp_algorithm fsp_keys[] = {
	OFFER(RSA_NAMES, fsp_key_rsa, FSP_RSA),
	OFFER(RSA_PSS_NAMES, fsp_key_rsa_pss, FSP_RSA),
	OFFER(DH_NAMES, fsp_key_dh, FSP_DH),
	OFFER(DHX_NAMES, fsp_key_dhx, FSP_DH),
	/* for either of the two; it is offered once */
	OFFER(EC_NAMES, fsp_key_ec, FSP_ECDSA),
	OFFER(EC_NAMES, fsp_key_ec, FSP_ECDH),
	OFFER_25519(X25519_NAMES, fsp_key_x25519, FSP_X25519),
	OFFER_25519(ED25519_NAMES, fsp_key_ed25519, FSP_ED25519),
	END,
};

const struct fsp_algorithm fsp_signatures[] = {
	OFFER(RSA_NAMES, fsp_signature_rsa, FSP_RSA),
	OFFER("ECDSA", fsp_signature_ecdsa, FSP_ECDSA),
	OFFER_25519(ED25519_NAMES, fsp_signature_ed25519, FSP_ED25519),
	END,
};

const struct fsp_algorithm fsp_exchanges[] = {
	OFFER(DH_NAMES, fsp_exchange_dh, FSP_DH),
	OFFER("ECDH", fsp_exchange_ecdh, FSP_ECDH),
	OFFER_25519(X25519_NAMES, fsp_exchange_x25519, FSP_X25519),
	END,
};

const struct fsp_algorithm fsp_asyms[] = {
	OFFER(RSA_NAMES, fsp_asym_rsa, FSP_RSA),
	END,
};

#define TEXT(names, functions, work) \
	{ { names, FSP_PROPERTIES ",output=text", functions, NULL }, work, 0 }
#define TEXT_25519(names, functions, work)                           \
	{ { names, FSP_PROPERTIES ",output=text", functions, NULL }, \
	  work,                                                      \
	  1u << FIRESTEEL_CURVE25519 }

const struct fsp_algorithm fsp_encoders[] = {
	TEXT(RSA_NAMES, fsp_text_rsa, FSP_RSA),
	TEXT(RSA_PSS_NAMES, fsp_text_rsa_pss, FSP_RSA),
	TEXT(DH_NAMES, fsp_text_dh, FSP_DH),
	TEXT(DHX_NAMES, fsp_text_dhx, FSP_DH),
	/* as of keys */
	TEXT(EC_NAMES, fsp_text_ec, FSP_ECDSA),
	TEXT(EC_NAMES, fsp_text_ec, FSP_ECDH),
	TEXT_25519(X25519_NAMES, fsp_text_x25519, FSP_X25519),
	TEXT_25519(ED25519_NAMES, fsp_text_ed25519, FSP_ED25519),
	END,
};

#define DECODE(names, functions, work) \
	{ { names, FSP_PROPERTIES ",input=der,structure=type-specific", functions, NULL }, work, 0 }

const struct fsp_algorithm fsp_decoders[] = {
	DECODE(DH_NAMES, fsp_decoder_dh, FSP_DH),
	END,
};
