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
 * All that objects with this device ID do (WOLFSSL_CTX, WOLFSSL, or wolfCrypt's own by their _ex
 * functions) is offered to the core.  The core does what it can do, and is expected to do faster
 * than the processor; wolfSSL does all else by itself, as without a device.
 *
 * The core never says no: whatever it rejects or fails at, wolfSSL does again in software.  So a
 * core that fails or is unplugged ends no connection, and a forged tag or signature is refused by
 * wolfSSL itself, with its own error.
 *
 * A work is tried at its first use: the core must answer as wolfCrypt does, or does not get that
 * work.  Then requests go to the core by size (ciphers, hashes) or by libfiresteel's estimate
 * (public keys), against the time that wolfCrypt took in the trial.
 *
 * The library may be loaded at run time: dlopen("libfiresteel-wolfssl.so.0", RTLD_NOW), then
 * dlsym().  It stays loaded when it is closed.
 */
#ifndef FIRESTEEL_WOLFSSL_H
#define FIRESTEEL_WOLFSSL_H

#include <stdint.h>

#include <firesteel/firesteel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ID of the device; a program that knows it needs not keep it */
#define FIRESTEEL_WOLFSSL_DEVICE_ID 0x46534c

/*
 * Opens a device as firesteel_open() does (NULL: the environment variable FIRESTEEL_DEVICE, or
 * "auto") and registers it with wolfCrypt.
 *
 * FIRESTEEL_OK, and *device_id is FIRESTEEL_WOLFSSL_DEVICE_ID.  Or an error of firesteel_open(); or
 * FIRESTEEL_ERROR_INVALID: this wolfSSL has another version or other options than the one that this
 * was compiled for, or FIRESTEEL_WOLFSSL_USE is wrong; or FIRESTEEL_ERROR_BUSY: wolfCrypt has no place for a device.
 * Then *device_id is wolfCrypt's INVALID_DEVID, with which wolfSSL works in software, and
 * `message`, which may be NULL, says what is wrong.
 *
 * The environment variable FIRESTEEL_WOLFSSL_USE says what goes to the core: "faster" (the
 * default), or "always" all that it can do, to test it.
 *
 * It may be called before or after wolfSSL_Init(), by one thread while no other uses wolfSSL.  A
 * process has one device: a further call returns the same one, whatever name it gives, and is
 * undone by an unregistration of its own.
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

/* "ecb", "rsa-private"; NULL for what is no work */
const char *firesteel_wolfssl_work_name(enum firesteel_wolfssl_work work);

/* What was done of a work since the device was registered: by the core, and why not */
struct firesteel_wolfssl_counters {
	uint64_t hardware; /* requests that the core did */
	uint64_t bytes; /* their payload: of ciphers and hashes */
	uint64_t small; /* software: it is expected to be faster */
	uint64_t unfit; /* software: the core does not do this */
	uint64_t busy; /* software: other processes had the core, or all of its slots */
	uint64_t failed; /* software: the core failed, or answered wrongly when it was tried */
	/* software, to have the last word: the core rejects a tag, a signature or an operand */
	uint64_t rejected;
	/* bytes from which on the core does it; UINT64_MAX: never; 0: it was not tried, or goes by
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
