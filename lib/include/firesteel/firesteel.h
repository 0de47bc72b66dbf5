/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libfiresteel: the Silex cores from user space.
 *
 *	struct firesteel *device;
 *	char message[FIRESTEEL_MESSAGE_SIZE];
 *
 *	if (firesteel_open(NULL, &device, message) < 0)
 *		errx(1, "%s", message);
 *	struct firesteel_request request = {
 *		.operation = FIRESTEEL_DH,
 *		.dh = { .prime = ..., .peer = ..., .secret = ..., .result = ... },
 *	};
 *	int error = firesteel_run(device, &request);
 *	firesteel_close(device);
 *
 * All work is a request.  firesteel_run() does one and returns when it is done.  firesteel_submit()
 * starts one, and makes a file descriptor readable when it is done.  firesteel_expect_ns()
 * estimates how long one takes.  public-key.h and symmetric.h define the requests.
 *
 * Life of a device:
 *  1. firesteel_open(), early: it opens and maps files, which a sandbox may forbid later.
 *  2. Any number of requests, by any number of threads at once.
 *  3. firesteel_close(), when no request is running.
 *
 * A core is shared.  The public-key core serves all processes of the group that owns its device
 * file, in the order of their requests.  A CryptoMaster belongs to the process that has opened it,
 * and to its children.  Operand RAM is cleared after each operation.  Members of the group must
 * still trust one another, because each can read and disturb the operations of the others.
 *
 * After any kind of fork, a device continues to serve parent and child.  At its first request, the
 * child maps the cores again through the inherited descriptors; this needs mmap(), write() to them,
 * getrandom() and getpid().  A child of a direct clone(2), which the C library does not see, has no
 * CryptoMaster (FIRESTEEL_ERROR_BUSY).  Jobs (firesteel_submit()) belong to the process that
 * submitted them.
 *
 * A request that finds its core free and is done within `spin_ns` makes no system call, unless
 * completion is by interrupt.
 *
 * The library keeps no key after a request has ended.
 *
 * None of its functions is a cancellation point: a thread that is cancelled inside one ends at its
 * next cancellation point.  A thread that can be cancelled at any moment
 * (PTHREAD_CANCEL_ASYNCHRONOUS) must not call them, just as it must not call most of the C library.
 * A signal handler must not leave them by longjmp(), because the core would stay taken.
 */
#ifndef FIRESTEEL_FIRESTEEL_H
#define FIRESTEEL_FIRESTEEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <firesteel/public-key.h>
#include <firesteel/symmetric.h>
#include <firesteel/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct firesteel;
struct firesteel_job;

/* ---- errors ---- */

/*
 * Functions that return an int return 0 or one of these errors.  After any error except INVALID,
 * REFUSED, SIGNATURE and TAG, do the same work in software.
 */
enum firesteel_error {
	FIRESTEEL_OK = 0,
	FIRESTEEL_ERROR_INVALID =
		-1, /* the request is malformed: a missing operand, a wrong size */
	FIRESTEEL_ERROR_ABSENT = -2, /* no such device; or it lacks the core, curve, mode or size */
	FIRESTEEL_ERROR_BUSY = -3, /* another process owns CryptoMaster, or all slots are in use */
	FIRESTEEL_ERROR_TIMEOUT = -4, /* the core did not become free in time: others use it */
	FIRESTEEL_ERROR_FAULT =
		-5, /* the core did not finish, had a bus error, was inconsistent, or
				     * was reset, so that nothing proves its answer */
	FIRESTEEL_ERROR_GONE = -6, /* the core has been removed, permanently */
	FIRESTEEL_ERROR_REFUSED = -7, /* the core rejects an operand (out of range, not on the
				       * curve, not invertible), or the result is not valid */
	FIRESTEEL_ERROR_SIGNATURE = -8, /* the signature does not verify */
	FIRESTEEL_ERROR_TAG = -9, /* the authentication tag is wrong */
	FIRESTEEL_ERROR_MEMORY = -10, /* no memory */
	FIRESTEEL_ERROR_SYSTEM = -11, /* a system call failed; errno says why */
	FIRESTEEL_ERROR_FORKED = -12, /* the job belongs to the parent process */
	FIRESTEEL_ERROR_CHECK =
		-13, /* FIRESTEEL_CHECK: the core's result was wrong, and is withheld */
	FIRESTEEL_ERROR_NEWER = -14, /* the request has an operation, a flag or a member that only
				      * later versions of this library know */
};

