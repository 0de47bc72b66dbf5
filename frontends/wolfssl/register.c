/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The device of wolfCrypt's crypto callbacks: registered, called, counted. */
#include <wolfssl/options.h>

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wolfssl/ssl.h>
#include <wolfssl/version.h>
#include <wolfssl/wolfcrypt/wc_port.h>

#include "cipher.h"
#include "curve25519.h"
#include "device.h"
#include "ecc-trial.h"
#include "ecc.h"
#include "frontends/common/size.h"
#include "hash.h"
#include "layout.h"
#include "lib/cancel.h"
#include "policy.h"
#include "rsa.h"

#define CIPHER { fsw_cipher_trial, fsw_cipher_break_even }
#define HASH   { fsw_hash_trial, fsw_hash_break_even }
#define EC     { fsw_ecc_trial, NULL }

static const struct fsw_task_kind kinds[FIRESTEEL_WOLFSSL_WORKS] = {
	[FIRESTEEL_WOLFSSL_ECB] = CIPHER,
	[FIRESTEEL_WOLFSSL_CBC] = CIPHER,
	[FIRESTEEL_WOLFSSL_CTR] = CIPHER,
	[FIRESTEEL_WOLFSSL_GCM] = CIPHER,
	[FIRESTEEL_WOLFSSL_CCM] = CIPHER,
	[FIRESTEEL_WOLFSSL_SHA1] = HASH,
	[FIRESTEEL_WOLFSSL_SHA256] = HASH,
	[FIRESTEEL_WOLFSSL_SHA512] = HASH,
	[FIRESTEEL_WOLFSSL_RSA_PRIVATE] = { fsw_rsa_trial, NULL },
	[FIRESTEEL_WOLFSSL_RSA_PUBLIC] = { fsw_rsa_trial, NULL },
	[FIRESTEEL_WOLFSSL_ECDSA_SIGN] = EC,
	[FIRESTEEL_WOLFSSL_ECDSA_VERIFY] = EC,
	[FIRESTEEL_WOLFSSL_ECDH] = EC,
	[FIRESTEEL_WOLFSSL_EC_KEY] = EC,
	[FIRESTEEL_WOLFSSL_X25519] = { fsw_x25519_trial, NULL },
	[FIRESTEEL_WOLFSSL_ED25519_SIGN] = { fsw_ed25519_trial, NULL },
	[FIRESTEEL_WOLFSSL_ED25519_VERIFY] = { fsw_ed25519_trial, NULL },
};

/* ---- what wolfCrypt calls ---- */

static int public_key(struct fsw_device *device, wc_CryptoInfo *info)
{
	switch (info->pk.type) {
	case WC_PK_TYPE_RSA:
		return fsw_rsa(device, info);
	case WC_PK_TYPE_ECDSA_SIGN:
		return fsw_ecdsa_sign(device, info);
	case WC_PK_TYPE_ECDSA_VERIFY:
		return fsw_ecdsa_verify(device, info);
	case WC_PK_TYPE_ECDH:
		return fsw_ecdh(device, info);
	case WC_PK_TYPE_EC_KEYGEN:
		return fsw_ec_key(device, info);
	case WC_PK_TYPE_CURVE25519:
		return fsw_x25519(device, info);
	case WC_PK_TYPE_CURVE25519_KEYGEN:
		return fsw_x25519_key(device, info);
	case WC_PK_TYPE_ED25519_SIGN:
		return fsw_ed25519_sign(device, info);
	case WC_PK_TYPE_ED25519_VERIFY:
		return fsw_ed25519_verify(device, info);
	default:
		return CRYPTOCB_UNAVAILABLE;
	}
}

static int callback(int id, wc_CryptoInfo *info, void *context)
{
	struct fsw_device *device = context;

	(void)id;
	if (!info)
		return CRYPTOCB_UNAVAILABLE;
	switch (info->algo_type) {
	case WC_ALGO_TYPE_CIPHER:
		return fsw_cipher(device, info);
	case WC_ALGO_TYPE_HASH:
		return fsw_hash(device, info);
	case WC_ALGO_TYPE_PK:
		return public_key(device, info);
	default:
		return CRYPTOCB_UNAVAILABLE;
	}
}

/* ---- the one device ---- */

static struct {
	pthread_mutex_t lock;
	atomic_uint users;
	struct fsw_device device;
} only = { .lock = PTHREAD_MUTEX_INITIALIZER };

__attribute__((format(printf, 3, 4))) static int fail(char *message, int error, const char *format,
						      ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (message)
		vsnprintf(message, FIRESTEEL_MESSAGE_SIZE, format, arguments);
	va_end(arguments);
	return error;
}

static int read_use(bool *always, char *message)
{
	const char *use = secure_getenv("FIRESTEEL_WOLFSSL_USE");

	*always = use && strcmp(use, "always") == 0;
	if (!use || *always || strcmp(use, "faster") == 0)
		return FIRESTEEL_OK;
	return fail(message, FIRESTEEL_ERROR_INVALID,
		    "FIRESTEEL_WOLFSSL_USE: \"%.60s\" is not allowed; allowed: faster, always",
		    use);
}

