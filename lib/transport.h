/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access to registers, operand RAM, memory for DMA and interrupts.  There are two transports: the
 * kernel's UIO devices (uio.c), and a model of the cores in this process (model.c).
 */
#ifndef FS_TRANSPORT_H
#define FS_TRANSPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../silex/share.h"
#include "include/firesteel/firesteel.h"

enum fs_core { FS_PK, FS_CM, FS_CORES };

/* The most public-key cores of a device */
#define FS_ENGINES 16u

struct fs_transport;

struct fs_transport_ops {
	/* A register, by its offset in the window (silex/soc.h) */
	uint32_t (*read)(struct fs_transport *transport, enum fs_core core, uint32_t offset);
	void (*write)(struct fs_transport *transport, enum fs_core core, uint32_t offset,
		      uint32_t value);

	/* Words of operand RAM, by their offset in the window; in the order of memory */
	void (*put)(struct fs_transport *transport, uint32_t offset, const uint8_t *bytes,
		    size_t words);
	void (*get)(struct fs_transport *transport, uint32_t offset, uint8_t *bytes, size_t words);

	/* Unmasks the public-key core's interrupt once */
	void (*arm)(struct fs_transport *transport);

	/* Sleeps until the core's interrupt, a call of wake(), or the end of `ns`; may return
	 * earlier */
	void (*sleep)(struct fs_transport *transport, enum fs_core core, uint64_t ns);

	/* The owner of the public-key core's lock gives up a core that does not answer */
	void (*give_up)(struct fs_transport *transport);

	/* Wakes all that sleep for the public-key core, in all processes */
	void (*wake)(struct fs_transport *transport);

	/* Frees the lock of owners that have died, if nobody else does */
	void (*reap)(struct fs_transport *transport);

	/* The core has written `size` bytes of the results from `offset` on: makes the process see
	 * them.  0 or an error. */
	int (*refresh)(struct fs_transport *transport, size_t offset, size_t size);

	/* In a forked child: maps everything again.  After an error the child cannot use the
	 * device. */
	int (*remap)(struct fs_transport *transport);

	/* Tries again to get a slot of the public-key core whose slots were all taken: 0 or an error */
	int (*join)(struct fs_transport *transport);

	/* Looks for a CryptoMaster; 0, FIRESTEEL_ERROR_BUSY, FIRESTEEL_ERROR_ABSENT */
	int (*retry)(struct fs_transport *transport);

	/* `mapped`: this process has its own mappings, because it has not been forked since */
	void (*close)(struct fs_transport *transport, bool mapped);
};

struct fs_transport {
	const struct fs_transport_ops *ops;
	char name[64];
	char file[FS_CORES][64]; /* what is open for each core; empty: nothing */
	/* The cores that this process can use; join() and retry() may add some later */
	atomic_bool has[FS_CORES];
	/* There is a core, but others use it.  FS_PK: all slots are taken, and registers can still
	 * be read. */
	atomic_bool taken[FS_CORES];

	struct silex_share *share; /* the public-key core's lock */
	unsigned slot; /* ours in it */

	/* Memory for DMA; `bus` is its address as the core sees it */
	uint8_t *dma;
	uint32_t bus;
	size_t dma_size;

	/* Where DMA is not coherent `dma` is not cached, so that reading it is slow; NULL: it is
	 * coherent.  This memory is, and the process only reads it. */
	const uint8_t *results;
	uint32_t results_bus;
	size_t results_size;
};

/* These return 0 or an error, with a sentence in `message`.  `in_use`: whether this process has a file
 * of the directory of devices open already, now and at each retry. */
int fs_uio_open(const char *selection, bool (*in_use)(const char *file),
		struct fs_transport **transport, char message[FIRESTEEL_MESSAGE_SIZE]);
int fs_model_open(const char *options, struct fs_transport **transport,
		  char message[FIRESTEEL_MESSAGE_SIZE]);

/*
 * Opens another public-key core of the same machine, and no other core: the first one after number
 * `*last`, which becomes its number.  Begin with 0.  FIRESTEEL_ERROR_ABSENT: there are no more.
 */
int fs_uio_open_engine(const char *selection, bool (*in_use)(const char *file), unsigned *last,
		       struct fs_transport **transport);
int fs_model_open_engine(const char *options, unsigned *last, struct fs_transport **transport);

/* A public-key core that this process uses, or will when a slot is free */
static inline bool fs_has_pk(const struct fs_transport *transport)
{
	return transport->has[FS_PK] || transport->taken[FS_PK];
}

static inline uint32_t fs_read(struct fs_transport *transport, enum fs_core core, uint32_t offset)
{
	return transport->ops->read(transport, core, offset);
}

static inline void fs_write(struct fs_transport *transport, enum fs_core core, uint32_t offset,
			    uint32_t value)
{
	transport->ops->write(transport, core, offset, value);
}

#endif