/* One sentence without a full stop; never NULL */
const char *firesteel_error_text(int error);

/* ---- devices ---- */

#define FIRESTEEL_MESSAGE_SIZE 256

/*
 * Opens a device.  `name` is
 *
 *	"auto"		the cores of this machine that the process may open: one CryptoMaster, and
 *			all public-key cores that are like the first;
 *	"uio:NAME"	the cores of one window: NAME is the kernel's name of their device, to which
 *			/sys/class/uio/uioN/device points ("0000:00:02.0"), or "uioN" for a
 *			single core;
 *	"model"		a model of all cores in this process, whose operations take no time: for
 *			tests, and only in a library that was built with it;
 *	"model:KEY=VALUE,..."	the model with hash core, timing and other properties (docs/cores.md).
 *			"faults=KIND:nth=N" injects faults.  "instance=FILE": processes that name
 *			the same file share one CryptoMaster, which has one owner at a time.
 *			"engines=N" makes N public-key cores, and "N:KEY=VALUE" is an option of
 *			core N, counted from 0.  "microcode=FILE" is loaded into the public-key
 *			core at power-on and after each reset;
 *
 * or NULL.  Then the environment variable FIRESTEEL_DEVICE selects one of these; default "auto".
 * "auto" never means the model.
 *
 * A device has up to 16 public-key cores and at most one CryptoMaster.  Opening succeeds if there
 * is at least one core; firesteel_capabilities() names the cores.  Each public-key request goes to
 * the core with the least work; if that core fails, another core does the request.  If another
 * process owns CryptoMaster, firesteel_retry() tries again later.  If other processes have all
 * slots of the public-key core, its requests return FIRESTEEL_ERROR_BUSY until a slot is free.
 *
 * On error *device is NULL, and `message`, which may be NULL, names the error and the allowed
 * values.
 */
int firesteel_open(const char *name, struct firesteel **device,
		   char message[FIRESTEEL_MESSAGE_SIZE]);

/* Waits for running jobs, then wipes and unmaps everything.  NULL is allowed. */
void firesteel_close(struct firesteel *device);

/* Tries again to open a CryptoMaster for a device without one.  FIRESTEEL_OK: it is open.  Opens
 * files.  Must not be called while requests of other threads are running. */
int firesteel_retry(struct firesteel *device);

/* How to wait for the end of an operation */
enum firesteel_completion {
	FIRESTEEL_ADAPTIVE, /* spin for the expected time, at most `spin_ns`; then sleep */
	FIRESTEEL_POLL, /* spin */
	FIRESTEEL_IRQ, /* sleep until the interrupt */
};

/*
 * Sets an option.  At firesteel_open(), the environment sets the same options, under the name
 * FIRESTEEL_ and the key in capitals.
 *
 *	completion	adaptive, poll or irq; default adaptive
 *	spin_ns		longest time to spin; default 50000, at most 1000000000
 *	timeout_ms	time beyond 16 times the expected time within which an operation must end
 *			and a core must become free; default 2000, 1 to 600000
 *
 * On error nothing is changed, and `message`, which may be NULL, names the allowed values.
 */
int firesteel_set(struct firesteel *device, const char *key, const char *value,
		  char message[FIRESTEEL_MESSAGE_SIZE]);

/* What a device has.  Bits of curves, modes and digests are 1u << the enumerator. */
struct firesteel_capabilities {
	char name[64]; /* "uio:0000:00:02.0", "model" */

	bool public_key; /* even while other processes have all its slots */
	unsigned operand_bytes; /* the longest modulus */
	unsigned multipliers;
	unsigned curves; /* hard-wired ones; other prime curves are loaded by their parameters; 0:
			  * no curve at all */
	bool protection; /* has countermeasures */

	bool cryptomaster; /* and this process owns it now */
	unsigned modes; /* enum firesteel_mode */
	unsigned key_bits; /* of AES: bit 0 128, bit 1 192, bit 2 256 */
	bool cts; /* ciphertext stealing: CBC and XTS with a last block that is not full */
	unsigned counter_bits; /* of CTR's counter block that are incremented */
	unsigned digests; /* enum firesteel_digest */
	bool hmac;
	size_t pool_bytes; /* the total that firesteel_buffer_new() can allocate */

