/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * The Silex cores under a program that uses wolfSSL and does not know of them:
 *
 *	LD_PRELOAD=libfiresteel-wolfssl-preload.so PROGRAM
 *
 * The loader finds the functions of wolfSSL that make a context here first.  They make it as
 * wolfSSL does, and name the device for it before the program loads a key.  The cores are opened
 * with the program's first context: other programs that it starts leave them alone.
 *
 * FIRESTEEL_WOLFSSL_STATISTICS names a file that says whether the cores were found, and, once the
 * program has ended, what they did.  It is the first program's as long as that runs: a server that is
 * told to reload may start another one that only checks its configuration.
 */
#include <wolfssl/options.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <firesteel/wolfssl.h>
#include <wolfssl/ssl.h>

#include "lib/cancel.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char message[FIRESTEEL_MESSAGE_SIZE];
static int device_id = INVALID_DEVID;
static int file = -1; /* kept open: a server gives up its rights later */

/* Of the process that calls it; where a program forks, the last one to end has the last word */
static void report(void)
{
	struct firesteel_wolfssl_counters of[FIRESTEEL_WOLFSSL_WORKS];

	if (file < 0 || ftruncate(file, 0) < 0 || lseek(file, 0, SEEK_SET) < 0)
		return;
	if (device_id == INVALID_DEVID) {
		dprintf(file, "no cores: %s\n", message);
		return;
	}
	dprintf(file, "cores found\n");
	firesteel_wolfssl_statistics(of);
	for (int i = 0; i < FIRESTEEL_WOLFSSL_WORKS; i++)
		dprintf(file,
			"%s: hardware %" PRIu64 ", bytes %" PRIu64 ", small %" PRIu64
			", unfit %" PRIu64 ", busy %" PRIu64 ", failed %" PRIu64
			", rejected %" PRIu64 "\n",
			firesteel_wolfssl_work_name(i), of[i].hardware, of[i].bytes, of[i].small,
			of[i].unfit, of[i].busy, of[i].failed, of[i].rejected);
}

static void open_statistics(const char *name)
{
	file = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	if (file < 0) {
		fprintf(stderr, "firesteel-wolfssl: FIRESTEEL_WOLFSSL_STATISTICS: %s: %m\n", name);
	} else if (flock(file, LOCK_EX | LOCK_NB) < 0) {
		close(file);
		file = -1;
	}
}

static void begin(void)
{
	const char *name = secure_getenv("FIRESTEEL_WOLFSSL_STATISTICS");

	if (firesteel_wolfssl_register(NULL, &device_id, message) < 0)
		fprintf(stderr, "firesteel-wolfssl: software does all: %s\n", message);
	if (name)
		open_statistics(name);
	report();
}

__attribute__((destructor)) static void end(void)
{
	report();
}

static WOLFSSL_CTX *with_device(WOLFSSL_CTX *context)
{
	FS_UNCANCELLED; /* begin() opens and writes files */

	pthread_once(&once, begin);
	if (context && device_id != INVALID_DEVID)
		wolfSSL_CTX_SetDevId(context, device_id);
	return context;
}

WOLFSSL_CTX *wolfSSL_CTX_new(WOLFSSL_METHOD *method)
{
	WOLFSSL_CTX *(*make)(WOLFSSL_METHOD *method);

	*(void **)&make = dlsym(RTLD_NEXT, "wolfSSL_CTX_new");
	return with_device(make(method));
}

WOLFSSL_CTX *wolfSSL_CTX_new_ex(WOLFSSL_METHOD *method, void *heap)
{
	WOLFSSL_CTX *(*make)(WOLFSSL_METHOD *method, void *heap);

	*(void **)&make = dlsym(RTLD_NEXT, "wolfSSL_CTX_new_ex");
	return with_device(make(method, heap));
}
