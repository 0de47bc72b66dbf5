/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests share: libcrypto contexts with the provider, and checks that end the program. */
#ifndef FSP_TESTS_UNIT_H
#define FSP_TESTS_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/x509.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Ends the program with place, condition and libcrypto's errors unless it holds */
#define CHECK(condition) unit_check(condition, #condition, __FILE__, __LINE__)
void unit_check(bool holds, const char *condition, const char *file, int line);

#define OURS   "provider=firesteel"
#define THEIRS "provider=default"

#define WHOSE(here) ((here) ? OURS : THEIRS)

/* The same as a wish, for a message whose digest either may have.  A provider that lacks what properties demand leaves
 * an error in the queue of OpenSSL 4.0, although the default provider's is taken then. */
#define WISHED(here) ((here) ? "?" OURS : "?" THEIRS)

/* A context with the default provider and ours, which sees these settings in its environment;
 * NULL leaves one out */
struct unit {
	OSSL_LIB_CTX *library;
	OSSL_PROVIDER *software, *firesteel;
};

struct unit unit_open(const char *device, const char *thresholds);
void unit_close(struct unit *unit);

/* Removes the file with the counters, as unit_close() does */
void unit_forget(void);

/* Whether libcrypto is of this release series or a later one */
bool unit_since(unsigned major, unsigned minor);

/* Counters of a kind of work, by the statistics file */
enum unit_counter {
	UNIT_HARDWARE,
	UNIT_SMALL,
	UNIT_UNFIT,
	UNIT_UNPROTECTED,
	UNIT_BUSY,
	UNIT_FAILED
};
unsigned long long unit_count(const char *work, enum unit_counter which);

/* From now on they are read from another process's file */
void unit_count_in(pid_t process);

/* The same key of the provider that the properties name */
EVP_PKEY *unit_key(const struct unit *unit, const EVP_PKEY *key, const char *properties);

/* A new key by the provider that the properties name; of a named group, unless that is NULL */
EVP_PKEY *unit_generate(const struct unit *unit, const char *type, const char *group,
			const char *properties);

/* A key of the default provider's: RSA of so many bits */
EVP_PKEY *unit_rsa(const struct unit *unit, size_t bits);

/* A certificate for a key, signed by itself */
X509 *unit_certificate(EVP_PKEY *key);

/* A shared secret by a copy of a context of a key; its size, or -1 */
int unit_derive(const struct unit *unit, EVP_PKEY *key, const char *properties, EVP_PKEY *peer,
		const OSSL_PARAM params[], size_t capacity, uint8_t *out);

/* Numbers that look random, the same each time and in each thread; or after the same seed */
void unit_seed(uint64_t seed);
unsigned unit_random(unsigned below);
void unit_fill(void *bytes, size_t size);

#endif
