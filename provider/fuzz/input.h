/* SPDX-License-Identifier: Apache-2.0 */
/* An input of the fuzzer: a byte for each choice, and bytes of data; it ends in zeros. */
#ifndef FSP_FUZZ_INPUT_H
#define FSP_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <openssl/evp.h>

struct input {
	const uint8_t *next;
	const uint8_t *end;
};

static inline uint8_t take_byte(struct input *in)
{
	return in->next < in->end ? *in->next++ : 0;
}

static inline void take_bytes(struct input *in, void *to, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)to)[i] = take_byte(in);
}

static inline unsigned take_below(struct input *in, unsigned limit)
{
	return take_byte(in) % limit;
}

/* Ends the program with place, condition and algorithm unless it holds */
#define demand(condition) fuzz_demand(condition, #condition, __FILE__, __LINE__)
void fuzz_demand(bool holds, const char *condition, const char *file, int line);

/* With FUZZ_TRACE in the environment: what is done */
void fuzz_trace(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What is being tried: of which algorithm, and with which parameter */
extern const char *fuzz_algorithm;
extern OSSL_PARAM fuzz_param;

#define OURS   "provider=firesteel"
#define THEIRS "provider=default"

/* The parts of the harness: each does what the input says by both providers and compares */
void fuzz_cipher(struct input *in, OSSL_LIB_CTX *library);
void fuzz_digest(struct input *in, OSSL_LIB_CTX *library);
void fuzz_mac(struct input *in, OSSL_LIB_CTX *library);
void fuzz_settings(struct input *in);

#endif