	unsigned engines; /* public-key cores, which work at the same time */
};

static inline void firesteel_capabilities(struct firesteel *device,
					  struct firesteel_capabilities *capabilities);

/* ---- requests ---- */

enum firesteel_operation {
	FIRESTEEL_MODEXP = 1,
	FIRESTEEL_DH,
	FIRESTEEL_RSA_PUBLIC,
	FIRESTEEL_RSA_PRIVATE,
	FIRESTEEL_RSA_CRT,
	FIRESTEEL_ECDSA_SIGN,
	FIRESTEEL_ECDSA_VERIFY,
	FIRESTEEL_ECDH,
	FIRESTEEL_EC_PUBLIC,
	FIRESTEEL_X25519,
	FIRESTEEL_ED25519_PUBLIC,
	FIRESTEEL_ED25519_SIGN,
	FIRESTEEL_ED25519_VERIFY,
	FIRESTEEL_CIPHER,
	FIRESTEEL_HASH,
	FIRESTEEL_OPERATIONS
};

/* There will never be more */
#define FIRESTEEL_OPERATIONS_MAX 64u

/* Flags of a request */
#define FIRESTEEL_UNPROTECTED (1u << 0) /* private operations without countermeasures */
#define FIRESTEEL_CHECK \
	(1u << 1) /* RSA private, ECDSA and Ed25519 signatures: checks the result by the
				   * inverse operation before returning it; see each */

struct firesteel_request {
	enum firesteel_operation operation;
	unsigned flags;
	union {
		struct firesteel_modexp modexp;
		struct firesteel_dh dh;
		struct firesteel_rsa_public rsa_public;
		struct firesteel_rsa_private rsa_private;
		struct firesteel_rsa_crt rsa_crt;
		struct firesteel_ecdsa_sign ecdsa_sign;
		struct firesteel_ecdsa_verify ecdsa_verify;
		struct firesteel_ecdh ecdh;
		struct firesteel_ec_public ec_public;
		struct firesteel_x25519 x25519;
		struct firesteel_ed25519_public ed25519_public;
		struct firesteel_ed25519_sign ed25519_sign;
		struct firesteel_ed25519_verify ed25519_verify;
		struct firesteel_cipher cipher;
		struct firesteel_hash hash;
	};
};

/* Does a request.  On error its results contain nothing that came from the core. */
static inline int firesteel_run(struct firesteel *device, const struct firesteel_request *request);

/*
 * Estimates how long a request takes, in ns, including all transfers to and from the core, but
 * without waiting for other requests.  The estimate is based on measurements at firesteel_open()
 * and since.  A negative value is the error that firesteel_run() would return, so the function also
 * shows whether the device supports the request.  Only lengths matter: `data` of operands may be
 * NULL.
 */
static inline int64_t firesteel_expect_ns(struct firesteel *device,
					  const struct firesteel_request *request);

/* Whether an operation has a secret operand that needs countermeasures.  A device without
 * countermeasures (capabilities.protection) returns FIRESTEEL_ERROR_ABSENT for such an operation,
 * unless the request has FIRESTEEL_UNPROTECTED. false for an unknown operation. */
bool firesteel_needs_protection(enum firesteel_operation operation);

/* Estimates how long, in ns, a request of this operation would wait for earlier requests; 0 if a
 * core is free */
int64_t firesteel_queue_ns(struct firesteel *device, enum firesteel_operation operation);

/*
 * Submits a request and returns at once.  The request is copied; the memory that it points at must
 * not change until the job is finished or freed.  Jobs of CryptoMaster are done in order.
 * Public-key jobs start in order, one for each public-key core at a time.
 *
 * firesteel_job_fd() returns a descriptor (an eventfd) that becomes readable when the job is done
 * and stays readable.  Wait for it with poll() or the like; do not read or close it.
 * firesteel_job_wait() sleeps until the job is done.  firesteel_job_done() returns whether the job
 * is done.
 *
 * firesteel_job_finish() returns the result of firesteel_run() and frees the job; it waits if the
 * job is not done.  firesteel_job_free() frees a job without its result: it cancels a waiting job,
 * and waits for a running job.
 *
 * firesteel_submit_fd() does the same with an eventfd of the caller, which may serve one job after
 * another.  The library writes to it when the job is done, and does not close it.  Read it before
 * the next job.
 *
 * firesteel_submit_copy() does the same with a copy of everything that the request points at,
 * including contexts.  The library reads the caller's memory only during this call, and
 * firesteel_job_free() does not write to it.  So a caller that gives up a job may free its memory
 * at once.  firesteel_job_finish() writes the results where the request said; that memory must
 * exist then.  It writes after FIRESTEEL_OK, and zeros after FIRESTEEL_ERROR_TAG.  After another
 * error results and context are unchanged.
 *
 * In a forked child a job of the parent never ends: all of these return FIRESTEEL_ERROR_FORKED;
 * finish and free also free the child's copy.
 */
