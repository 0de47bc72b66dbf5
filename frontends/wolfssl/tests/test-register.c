/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * The library loaded at run time by a program that was not linked with it, as its header says; what
 * is wrong when it is registered, and in which order wolfSSL and it may begin and end.
 */
#include <wolfssl/options.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <firesteel/wolfssl.h>
#include <wolfssl/ssl.h>
#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/cryptocb.h>

#include "check.h"

static int (*enter)(const char *name, int *device_id, char message[FIRESTEEL_MESSAGE_SIZE]);
static void (*leave)(void);
static void (*statistics)(struct firesteel_wolfssl_counters counters[FIRESTEEL_WOLFSSL_WORKS]);
static const char *(*work_name)(enum firesteel_wolfssl_work work);

static void load(void)
{
	void *library = dlopen(getenv("LIBRARY"), RTLD_NOW);

	if (!library)
		fprintf(stderr, "%s\n", dlerror());
	CHECK(library);
	*(void **)&enter = dlsym(library, "firesteel_wolfssl_register");
	*(void **)&leave = dlsym(library, "firesteel_wolfssl_unregister");
	*(void **)&statistics = dlsym(library, "firesteel_wolfssl_statistics");
	*(void **)&work_name = dlsym(library, "firesteel_wolfssl_work_name");
	CHECK(enter && leave && statistics && work_name);
	dlclose(library); /* it stays */
}

static uint64_t encrypt(int device)
{
	struct firesteel_wolfssl_counters counters[FIRESTEEL_WOLFSSL_WORKS];
	byte key[16] = { 0 }, bytes[64] = { 0 };
	Aes aes;

	CHECK(wc_AesInit(&aes, NULL, device) == 0);
	CHECK(wc_AesSetKey(&aes, key, sizeof(key), NULL, AES_ENCRYPTION) == 0);
	CHECK(wc_AesEcbEncrypt(&aes, bytes, bytes, sizeof(bytes)) == 0);
	CHECK(bytes[0] == 0x66 &&
	      bytes[63] == 0x2e); /* FIPS 197 with zeros, as NIST's GFSbox has it */
	wc_AesFree(&aes);
	statistics(counters);
	return counters[FIRESTEEL_WOLFSSL_ECB].hardware;
}

static void refused(const char *name, int error, const char *with)
{
	char message[FIRESTEEL_MESSAGE_SIZE] = "";
	int device = 1;

	CHECK(enter(name, &device, message) == error);
	printf("%s\n", message);
	CHECK(device == INVALID_DEVID && strstr(message, with));
	CHECK(enter(name, &device, NULL) == error);
	CHECK(encrypt(device) == 0);
}

static void what_is_wrong(void)
{
	setenv("FIRESTEEL_WOLFSSL_USE", "sometimes", 1);
	refused("model", FIRESTEEL_ERROR_INVALID, "allowed: faster, always");
	setenv("FIRESTEEL_WOLFSSL_USE", "always", 1);
	refused("nonsense", FIRESTEEL_ERROR_INVALID, "nonsense");
	refused("uio:nowhere", FIRESTEEL_ERROR_ABSENT, "nowhere");
	CHECK(!work_name(FIRESTEEL_WOLFSSL_WORKS));
	for (unsigned i = 0; i < FIRESTEEL_WOLFSSL_WORKS; i++)
		CHECK(work_name(i) && strlen(work_name(i)) > 2);
}

static void all_places_taken(void)
{
	unsigned taken = 0;

	CHECK(wolfCrypt_Init() == 0);
	while (wc_CryptoCb_RegisterDevice(100 + (int)taken, NULL, NULL) == 0)
		taken++;
	refused("model", FIRESTEEL_ERROR_BUSY, "no place");
	while (taken > 0)
		wc_CryptoCb_UnRegisterDevice(100 + (int)--taken);
	CHECK(wolfCrypt_Cleanup() == 0);
}

static void begins(const char *name)
{
	int device;

	CHECK(enter(name, &device, NULL) == FIRESTEEL_OK && device == FIRESTEEL_WOLFSSL_DEVICE_ID);
}

static void in_any_order(void)
{
	begins("model");
	CHECK(wolfSSL_Init() == WOLFSSL_SUCCESS);
	CHECK(encrypt(FIRESTEEL_WOLFSSL_DEVICE_ID) == 1);
	begins(NULL); /* the same one again */
	CHECK(encrypt(FIRESTEEL_WOLFSSL_DEVICE_ID) == 2);
	leave();
	CHECK(encrypt(FIRESTEEL_WOLFSSL_DEVICE_ID) == 3);
	CHECK(wolfSSL_Cleanup() == WOLFSSL_SUCCESS);
	CHECK(encrypt(FIRESTEEL_WOLFSSL_DEVICE_ID) == 4);
	leave();
	/* an ID of nobody's means software */
	CHECK(encrypt(FIRESTEEL_WOLFSSL_DEVICE_ID) == 0);
	leave();
	CHECK(wolfSSL_Init() == WOLFSSL_SUCCESS);
	begins("model");
	CHECK(encrypt(FIRESTEEL_WOLFSSL_DEVICE_ID) == 1);
	leave();
	CHECK(encrypt(FIRESTEEL_WOLFSSL_DEVICE_ID) == 0);
	CHECK(wolfSSL_Cleanup() == WOLFSSL_SUCCESS);
}

int main(void)
{
	load();
	what_is_wrong();
	all_places_taken();
	in_any_order();
	return 0;
}
