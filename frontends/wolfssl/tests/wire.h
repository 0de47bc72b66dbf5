/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The two ends of a TLS connection in one program, and the bytes between them. */
#ifndef FSW_TESTS_WIRE_H
#define FSW_TESTS_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an end reads from: bytes that the other one has written */
struct queue {
	uint8_t *bytes;
	size_t first, last, capacity;
};

void queue_put(struct queue *queue, const void *bytes, size_t size);
size_t queue_take(struct queue *queue, void *bytes, size_t size);
void queue_free(struct queue *queue);

struct wire {
	struct queue to[2]; /* OpenSSL, wolfSSL */
};

enum { TO_OPENSSL, TO_WOLFSSL };

/* ---- keys and certificates, which OpenSSL makes ---- */

enum kind { KIND_RSA, KIND_EC, KIND_ED, KINDS };

struct identity {
	uint8_t *key, *certificate; /* DER */
	int key_size, certificate_size;
};

/* ---- the ends ---- */

enum step { STEP_DONE, STEP_AGAIN, STEP_FAILED };

/* How they are to speak */
struct scene {
	bool wolfssl_serves;
	bool newest; /* TLS 1.3, not 1.2 */
	const char *suite, *group, *signature; /* as OpenSSL calls them */
	enum kind kind;
};

struct openssl_end;

void openssl_begin(struct identity identities[KINDS]);
void openssl_finish(struct identity identities[KINDS]);
struct openssl_end *openssl_open(const struct scene *scene, struct wire *wire);
void openssl_close(struct openssl_end *end);
enum step openssl_handshake(struct openssl_end *end);
enum step openssl_write(struct openssl_end *end, const void *bytes, size_t size);
/* As much as there is, at most `size` */
enum step openssl_read(struct openssl_end *end, void *bytes, size_t size, size_t *got);
/* Whether the other end has said that a record was not authentic */
bool openssl_was_told_of_forgery(struct openssl_end *end);
/* The suite that they agreed on */
const char *openssl_suite(struct openssl_end *end);

struct wolfssl_end;

/* All objects with a device's ID */
struct wolfssl_end *wolfssl_open(const struct scene *scene, struct wire *wire,
				 const struct identity *identity, int device);
void wolfssl_close(struct wolfssl_end *end);
enum step wolfssl_handshake(struct wolfssl_end *end);
enum step wolfssl_write(struct wolfssl_end *end, const void *bytes, size_t size);
enum step wolfssl_read(struct wolfssl_end *end, void *bytes, size_t size, size_t *got);
/* wolfSSL's error of the last call */
int wolfssl_error(struct wolfssl_end *end);

#endif