static inline int firesteel_submit(struct firesteel *device,
				   const struct firesteel_request *request,
				   struct firesteel_job **job);
static inline int firesteel_submit_fd(struct firesteel *device,
				      const struct firesteel_request *request, int fd,
				      struct firesteel_job **job);
static inline int firesteel_submit_copy(struct firesteel *device,
					const struct firesteel_request *request, int fd,
					struct firesteel_job **job);
int firesteel_job_fd(const struct firesteel_job *job);
int firesteel_job_done(const struct firesteel_job *job); /* 1, 0, or an error */
int firesteel_job_wait(struct firesteel_job *job);
int firesteel_job_finish(struct firesteel_job *job);
int firesteel_job_free(struct firesteel_job *job);

/* ---- memory that the cores can access ---- */

/*
 * Memory that symmetric requests use without a copy, if `in`, `aad` or `out` of a request lie in
 * such a buffer.  It is aligned to 64 bytes.  NULL if no memory is left, or if there is no
 * CryptoMaster; ordinary memory can always be used instead.
 *
 * A buffer belongs to the process that allocated it: a forked child must not use it.
 * firesteel_close() frees the remaining buffers.
 */
void *firesteel_buffer_new(struct firesteel *device, size_t size);
void firesteel_buffer_free(struct firesteel *device, void *buffer);

/* ---- statistics ---- */

/* What this process has done with a device since it was opened; in a child, since the fork */
struct firesteel_statistics {
	uint64_t operations[FIRESTEEL_OPERATIONS_MAX]; /* done, by kind */
	uint64_t errors[FIRESTEEL_OPERATIONS_MAX]; /* ended with an error, by kind */
	uint64_t bytes; /* payload of symmetric operations */
	uint64_t copied; /* of these, bytes that were copied to or from the cores' memory */
	uint64_t spun; /* waits that ended while spinning */
	uint64_t slept; /* waits that went to sleep */
	uint64_t queued; /* requests that found their core in use */
	uint64_t retries; /* after a spurious "not invertible" */
	uint64_t faults; /* bus errors, inconsistent states and time-outs of a core */
	uint64_t resets; /* of CryptoMaster */
	uint64_t checks_failed; /* results that FIRESTEEL_CHECK withheld */
	uint64_t unproven; /* answers of the public-key core withheld for lack of evidence */
	uint64_t unprotected; /* requests left to software for lack of countermeasures */
};

static inline void firesteel_statistics(struct firesteel *device,
					struct firesteel_statistics *statistics);

/* ---- helpers ---- */

/* Overwrites memory with zeros; the compiler cannot optimise it away */
void firesteel_wipe(void *memory, size_t size);

/*
 * ---- sizes: for programs that were compiled with the headers of another version ----
 *
 * Later versions of this library may have more members at the end of a request's structure, of the
 * capabilities and of the statistics.  So the library's functions take the size of the caller's
 * structure, and the inline functions pass the size from this header.  Bindings of other languages
 * call the functions with a size.
 *
 * A shorter request counts as filled up with zeros.  A longer request is done if the part that the
 * library does not know is 0; otherwise the answer is FIRESTEEL_ERROR_NEWER.  Output to a structure
 * of the caller is cut off at its size, or filled up with zeros.
 *
 * The structures firesteel_bytes, firesteel_output, firesteel_curve and firesteel_curve_parameters
 * never change.  A context grows only together with the structure of its request, so the request's
 * size identifies the context's version.
 */

/* The size of a request of this operation: up to the end of the operation's structure in the
 * union */