static int open_device(struct fsw_device *device, const char *name, char *message)
{
	int error;

	memset(device, 0, sizeof(*device));
	error = read_use(&device->always, message);
	if (error)
		return error;
	if (!fsw_layout_is_known())
		return fail(message, FIRESTEEL_ERROR_INVALID,
			    "this wolfSSL %s was compiled with other options than the one that "
			    "firesteel-wolfssl was compiled for",
			    wolfSSL_lib_version());
	error = firesteel_open(name, &device->core, message);
	if (error)
		return error;
	firesteel_capabilities(device->core, &device->capabilities);
	fsw_policy_begin(device, kinds);
	if (wc_CryptoCb_RegisterDevice(FIRESTEEL_WOLFSSL_DEVICE_ID, callback, device) == 0)
		return FIRESTEEL_OK;
	firesteel_close(device->core);
	return fail(message, FIRESTEEL_ERROR_BUSY, "wolfCrypt has no place for another device");
}

/* wolfCrypt forgets its devices when its first user begins: so this is one, for as long as it
 * takes */
static int begin(const char *name, char *message)
{
	int error;

	/* Of another version no structure may be touched */
	if (wolfSSL_lib_version_hex() != LIBWOLFSSL_VERSION_HEX)
		return fail(message, FIRESTEEL_ERROR_INVALID,
			    "this is wolfSSL %s; firesteel-wolfssl was compiled for version %s",
			    wolfSSL_lib_version(), LIBWOLFSSL_VERSION_STRING);
	if (wolfCrypt_Init() != 0)
		return fail(message, FIRESTEEL_ERROR_SYSTEM, "wolfCrypt does not start");
	error = open_device(&only.device, name, message);
	if (error)
		wolfCrypt_Cleanup();
	return error;
}

int firesteel_wolfssl_register(const char *name, int *device_id,
			       char message[FIRESTEEL_MESSAGE_SIZE])
{
	int error = FIRESTEEL_OK;
	FS_UNCANCELLED;

	pthread_mutex_lock(&only.lock);
	if (only.users == 0)
		error = begin(name, message);
	if (!error)
		only.users++;
	pthread_mutex_unlock(&only.lock);
	*device_id = error ? INVALID_DEVID : FIRESTEEL_WOLFSSL_DEVICE_ID;
	return error;
}

void firesteel_wolfssl_unregister(void)
{
	FS_UNCANCELLED;

	pthread_mutex_lock(&only.lock);
	if (only.users > 0 && --only.users == 0) {
		wc_CryptoCb_UnRegisterDevice(FIRESTEEL_WOLFSSL_DEVICE_ID);
		firesteel_close(only.device.core);
		only.device.core = NULL;
		wolfCrypt_Cleanup();
	}
	pthread_mutex_unlock(&only.lock);
}

/* ---- statistics ---- */

const char *firesteel_wolfssl_work_name(enum firesteel_wolfssl_work work)
{
	static const char *const names[FIRESTEEL_WOLFSSL_WORKS] = {
		[FIRESTEEL_WOLFSSL_ECB] = "ecb",
		[FIRESTEEL_WOLFSSL_CBC] = "cbc",
		[FIRESTEEL_WOLFSSL_CTR] = "ctr",
		[FIRESTEEL_WOLFSSL_GCM] = "gcm",
		[FIRESTEEL_WOLFSSL_CCM] = "ccm",
		[FIRESTEEL_WOLFSSL_SHA1] = "sha1",
		[FIRESTEEL_WOLFSSL_SHA256] = "sha256",
		[FIRESTEEL_WOLFSSL_SHA512] = "sha512",
		[FIRESTEEL_WOLFSSL_RSA_PRIVATE] = "rsa-private",
		[FIRESTEEL_WOLFSSL_RSA_PUBLIC] = "rsa-public",
		[FIRESTEEL_WOLFSSL_ECDSA_SIGN] = "ecdsa-sign",
		[FIRESTEEL_WOLFSSL_ECDSA_VERIFY] = "ecdsa-verify",
		[FIRESTEEL_WOLFSSL_ECDH] = "ecdh",
		[FIRESTEEL_WOLFSSL_EC_KEY] = "ec-key",
		[FIRESTEEL_WOLFSSL_X25519] = "x25519",
		[FIRESTEEL_WOLFSSL_ED25519_SIGN] = "ed25519-sign",
		[FIRESTEEL_WOLFSSL_ED25519_VERIFY] = "ed25519-verify",
	};

	return (unsigned)work < FIRESTEEL_WOLFSSL_WORKS ? names[work] : NULL;
}

static uint64_t shown_break_even(const struct fsc_task *task)
{
	size_t bytes = atomic_load(&task->break_even);

	return bytes == FSC_NEVER ? UINT64_MAX : bytes;
}

/* Without the lock: in a child, a thread of its parent's may have it for ever */
void firesteel_wolfssl_statistics(
	struct firesteel_wolfssl_counters counters[FIRESTEEL_WOLFSSL_WORKS])
{
	memset(counters, 0, FIRESTEEL_WOLFSSL_WORKS * sizeof(*counters));
	for (unsigned i = 0; i < FIRESTEEL_WOLFSSL_WORKS && atomic_load(&only.users) > 0; i++) {
		const struct fsw_counters *of = &only.device.counters[i];

		counters[i] = (struct firesteel_wolfssl_counters){
			.hardware = atomic_load(&of->hardware),
			.bytes = atomic_load(&of->bytes),
			.small = atomic_load(&of->small),
			.unfit = atomic_load(&of->unfit),
			.busy = atomic_load(&of->busy),
			.failed = atomic_load(&of->failed),
			.rejected = atomic_load(&of->rejected),
			.break_even = shown_break_even(&only.device.tasks[i]),
		};
	}
}
