/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests for the AES and hash cores behind CryptoMaster.
 *
 * A message is one request, or several pieces with a context.  A request with `context` and `more`
 * processes a piece, and keeps the state for the next piece in the context.  The request without
 * `more` ends the message.  The caller owns the context and initialises it with zeros.  A copy of a
 * context continues from the same point.  A context contains no key, except the hash state that
 * HMAC derives from it.  Wipe it when it is no longer needed (firesteel_wipe()).  A piece that
 * fails does not change it.
 *
 * Data may have any size and alignment; data in a buffer of firesteel_buffer_new() is not copied.
 * `out` may be the same memory as `in`; otherwise they must not overlap.
 *
 * A request that fails leaves `in` unchanged, so that software can do the same work.  There are two
 * exceptions if `out` is `in`: data in a buffer of firesteel_buffer_new(), and more than
 * FIRESTEEL_WHOLE bytes, which go to the core in parts.
 */
#ifndef FIRESTEEL_SYMMETRIC_H
#define FIRESTEEL_SYMMETRIC_H

#include <stdbool.h>

#include <firesteel/types.h>

#define FIRESTEEL_WHOLE 32768u

/* Limits, in bytes */
#define FIRESTEEL_AAD_MAX     16384u /* associated data */
#define FIRESTEEL_GCM_IV      12u /* the only length of GCM's IV */
#define FIRESTEEL_GCM_TAG_MIN 12u

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

/* The state of a message of AES between its pieces */
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
 * Keys have 16, 24 or 32 bytes; XTS takes both keys, one after the other: 32 or 64 bytes.  It
 * refuses equal keys (FIRESTEEL_ERROR_INVALID).  `aad` has at most FIRESTEEL_AAD_MAX bytes
 * (otherwise FIRESTEEL_ERROR_ABSENT).  Ciphertext stealing (capabilities.cts) orders the last
 * blocks as NIST's CBC-CS2; a message of whole blocks is plain CBC.
 *
 * An encryption, or CMAC, writes its tag to `tag`; a decryption compares the tag with `expected` in
 * constant time.  If they differ it returns FIRESTEEL_ERROR_TAG and fills `out` with zeros.  A
 * decryption with GCM and without `expected` writes the computed tag to `tag`: the caller must
 * compare it, in constant time, before it trusts `out`.  A request with both is refused.
 *
 * In pieces: all but the last are multiples of 16 bytes and not empty.  The last has at least 1
 * byte for CCM, CMAC, CBC, ECB and XTS.  For CBC and XTS it has at least 17 bytes if it is not a
 * multiple of 16.  `iv` and `aad` come with the first piece, the key with each.  A decryption with
 * GCM or CCM outputs its earlier pieces before it compares the tag.  CCM needs `total`, the payload
 * size of all pieces, with each.
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

/* The state of a hash between its pieces */
struct firesteel_hash_context {
	uint8_t state[64];
	uint8_t part[128]; /* of a block */
	uint64_t size; /* of all pieces */
	bool begun; /* `state` counts */
};

/*
 * A hash, or with `hmac` an HMAC whose key may have any length.
 * Pieces may have any length, including 0.  HMAC in pieces needs the key with each.
 */
struct firesteel_hash {
	enum firesteel_digest algorithm;
	bool hmac;
	bool more;
	struct firesteel_bytes key; /* of HMAC */
	struct firesteel_bytes in;
	struct firesteel_output
		digest; /* the first bytes, from 1 to all of them; unused with `more` */
	struct firesteel_hash_context *context; /* NULL: the message is whole */
};

#endif
