/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of digests, HMAC and CMAC. */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "sequences.h"

static uint8_t text[SEQUENCE_BYTES], out[2][128];

static void outputs_alike(void)
{
	sequence_fill(out[0], sizeof(out[0]));
	memcpy(out[1], out[0], sizeof(out[0]));
}

/* ---- digests ---- */

static void copy_digest(EVP_MD_CTX *contexts[2])
{
	int good[2];

	sequence_note("copy");
	for (unsigned i = 0; i < 2; i++) {
		EVP_MD_CTX *copy = EVP_MD_CTX_new();

		CHECK(copy);
		good[i] = EVP_MD_CTX_copy_ex(copy, contexts[i]);
		EVP_MD_CTX_free(contexts[i]);
		contexts[i] = copy;
	}
	sequence_same(good[0], good[1], "a copy");
}

static void end_digest(EVP_MD_CTX *contexts[2])
{
	unsigned got[2] = { 0 };
	int good[2];

	sequence_note("final");
	outputs_alike();
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_DigestFinal_ex(contexts[i], out[i], &got[i]);
	sequence_same(good[0], good[1], "final");
	sequence_same(got[0], got[1], "the size of a digest");
	sequence_same_bytes(out[0], out[1], sizeof(out[0]), "a digest");
}

static void update_digest(EVP_MD_CTX *contexts[2])
{
	int size = sequence_size(), good[2];

	sequence_note("update: %d bytes", size);
	sequence_fill(text, (size_t)size);
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_DigestUpdate(contexts[i], size ? text : NULL, (size_t)size);
	sequence_same(good[0], good[1], "an update");
}

static void control_digest(EVP_MD_CTX *contexts[2])
{
	int size = sequence_once_in(3) ? 48 : (int)sequence_random(64), good[2];

	sequence_note("SSL3_MASTER_SECRET: %d bytes", size);
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_MD_CTX_ctrl(contexts[i], EVP_CTRL_SSL3_MASTER_SECRET, size, text);
	sequence_same(good[0], good[1], "a control");
}

static void init_digest(EVP_MD_CTX *contexts[2], EVP_MD *const digests[2])
{
	bool again = sequence_once_in(2);
	int good[2];

	sequence_note("init, digest %d", again);
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_DigestInit_ex2(contexts[i], again ? digests[i] : NULL, NULL);
	sequence_same(good[0], good[1], "init");
}

static void step_digest(EVP_MD_CTX *contexts[2], EVP_MD *const digests[2])
{
	switch (sequence_random(10)) {
	case 0:
		init_digest(contexts, digests);
		break;
	case 1:
		end_digest(contexts);
		break;
	case 2:
		copy_digest(contexts);
		break;
	case 3:
		control_digest(contexts);
		break;
	default:
		update_digest(contexts);
	}
}

void sequence_of_digest(const struct unit *unit)
{
	static const char *const names[] = { "SHA1",   "SHA224", "SHA256",
					     "SHA384", "SHA512", "SSL3-SHA1" };
	const char *name = names[sequence_random(COUNT(names))];
	EVP_MD_CTX *contexts[2];
	EVP_MD *digests[2];

	sequence_note("%s", name);
	for (unsigned i = 0; i < 2; i++) {
		digests[i] = EVP_MD_fetch(unit->library, name, WHOSE(!i));
		contexts[i] = EVP_MD_CTX_new();
		CHECK(digests[i] && contexts[i]);
		CHECK(EVP_DigestInit_ex2(contexts[i], digests[i], NULL));
	}
	for (unsigned i = sequence_random(SEQUENCE_STEPS); i > 0; i--)
		step_digest(contexts, digests);
	for (unsigned i = 0; i < 2; i++) {
		EVP_MD_CTX_free(contexts[i]);
		EVP_MD_free(digests[i]);
	}
}

/* ---- MACs ---- */

struct macs {
	EVP_MAC_CTX *contexts[2];
	bool cmac;
	bool begun; /* since the last end */
	bool lost; /* what is below, since a name was refused */
};

/* What is below the MAC, as a parameter that may be wrong; false: nothing */
static bool take_below(const struct macs *macs, OSSL_PARAM *param)
{
	static const char *const texts[2][7] = {
		{ "SHA256", "SHA1", "SHA2-512", "SSL3-SHA1", "SHA3-256", "NO-DIGEST", "" },
		{ "AES-128-CBC", "AES256", "AES-192-CBC", "CAMELLIA-128-CBC", "AES-128-GCM",
		  "NO-CIPHER", "" },
	};
	unsigned which = sequence_once_in(3) && !macs->lost ? sequence_random(7)
							    : sequence_random(3);

	if (sequence_once_in(3) && !macs->lost)
		return false;
	sequence_note("  below: '%s'", texts[macs->cmac][which]);
	*param = OSSL_PARAM_construct_utf8_string(macs->cmac ? OSSL_MAC_PARAM_CIPHER
							     : OSSL_MAC_PARAM_DIGEST,
						  (char *)(uintptr_t)texts[macs->cmac][which], 0);
	return true;
}

