/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "interposed.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include <wolfssl/ssl.h>
#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/curve25519.h>
#include <wolfssl/wolfcrypt/error-crypt.h>
#include <wolfssl/wolfcrypt/sha.h>
#include <wolfssl/wolfcrypt/sha256.h>
#include <wolfssl/wolfcrypt/sha512.h>
#include <wolfssl/wolfcrypt/wolfmath.h>

word32 interposed_version;
size_t interposed_excess[INTERPOSED_KINDS];
unsigned interposed_count[INTERPOSED_KINDS];

static struct {
	enum interposed kind;
	unsigned left; /* initialisations until it fails */
	bool happened;
	const void *object; /* not initialised since */
} failure;

void interposed_fail(enum interposed kind, unsigned nth)
{
	failure.kind = kind;
	failure.left = nth;
	failure.happened = failure.happened && nth == 0;
	failure.object = NULL;
}

bool interposed_failed(void)
{
	return failure.happened;
}

/* wolfSSL's function, for a pointer to one */
static void find(const char *name, void *function)
{
	void *found = dlsym(RTLD_NEXT, name);

	CHECK(found);
	memcpy(function, &found, sizeof(found));
}

/* Whether this one is to fail */
static bool fails(enum interposed kind, const void *object)
{
	interposed_count[kind]++;
	if (failure.kind != kind || failure.left == 0 || --failure.left > 0) {
		if (failure.object == object)
			failure.object = NULL;
		return false;
	}
	failure.happened = true;
	failure.object = object;
	return true;
}

static void enlarge(enum interposed kind, void *object, size_t size)
{
	memset((byte *)object + size, 0, interposed_excess[kind]);
}

word32 wolfSSL_lib_version_hex(void)
{
	word32 (*real)(void);

	find("wolfSSL_lib_version_hex", &real);
	return interposed_version ? interposed_version : real();
}

/* The initialisation of an object, and its end */
#define OBJECT(kind, type, init, end)                                \
	int init(type *object, void *heap, int device)               \
	{                                                            \
		int (*real)(type *, void *, int);                    \
		int error;                                           \
                                                                     \
		if (fails(INTERPOSED_##kind, object))                \
			return MEMORY_E;                             \
		find(#init, &real);                                  \
		error = real(object, heap, device);                  \
		enlarge(INTERPOSED_##kind, object, sizeof(*object)); \
		return error;                                        \
	}                                                            \
                                                                     \
	void end(type *object)                                       \
	{                                                            \
		void (*real)(type *);                                \
                                                                     \
		CHECK(object != failure.object);                     \
		find(#end, &real);                                   \
		real(object);                                        \
	}

OBJECT(AES, Aes, wc_AesInit, wc_AesFree)
OBJECT(SHA1, wc_Sha, wc_InitSha_ex, wc_ShaFree)
OBJECT(SHA256, wc_Sha256, wc_InitSha256_ex, wc_Sha256Free)
OBJECT(SHA512, wc_Sha512, wc_InitSha512_ex, wc_Sha512Free)
OBJECT(CURVE25519, curve25519_key, wc_curve25519_init_ex, wc_curve25519_free)

/* ---- numbers: mp_init() and others are other names of these ---- */

int sp_init(sp_int *number)
{
	int (*real)(sp_int *);

	if (fails(INTERPOSED_NUMBER, number))
		return MP_MEM;
	find("sp_init", &real);
	return real(number);
}

int sp_init_multi(sp_int *first, sp_int *second, sp_int *third, sp_int *fourth, sp_int *fifth,
		  sp_int *sixth)
{
	int (*real)(sp_int *, sp_int *, sp_int *, sp_int *, sp_int *, sp_int *);

	/* The second is the one that must not be revealed, so the one that is wiped */
	if (fails(INTERPOSED_NUMBERS, second))
		return MP_MEM;
	find("sp_init_multi", &real);
	return real(first, second, third, fourth, fifth, sixth);
}

void sp_clear(sp_int *number)
{
	void (*real)(sp_int *);

	CHECK(number != failure.object);
	find("sp_clear", &real);
	real(number);
}

void sp_forcezero(sp_int *number)
{
	void (*real)(sp_int *);

	CHECK(number != failure.object);
	find("sp_forcezero", &real);
	real(number);
}
