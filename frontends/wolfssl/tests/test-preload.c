/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * What is preloaded, which this program is linked with before wolfSSL: so the loader finds its
 * functions first, as with LD_PRELOAD.  Each scene is a process of its own, as each process has one
 * device; when it has ended, its file is read.
 */
#include <wolfssl/options.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <firesteel/wolfssl.h>
#include <wolfssl/ssl.h>
#include <wolfssl/wolfcrypt/aes.h>

#include "check.h"

static char written[8192];

/* What the file says when `scene` has ended; nothing if there is none */
static const char *after(void (*scene)(void), const char *device, const char *path)
{
	pid_t child;
	FILE *file;
	int status;

	unlink(path);
	setenv("FIRESTEEL_DEVICE", device, 1);
	setenv("FIRESTEEL_WOLFSSL_STATISTICS", path, 1);
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		scene();
		exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	memset(written, 0, sizeof(written));
	file = fopen(path, "r");
	if (file) {
		CHECK(fread(written, 1, sizeof(written) - 1, file) > 0);
		fclose(file);
	}
	printf("%s", written);
	return written;
}

static void check_contexts(int device)
{
	WOLFSSL_CTX *one = wolfSSL_CTX_new(wolfTLS_server_method());
	WOLFSSL_CTX *other = wolfSSL_CTX_new_ex(wolfTLS_client_method(), NULL);

	CHECK(one && other);
	CHECK(wolfSSL_CTX_GetDevId(one, NULL) == device);
	CHECK(wolfSSL_CTX_GetDevId(other, NULL) == device);
	wolfSSL_CTX_free(one);
	wolfSSL_CTX_free(other);
}

static void with_cores(void)
{
	byte key[16] = { 0 }, bytes[64] = { 0 };
	Aes aes;

	CHECK(wolfSSL_Init() == WOLFSSL_SUCCESS);
	check_contexts(FIRESTEEL_WOLFSSL_DEVICE_ID);
	CHECK(wc_AesInit(&aes, NULL, FIRESTEEL_WOLFSSL_DEVICE_ID) == 0);
	CHECK(wc_AesSetKey(&aes, key, sizeof(key), NULL, AES_ENCRYPTION) == 0);
	CHECK(wc_AesEcbEncrypt(&aes, bytes, bytes, sizeof(bytes)) == 0);
	wc_AesFree(&aes);
	CHECK(wolfSSL_Cleanup() == WOLFSSL_SUCCESS);
}

static void without_cores(void)
{
	CHECK(wolfSSL_Init() == WOLFSSL_SUCCESS);
	check_contexts(INVALID_DEVID);
	CHECK(wolfSSL_Cleanup() == WOLFSSL_SUCCESS);
}

/* As servers go into the background: a child does the work */
static void in_the_background(void)
{
	WOLFSSL_CTX *context = wolfSSL_CTX_new(wolfTLS_server_method());
	pid_t child = fork();
	int status;

	CHECK(context && child >= 0);
	wolfSSL_CTX_free(context);
	if (child > 0) {
		CHECK(waitpid(child, &status, 0) == child && status == 0);
		_exit(0);
	}
	with_cores();
}

/* As a server is told to reload: another program, which only checks, has the same file */
static void beside_another(void)
{
	int ends[2], status;
	char byte = 0;
	pid_t other;

	CHECK(pipe(ends) == 0);
	other = fork();
	CHECK(other >= 0);
	if (other == 0) {
		CHECK(read(ends[0], &byte, 1) == 1);
		wolfSSL_CTX_free(wolfSSL_CTX_new(wolfTLS_server_method()));
		exit(0);
	}
	with_cores();
	CHECK(write(ends[1], &byte, 1) == 1);
	CHECK(waitpid(other, &status, 0) == other && status == 0);
}

static void without_tls(void)
{
	CHECK(wolfSSL_Init() == WOLFSSL_SUCCESS);
	CHECK(wolfSSL_Cleanup() == WOLFSSL_SUCCESS);
}

int main(void)
{
	char directory[] = "/tmp/preload-XXXXXX", path[64];

	CHECK(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/statistics", directory);
	setenv("FIRESTEEL_WOLFSSL_USE", "always", 1);

	CHECK(strncmp(after(with_cores, "model", path), "cores found\n", 12) == 0);
	CHECK(strstr(written, "\necb: hardware 1, bytes 64, "));
	CHECK(strstr(written, "\nrsa-private: hardware 0, "));
	after(in_the_background, "model", path);
	CHECK(strstr(written, "\necb: hardware 1, bytes 64, "));
	after(beside_another, "model", path);
	CHECK(strstr(written, "\necb: hardware 1, bytes 64, "));
	CHECK(strncmp(after(without_cores, "uio:nowhere", path), "no cores: ", 10) == 0);
	CHECK(strstr(written, "nowhere"));
	CHECK(!*after(without_tls, "model", path));
	unlink(path);
	rmdir(directory);
	/* A file that cannot be made is no reason to do without the cores */
	CHECK(!*after(with_cores, "model", path));
	return 0;
}