/* After a name that was refused, or at first, with a name and a key (a name that is refused) */
static void begin_mac(struct macs *macs)
{
	static const unsigned sizes[] = { 16, 16, 32, 24, 0, 1, 63, 64, 65, 129, 200 };
	uint8_t key[200];
	unsigned size = sizes[sequence_random(COUNT(sizes))], count = 0;
	bool by_param = sequence_once_in(5), keyed = macs->lost || !sequence_once_in(3);
	OSSL_PARAM params[3];
	int good[2];

	sequence_note("init: key %d, %u bytes, as a parameter %d", keyed, size, by_param);
	/* A digest or cipher without a key (a new digest or cipher) */
	if (keyed && take_below(macs, &params[count]))
		count++;
	sequence_fill(key, sizeof(key));
	if (keyed && by_param)
		params[count++] = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key, size);
	params[count] = OSSL_PARAM_construct_end();
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_MAC_init(macs->contexts[i], keyed && !by_param ? key : NULL,
				       keyed && !by_param ? size : 0, params);
	sequence_same(good[0], good[1], "init");
	macs->begun = good[0];
	macs->lost = !good[0];
}

static void update_mac(struct macs *macs)
{
	int size = sequence_size(), good[2];

	sequence_note("update: %d bytes", size);
	sequence_fill(text, (size_t)size);
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_MAC_update(macs->contexts[i], size ? text : NULL, (size_t)size);
	sequence_same(good[0], good[1], "an update");
}

static void end_mac(struct macs *macs)
{
	size_t got[2] = { 0 }, room = sequence_once_in(4) ? sequence_random(70) : sizeof(out[0]);
	bool told = sequence_once_in(5);
	int good[2];

	sequence_note("final: room for %zu bytes, size alone %d", room, told);
	outputs_alike();
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_MAC_final(macs->contexts[i], told ? NULL : out[i], &got[i], room);
	sequence_same(good[0], good[1], "final");
	macs->begun &= told || !good[0];
	if (!good[0])
		return;
	sequence_same((long)got[0], (long)got[1], "the size of a MAC");
	sequence_same_bytes(out[0], out[1], sizeof(out[0]), "a MAC");
}

static void copy_mac(struct macs *macs)
{
	EVP_MAC_CTX *copies[2];

	sequence_note("dup");
	for (unsigned i = 0; i < 2; i++)
		copies[i] = EVP_MAC_CTX_dup(macs->contexts[i]);
	sequence_same(copies[0] != NULL, copies[1] != NULL, "a copy");
	for (unsigned i = 0; i < 2 && copies[0]; i++) {
		EVP_MAC_CTX_free(macs->contexts[i]);
		macs->contexts[i] = copies[i];
	}
}

static void sizes_of_mac(const struct macs *macs)
{
	sequence_note("sizes");
	sequence_same((long)EVP_MAC_CTX_get_mac_size(macs->contexts[0]),
		      (long)EVP_MAC_CTX_get_mac_size(macs->contexts[1]), "a MAC's size");
	sequence_same((long)EVP_MAC_CTX_get_block_size(macs->contexts[0]),
		      (long)EVP_MAC_CTX_get_block_size(macs->contexts[1]), "a block's size");
}

/* The MAC of a TLS record ends a sequence: the default provider's context has one (records of HMAC) */
static void record_of_mac(struct macs *macs)
{
	size_t size = 1 + sequence_random(300), hidden = size + sequence_random(256);
	OSSL_PARAM params[3] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char[]){ "SHA256" }, 0),
		OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_TLS_DATA_SIZE, &hidden),
		OSSL_PARAM_construct_end(),
	};
	uint8_t key[32];
	int good[2];

	sequence_note("record: %zu bytes of %zu", size, hidden);
	sequence_fill(key, sizeof(key));
	sequence_fill(text, size + 13);
	for (unsigned i = 0; i < 2; i++) {
		size_t got;

		memset(out[i], 0, sizeof(out[i]));
		good[i] = EVP_MAC_init(macs->contexts[i], key, sizeof(key), params) &&
			  EVP_MAC_update(macs->contexts[i], text, 13) &&
			  EVP_MAC_update(macs->contexts[i], text + 13, size) &&
			  EVP_MAC_final(macs->contexts[i], out[i], &got, sizeof(out[i]));
	}
	sequence_same(good[0], good[1], "a record");
	sequence_same_bytes(out[0], out[1], sizeof(out[0]), "a record's MAC");
}

static void step_mac(struct macs *macs)
{
	/* After its end, or what was refused, a MAC is begun anew (the end of a MAC) */
	switch (macs->begun ? sequence_random(10) : 0) {
	case 0:
		begin_mac(macs);
		break;
	case 1:
		end_mac(macs);
		break;
	case 2:
		copy_mac(macs);
		break;
	case 3:
		sizes_of_mac(macs);
		break;
	default:
		update_mac(macs);
	}
}

void sequence_of_mac(const struct unit *unit)
{
	struct macs macs = { .cmac = sequence_once_in(2), .lost = true };

	sequence_note("%s", macs.cmac ? "CMAC" : "HMAC");
	for (unsigned i = 0; i < 2; i++) {
		EVP_MAC *mac = EVP_MAC_fetch(unit->library, macs.cmac ? "CMAC" : "HMAC", WHOSE(!i));

		macs.contexts[i] = mac ? EVP_MAC_CTX_new(mac) : NULL;
		CHECK(macs.contexts[i]);
		EVP_MAC_free(mac);
	}
	begin_mac(&macs);
	for (unsigned i = sequence_random(SEQUENCE_STEPS); i > 0; i--)
		step_mac(&macs);
	if (!macs.cmac && sequence_once_in(3))
		record_of_mac(&macs);
	for (unsigned i = 0; i < 2; i++)
		EVP_MAC_CTX_free(macs.contexts[i]);
}
