/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests for the AES and hash cores behind CryptoMaster.
 *
 * A message goes in one request, or in pieces with a context: a request with `context` and `more`
 * takes a piece and keeps in the context what the next one needs; the request without `more` ends
 * the message.  A context begins as zeros, is the caller's, may be copied to go on twice from the
 * same place, holds no key but what an HMAC makes of it, and is to be wiped when it is no longer
 * needed (firesteel_wipe()).  A piece that fails leaves it as it was.
 *
 * Data may be of any size and lie anywhere; what lies in a buffer of firesteel_buffer_new() is not
 * copied.  `out` may be where `in` is; otherwise they must not overlap.
 *
 * A request that fails leaves `in` as it was, so that the same can be done in software, but for two
 * cases where `out` is where `in` is: data in a buffer of firesteel_buffer_new(), and more than
 * FIRESTEEL_WHOLE bytes, which go to the core in parts.
 */
#ifndef FIRESTEEL_SYMMETRIC_H
#define FIRESTEEL_SYMMETRIC_H

#include <stdbool.h>

#include <firesteel/types.h>

#define FIRESTEEL_WHOLE 32768u

enum firesteel_mode {
	FIRESTEEL_ECB,
	FIRESTEEL_CBC,
	FIRESTEEL_CTR,
	FIRESTEEL_CFB, /* of 128 bits */
	FIRESTEEL_OFB,
	FIRESTEEL_CCM,
	FIRESTEEL_GCM,
	FIRESTEEL_XTS,
	FIRESTEEL_CMAC,
	FIRESTEEL_MODES
};

/* What a message of AES needs between its pieces */
struct firesteel_cipher_context {
	uint8_t opaque[32];
	uint64_t aad_size;
	uint64_t payload_size;
	bool begun;
};

/*
 * AES.
 *
 *	mode		iv			in: a whole message	aad, tag
 *	ECB		none			multiple of 16
 *	CBC		16			multiple of 16; 17 or more with CTS
 *	CTR, CFB, OFB	16			any
 *	XTS		16 (the tweak)		16 or more; multiple of 16 without CTS
 *	GCM		12			any			yes; tag 12 to 16
 *	CCM		7 to 13 (the nonce)	any			yes; tag 4, 6, ... 16
 *	CMAC		none			any, no output		tag 1 to 16
 *
 * Keys have 16, 24 or 32 bytes; XTS takes both keys, one after the other: 32 or 64 bytes, and
 * refuses equal ones (FIRESTEEL_ERROR_INVALID).  `aad` has at most 16384 bytes; longer ones the library
 * does not take (FIRESTEEL_ERROR_ABSENT).  Ciphertext stealing (capabilities.cts) orders the last
 * blocks as NIST's CBC-CS2; a message of whole blocks is plain CBC.
 *
 * `tag` is where an encryption, or CMAC, puts its tag; a decryption compares with `expected` in
 * constant time, and with FIRESTEEL_ERROR_TAG gives nothing: `out` then holds zeros.
 * A decryption with GCM that has no `expected` puts the tag that it computed into `tag`: the caller
 * compares, in constant time, before it believes what is in `out`.  Both at once are refused.
 *
 * In pieces: all but the last are multiples of 16 bytes and not empty; the last has for CBC and XTS
 * at least 17 bytes if it is no multiple of 16, for CMAC, CBC, ECB and XTS at least 1.  `iv` and
 * `aad` come with the first piece, the key with each.  A decryption with GCM or CCM has given away
 * its earlier pieces before the tag is compared.  CCM needs `total`, the payload of all pieces,
 * with each.
 */
struct firesteel_cipher {
	enum firesteel_mode mode;
	bool decrypt;
	bool more;
	struct firesteel_bytes key;
	struct firesteel_bytes iv;
	struct firesteel_bytes aad;
	struct firesteel_bytes in;
	struct firesteel_output out; /* as long as `in` */
	struct firesteel_output tag;
	struct firesteel_bytes expected;
	struct firesteel_cipher_context *context; /* NULL: the message is whole */
	uint64_t total;
};

enum firesteel_digest {
	FIRESTEEL_SHA1,
	FIRESTEEL_SHA224,
	FIRESTEEL_SHA256,
	FIRESTEEL_SHA384,
	FIRESTEEL_SHA512,
	FIRESTEEL_DIGESTS
};

/* What a hash needs between its pieces */
struct firesteel_hash_context {
	uint8_t state[64];
	uint8_t part[128]; /* of a block */
	uint64_t size; /* of all pieces */
	bool begun; /* `state` counts */
};

/*
 * A hash, or with `hmac` an HMAC whose key may have any length.
 * Pieces may have any length, none as well.  HMAC in pieces needs the key with each.
 */
struct firesteel_hash {
	enum firesteel_digest algorithm;
	bool hmac;
	bool more;
	struct firesteel_bytes key; /* of HMAC */
	struct firesteel_bytes in;
	struct firesteel_output
		digest; /* 1 byte to all of it: the first ones; unused with `more` */
	struct firesteel_hash_context *context; /* NULL: the message is whole */
};

#endif
