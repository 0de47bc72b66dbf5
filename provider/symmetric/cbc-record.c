/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of TLS 1.0 to 1.2 and DTLS with CBC: libssl leaves padding, and the removal of padding
 * and MAC, to the provider.
 *
 * Whoever changes a record on its way must not learn whether padding or MAC was wrong (Vaudenay;
 * "Lucky Thirteen"): so neither the time nor the memory touched depends on the padding, and with
 * wrong padding libssl gets a MAC that nobody can guess in the place of the record's.
 */
#include "symmetric/cbc-record.h"

#include <string.h>

#include <openssl/prov_ssl.h>
#include <openssl/proverr.h>

#include "base/constant-time.h"
#include "base/error.h"

static bool failed(void)
{
	return fsp_failed(PROV_R_CIPHER_OPERATION_FAILED);
}

/* Whether the last bytes are padding, all of the same value; the record is longer than `least` */
static size_t mask_padded(const uint8_t *record, size_t size, size_t least)
{
	size_t padding = record[size - 1], wrong = 0, good = ~fsp_mask_less(size, least + padding);
	size_t most = size < 256 ? size : 256;

	for (size_t i = 0; i < most; i++)
		wrong |= ~fsp_mask_less(padding, i) & (padding ^ record[size - 1 - i]);
	return good & fsp_mask_equal(wrong, 0);
}

/*
 * Takes the MAC that ends at `end` out of a record of `size` bytes, for all ends at once: first
 * rotated by an amount that is secret, then back.
 */
static void take_mac(struct fsp_cipher *cipher, const uint8_t *record, size_t size, size_t end)
{
	size_t length = cipher->mac_size, start = end - length, turn = 0, inside = 0;
	size_t from = size > length + 256 ? size - (length + 256) : 0;
	uint8_t rotated[EVP_MAX_MD_SIZE] = { 0 };

	for (size_t i = from, j = 0; i < size; i++) {
		size_t begins = fsp_mask_equal(i, start);

		inside = (inside | begins) & fsp_mask_less(i, end);
		turn |= j & begins;
		rotated[j++] |= record[i] & (uint8_t)inside;
		j &= fsp_mask_less(j, length);
	}
	for (size_t i = 0; i < length; i++) {
		size_t index = turn + i, byte = 0;

		index -= length & ~fsp_mask_less(index, length);
		for (size_t j = 0; j < length; j++)
			byte |= rotated[j] & fsp_mask_equal(j, index);
		cipher->mac[i] = (uint8_t)byte;
	}
	firesteel_wipe(rotated, sizeof(rotated));
}

static bool strip(struct fsp_cipher *cipher, const uint8_t *record, size_t *size)
{
	size_t least = cipher->mac_size + 1, good, end;

	if (*size < least)
		return failed(); /* everyone can see that */
	good = mask_padded(record, *size, least);
	end = *size - (good & ((size_t)record[*size - 1] + 1));
	if (cipher->mac_size == 0) {
		/* Encrypt-then-MAC: it was authentic, so this is no secret */
		*size = end;
		return good || failed();
	}
	take_mac(cipher, record, *size, end);
	for (size_t i = 0; i < cipher->mac_size; i++)
		cipher->mac[i] = (uint8_t)((cipher->mac[i] & good) | (cipher->no_mac[i] & ~good));
	*size = end - cipher->mac_size;
	return true;
}

/* From TLS 1.1 on a record begins with its IV */
static bool has_own_iv(unsigned version)
{
	return version != TLS1_VERSION;
}

static bool open_record(struct fsp_cipher *cipher, uint8_t *record, size_t *size)
{
	size_t iv = has_own_iv(cipher->tls_version) ? FSP_BLOCK : 0;

	if (*size == 0 || *size % FSP_BLOCK || *size < iv)
		return failed();
	if (!fsp_cipher_blocks(cipher, record, record, *size))
		return false;
	*size -= iv;
	return strip(cipher, record + iv, size);
}

bool fsp_cbc_record(struct fsp_cipher *cipher, uint8_t *record, size_t *size, size_t capacity)
{
	size_t padding = FSP_BLOCK - *size % FSP_BLOCK;

	if (cipher->decrypt)
		return open_record(cipher, record, size);
	if (!fsp_fits(capacity, *size + padding))
		return false;
	memset(record + *size, (int)padding - 1, padding);
	*size += padding;
	return fsp_cipher_blocks(cipher, record, record, *size);
}
