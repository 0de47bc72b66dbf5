/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * The Silex cores under wolfSSL: a device of wolfCrypt's crypto callbacks, on libfiresteel.
 *
 *	int device_id;
 *	char message[FIRESTEEL_MESSAGE_SIZE];
 *
 *	if (firesteel_wolfssl_register(NULL, &device_id, message) < 0)
 *		warnx("software does all: %s", message);
 *	wolfSSL_CTX_SetDevId(context, device_id);
 *
 * All operations of objects with this device ID (WOLFSSL_CTX, WOLFSSL, or wolfCrypt's objects by
 * their _ex functions) are offered to the core.  The core does those that it supports and should
 * finish sooner than the processor. wolfSSL does the others itself, as without a device.
 *
 * Whatever the core rejects or fails at, wolfSSL repeats in software.  So a core that fails or is
 * unplugged ends no connection, and wolfSSL itself refuses a forged tag or signature, with its
 * usual error.
 *
 * Each kind of work is tried at its first use: if the core's answer differs from wolfCrypt's, the
 * core does not get that work.  After the trial, ciphers and hashes go to the core by size.
 * Public-key requests go there if libfiresteel's estimate is less than the time that wolfCrypt took
 * in the trial.
 *
 * The library may be loaded at run time: dlopen("libfiresteel-wolfssl.so.0", RTLD_NOW), then
 * dlsym().  It stays loaded after dlclose().
 */
#ifndef FIRESTEEL_WOLFSSL_H
#define FIRESTEEL_WOLFSSL_H

#include <stdint.h>

#include <firesteel/firesteel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ID of the device */
#define FIRESTEEL_WOLFSSL_DEVICE_ID 0x46534c

/*
 * Opens a device as firesteel_open() does (NULL: the environment variable FIRESTEEL_DEVICE, or
 * "auto") and registers it with wolfCrypt.
 *
 * FIRESTEEL_OK: *device_id is FIRESTEEL_WOLFSSL_DEVICE_ID.  Otherwise *device_id is wolfCrypt's
 * INVALID_DEVID, with which wolfSSL works in software, and `message`, which may be NULL, names the
 * error.  Errors are those that firesteel_open() returns, and two more.  FIRESTEEL_ERROR_INVALID:
 * wolfSSL's version or options differ from the headers at compile time, or FIRESTEEL_WOLFSSL_USE is
 * wrong.  FIRESTEEL_ERROR_BUSY: wolfCrypt has no place for a device.
 *
 * The environment variable FIRESTEEL_WOLFSSL_USE decides what goes to the core: "faster" (the
 * default), or "always", which sends everything that the core supports, for tests.
 *
 * It may be called before or after wolfSSL_Init(), by one thread while no other uses wolfSSL.  A
 * process has one device: a further call returns the same device whatever its name, and needs its
 * own firesteel_wolfssl_unregister().
 */
int firesteel_wolfssl_register(const char *name, int *device_id,
			       char message[FIRESTEEL_MESSAGE_SIZE]);

/* Undoes a registration; the last one closes the device.  No object with its ID may be in use. */
void firesteel_wolfssl_unregister(void);

/* ---- statistics ---- */

enum firesteel_wolfssl_work {
	FIRESTEEL_WOLFSSL_ECB,
	FIRESTEEL_WOLFSSL_CBC,
	FIRESTEEL_WOLFSSL_CTR,
	FIRESTEEL_WOLFSSL_GCM,
	FIRESTEEL_WOLFSSL_CCM,
	FIRESTEEL_WOLFSSL_SHA1,
	FIRESTEEL_WOLFSSL_SHA256, /* and SHA-224 */
	FIRESTEEL_WOLFSSL_SHA512, /* and SHA-384 */
	FIRESTEEL_WOLFSSL_RSA_PRIVATE,
	FIRESTEEL_WOLFSSL_RSA_PUBLIC,
	FIRESTEEL_WOLFSSL_ECDSA_SIGN,
	FIRESTEEL_WOLFSSL_ECDSA_VERIFY,
	FIRESTEEL_WOLFSSL_ECDH,
	FIRESTEEL_WOLFSSL_EC_KEY, /* public keys of new pairs */
	FIRESTEEL_WOLFSSL_X25519, /* exchanges, and public keys of new pairs */
	FIRESTEEL_WOLFSSL_ED25519_SIGN,
	FIRESTEEL_WOLFSSL_ED25519_VERIFY,
	FIRESTEEL_WOLFSSL_WORKS
};

/* "ecb", "rsa-private"; NULL for an unknown work */
const char *firesteel_wolfssl_work_name(enum firesteel_wolfssl_work work);

/* Requests of a work since the device was registered: by the core, and by software for each
 * reason */
struct firesteel_wolfssl_counters {
	uint64_t hardware; /* requests that the core did */
	uint64_t bytes; /* their payload: of ciphers and hashes */
	uint64_t small; /* software: it is expected to be faster */
	uint64_t unfit; /* software: the core does not support this */
	uint64_t busy; /* software: other processes had the core, or all of its slots */
	uint64_t failed; /* software: the core failed, or answered wrongly when it was tried */
	/* software, which has the last word: the core rejected a tag, a signature or an operand */
	uint64_t rejected;
	/* smallest size for the core, bytes; UINT64_MAX: never; 0: not tried yet, or decided by
	 * estimate */
	uint64_t break_even;
};

/* All zeros if there is no device */
void firesteel_wolfssl_statistics(
	struct firesteel_wolfssl_counters counters[FIRESTEEL_WOLFSSL_WORKS]);

#ifdef __cplusplus
}
#endif

#endif
