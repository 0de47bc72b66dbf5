/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * A wolfCrypt with other options may have larger structures than the headers say.  So objects lie
 * in far more memory than they need, and what is behind them must stay as it was.
 */
#include "layout.h"

#include <wolfssl/options.h>

#include <stdalign.h>
#include <string.h>

#include <firesteel/wolfssl.h>
#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/sha256.h>
#include <wolfssl/wolfcrypt/sha512.h>

/* Many times what the objects take by the headers */
#define ROOM  65536u
#define GUARD 0xa5

static alignas(64) byte room[ROOM];
static const byte key[32] = { 1, 2, 3 };

/* Memory for an object of so many bytes, which are 0 */
static void *place(size_t size)
{
	memset(room, 0, size);
	memset(room + size, GUARD, ROOM - size);
	return room;
}

static bool ends_after(size_t size)
{
	for (size_t i = size; i < ROOM; i++)
		if (room[i] != GUARD)
			return false;
	return true;
}

static bool aes_is_known(void)
{
	Aes *aes = place(sizeof(*aes));
	bool known;

	if (wc_AesInit(aes, NULL, FIRESTEEL_WOLFSSL_DEVICE_ID) != 0)
		return false;
	known = wc_AesSetKey(aes, key, sizeof(key), key, AES_ENCRYPTION) == 0 &&
		aes->keylen == sizeof(key) && memcmp(aes->devKey, key, sizeof(key)) == 0 &&
		memcmp(aes->reg, key, AES_BLOCK_SIZE) == 0 && aes->left == 0 &&
		ends_after(sizeof(*aes));
	wc_AesFree(aes);
	return known;
}

static bool sha256_is_known(void)
{
	wc_Sha256 *sha256 = place(sizeof(*sha256));
	bool known;

	if (wc_InitSha256_ex(sha256, NULL, INVALID_DEVID) != 0)
		return false;
	known = wc_Sha256Update(sha256, key, 3) == 0 && sha256->buffLen == 3 &&
		sha256->loLen == 3 && ends_after(sizeof(*sha256));
	wc_Sha256Free(sha256);
	return known;
}

static bool sha512_is_known(void)
{
	wc_Sha512 *sha512 = place(sizeof(*sha512));
	bool known;

	if (wc_InitSha512_ex(sha512, NULL, INVALID_DEVID) != 0)
		return false;
	known = wc_Sha512Update(sha512, key, 3) == 0 && sha512->buffLen == 3 &&
		sha512->loLen == 3 && ends_after(sizeof(*sha512));
	wc_Sha512Free(sha512);
	return known;
}

bool fsw_layout_is_known(void)
{
	return aes_is_known() && sha256_is_known() && sha512_is_known();
}