static inline size_t firesteel_request_size(enum firesteel_operation operation)
{
#define FIRESTEEL_END_OF(member)                      \
	(offsetof(struct firesteel_request, member) + \
	 sizeof(((struct firesteel_request *)0)->member))
	switch (operation) {
	case FIRESTEEL_MODEXP:
		return FIRESTEEL_END_OF(modexp);
	case FIRESTEEL_DH:
		return FIRESTEEL_END_OF(dh);
	case FIRESTEEL_RSA_PUBLIC:
		return FIRESTEEL_END_OF(rsa_public);
	case FIRESTEEL_RSA_PRIVATE:
		return FIRESTEEL_END_OF(rsa_private);
	case FIRESTEEL_RSA_CRT:
		return FIRESTEEL_END_OF(rsa_crt);
	case FIRESTEEL_ECDSA_SIGN:
		return FIRESTEEL_END_OF(ecdsa_sign);
	case FIRESTEEL_ECDSA_VERIFY:
		return FIRESTEEL_END_OF(ecdsa_verify);
	case FIRESTEEL_ECDH:
		return FIRESTEEL_END_OF(ecdh);
	case FIRESTEEL_EC_PUBLIC:
		return FIRESTEEL_END_OF(ec_public);
	case FIRESTEEL_X25519:
		return FIRESTEEL_END_OF(x25519);
	case FIRESTEEL_ED25519_PUBLIC:
		return FIRESTEEL_END_OF(ed25519_public);
	case FIRESTEEL_ED25519_SIGN:
		return FIRESTEEL_END_OF(ed25519_sign);
	case FIRESTEEL_ED25519_VERIFY:
		return FIRESTEEL_END_OF(ed25519_verify);
	case FIRESTEEL_CIPHER:
		return FIRESTEEL_END_OF(cipher);
	case FIRESTEEL_HASH:
		return FIRESTEEL_END_OF(hash);
	default:
		return offsetof(struct firesteel_request, modexp);
	}
#undef FIRESTEEL_END_OF
}

int firesteel_run_sized(struct firesteel *device, const struct firesteel_request *request,
			size_t size);
int64_t firesteel_expect_ns_sized(struct firesteel *device, const struct firesteel_request *request,
				  size_t size);
int firesteel_submit_sized(struct firesteel *device, const struct firesteel_request *request,
			   size_t size, struct firesteel_job **job);
int firesteel_submit_fd_sized(struct firesteel *device, const struct firesteel_request *request,
			      size_t size, int fd, struct firesteel_job **job);
int firesteel_submit_copy_sized(struct firesteel *device, const struct firesteel_request *request,
				size_t size, int fd, struct firesteel_job **job);
void firesteel_capabilities_sized(struct firesteel *device,
				  struct firesteel_capabilities *capabilities, size_t size);
void firesteel_statistics_sized(struct firesteel *device, struct firesteel_statistics *statistics,
				size_t size);

static inline size_t firesteel_size_of(const struct firesteel_request *request)
{
	return request ? firesteel_request_size(request->operation) : 0;
}

static inline int firesteel_run(struct firesteel *device, const struct firesteel_request *request)
{
	return firesteel_run_sized(device, request, firesteel_size_of(request));
}

static inline int64_t firesteel_expect_ns(struct firesteel *device,
					  const struct firesteel_request *request)
{
	return firesteel_expect_ns_sized(device, request, firesteel_size_of(request));
}

static inline int firesteel_submit(struct firesteel *device,
				   const struct firesteel_request *request,
				   struct firesteel_job **job)
{
	return firesteel_submit_sized(device, request, firesteel_size_of(request), job);
}

static inline int firesteel_submit_fd(struct firesteel *device,
				      const struct firesteel_request *request, int fd,
				      struct firesteel_job **job)
{
	return firesteel_submit_fd_sized(device, request, firesteel_size_of(request), fd, job);
}

static inline int firesteel_submit_copy(struct firesteel *device,
					const struct firesteel_request *request, int fd,
					struct firesteel_job **job)
{
	return firesteel_submit_copy_sized(device, request, firesteel_size_of(request), fd, job);
}

static inline void firesteel_capabilities(struct firesteel *device,
					  struct firesteel_capabilities *capabilities)
{
	firesteel_capabilities_sized(device, capabilities, sizeof(*capabilities));
}

static inline void firesteel_statistics(struct firesteel *device,
					struct firesteel_statistics *statistics)
{
	firesteel_statistics_sized(device, statistics, sizeof(*statistics));
}

#ifdef __cplusplus
}
#endif

#endif
