/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cryptobench: what a request to the kernel's crypto API costs, exactly.
 *
 *	echo kind=cipher algorithm='cbc(aes)' reference='cbc(aes-generic)' key=32 size=1408 \
 *		requests=100 in_flight=1 >/proc/cryptobench
 *	cat /proc/cryptobench
 *
 * docs/cryptobench.md has the settings, the lines of the answer, and what they mean.
 */
#ifndef CRYPTOBENCH_H
#define CRYPTOBENCH_H

#include <linux/completion.h>
#include <linux/crypto.h>
#include <linux/scatterlist.h>
#include <linux/types.h>

#define BENCH_KEY_MAX    256u
#define BENCH_IV_MAX     16u
#define BENCH_DIGEST_MAX 64u

/* What is to be measured, as it was written to /proc/cryptobench */
struct bench_settings {
	char kind[16];
	char algorithm[CRYPTO_MAX_ALG_NAME];
	char reference[CRYPTO_MAX_ALG_NAME];
	unsigned int key; /* bytes; of an authenc, those of the cipher alone */
	unsigned int auth_key; /* bytes, of an authenc's MAC; 0: it is none */
	unsigned int size; /* bytes of a request */
	unsigned int ad; /* bytes of associated data before them */
	unsigned int head; /* how many of the bytes lie behind the associated data */
	unsigned int decrypt; /* 0 or 1 */
	unsigned int requests;
	unsigned int in_flight;
	unsigned int each; /* 0 or 1: time each request by itself */
};

/* The board's clocks (docs/virtual-time.md) */
struct bench_clock {
	u64 time_ns;
	u64 instructions;
	u64 idle_ns;
	u64 stalled_ns;
};

struct bench_request;

/* One kind of algorithm, and how its requests are made */
struct bench_kind {
	const char *name;
	struct crypto_tfm *(*open)(const char *algorithm);
	void (*close)(struct crypto_tfm *tfm);
	int (*set_key)(struct crypto_tfm *tfm, const u8 *key, unsigned int length);
	unsigned int (*tag_size)(struct crypto_tfm *tfm);
	unsigned int (*digest_size)(struct crypto_tfm *tfm);
	/* An API request for the scatterlist of `request`, with bench_request_ended() */
	int (*prepare)(struct bench_request *request, struct crypto_tfm *tfm,
		       const struct bench_settings *settings);
	void (*release)(struct bench_request *request);
	int (*encrypt)(struct bench_request *request);
	int (*decrypt)(struct bench_request *request);
};

/* An open algorithm with its key; closed while `tfm` is NULL */
struct bench_algorithm {
	const struct bench_kind *kind;
	struct crypto_tfm *tfm;
	unsigned int tag_size;
	unsigned int digest_size;
};

/* A request with memory of its own; what is measured touches nothing but this */
struct bench_request {
	void *api;
	bool each;
	bool asynchronous;
	int err;
	struct completion ended;
	struct bench_clock submitted;
	struct bench_clock completed;
	u8 iv[BENCH_IV_MAX];
	u8 digest[BENCH_DIGEST_MAX];
	struct page **pages; /* the first has head and tag, the others the rest */
	unsigned int page_count;
	struct scatterlist *sg;
	unsigned int segments;
};

/* What goes into every request and what must come out of it */
struct bench_sample {
	u8 *input;
	u8 *output;
	unsigned int length; /* associated data, bytes and tag */
	unsigned int checked; /* how much of `output` must come out */
	u8 digest[BENCH_DIGEST_MAX];
};

/* What a measurement found, besides what is in its requests */
struct bench_result {
	struct bench_clock begin;
	struct bench_clock end;
	struct bench_clock reading; /* what reading the clocks costs */
	unsigned int asynchronous;
};

/* Fills settings from words KEY=VALUE; logs what is wrong and returns a negative error number */
int bench_settings_parse(struct bench_settings *settings, char *text);

/* Opens the algorithm of that name, or leaves it closed and returns a negative error number */
int bench_algorithm_open(struct bench_algorithm *algorithm, const char *name,
			 const struct bench_settings *settings);
void bench_algorithm_close(struct bench_algorithm *algorithm);
bool bench_kind_known(const char *name);

/* A request with empty memory; NULL if there is not enough */
struct bench_request *bench_request_new(const struct bench_algorithm *algorithm,
					const struct bench_settings *settings);
void bench_request_free(struct bench_request *request, const struct bench_kind *kind);
void bench_request_submit(struct bench_request *request,
			  int (*submit)(struct bench_request *request));
void bench_request_ended(void *request, int err);

/* Works the sample out with the reference; `bench_sample_free` must follow in any case */
int bench_sample_make(struct bench_sample *sample, const struct bench_algorithm *reference,
		      const struct bench_settings *settings);
void bench_sample_free(struct bench_sample *sample);
void bench_sample_fill(const struct bench_sample *sample, struct bench_request *request);
bool bench_sample_fits(const struct bench_sample *sample, const struct bench_request *request);

/* Measures; `requests` are those of the settings after in_flight others that run before */
void bench_measure(struct bench_result *result, struct bench_request **requests,
		   const struct bench_settings *settings, const struct bench_kind *kind);

int bench_clock_open(void);
void bench_clock_close(void);
void bench_clock_read(struct bench_clock *clock);
/* What two readings one after the other differ by */
void bench_clock_calibrate(struct bench_clock *reading);

#endif
