/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests of one transform whose order is watched, whatever kind of algorithm they are for. */
#ifndef ORDER_H
#define ORDER_H

#include <linux/crypto.h>
#include <linux/scatterlist.h>
#include <linux/version.h>

#define ORDER_KEY  32u
#define ORDER_IV   16u
#define ORDER_TAG  16u
#define ORDER_SIZE 4096u /* of the largest request, without a tag */
#define ORDER_ROOM (ORDER_SIZE + ORDER_TAG)

/* A request's callback gets its data; before 6.3 it got the request, which has them */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define order_completed                 void
#define order_completed_data(completed) (completed)
#else
#define order_completed                 struct crypto_async_request
#define order_completed_data(completed) ((completed)->data)
#endif

struct order_run;

/* One request, and what it works on, in place */
struct order_item {
	struct order_run *run; /* whose transform it is of */
	void *request; /* of the kind */
	struct scatterlist *list; /* of `data` */
	u8 iv[ORDER_IV];
	u8 *data; /* ORDER_ROOM bytes */
	unsigned int number; /* of the request, from 0 */
	int due; /* its result */
};

/* A kind of algorithms */
struct order_kind {
	/* A transform, or an error number as a pointer */
	void *(*open)(const char *algorithm, const u8 *key);
	void (*close)(void *transform);
	/* NULL: no memory */
	void *(*request_new)(void *transform);
	void (*request_free)(void *request);
	/* What a request of `size` bytes shall begin with and end with, by the kernel's generic code,
	 * or by what newer kernels have instead
	 */
	int (*expect)(const u8 *key, unsigned int size, u8 *before, u8 *after);
	int (*submit)(struct order_item *item, unsigned int size, u32 flags,
		      crypto_completion_t done);
	/* Spoils what a request begins with, if it can tell; returns the result that is due */
	int (*spoil)(struct order_item *item, unsigned int size);
};

extern const struct order_kind order_skcipher;
extern const struct order_kind order_aead; /* decrypts */

#endif
