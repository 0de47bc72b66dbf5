/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libssl in its asynchronous mode (SSL_MODE_ASYNC) at both ends: handshakes and records that pause
 * and go on by their descriptors, many connections on one thread, and connections that are freed in
 * the midst of one.
 */
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "unit.h"

#define SLOW  "model:hash=on,clock_hz=10000000"
#define LINES 12u
#define SIZE  3000

static struct unit unit;
static SSL_CTX *contexts[2]; /* client, server */

/* ---- connections ---- */

static void certify(SSL_CTX *server)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *certificate = unit_certificate(key);

	CHECK(SSL_CTX_use_certificate(server, certificate) > 0);
	CHECK(SSL_CTX_use_PrivateKey(server, key) > 0);
	X509_free(certificate);
	EVP_PKEY_free(key);
}

static void begin(void)
{
	unit = unit_open(SLOW, "all=1");
	for (unsigned i = 0; i < 2; i++) {
		contexts[i] = SSL_CTX_new_ex(unit.library, "?firesteel.cores=yes",
					     i ? TLS_server_method() : TLS_client_method());
		CHECK(contexts[i]);
		SSL_CTX_set_mode(contexts[i], SSL_MODE_ASYNC);
	}
	certify(contexts[1]);
}

static void finish(void)
{
	for (unsigned i = 0; i < 2; i++)
		SSL_CTX_free(contexts[i]);
	unit_close(&unit);
}

/* What is to be done at an end, and how far it is */
struct end {
	SSL *ssl;
	int (*step)(struct end *end); /* as SSL_do_handshake() */
	uint8_t text[SIZE];
	size_t done;
	unsigned pauses;
};

struct line {
	struct end ends[2];
};

static int shake(struct end *end)
{
	return SSL_do_handshake(end->ssl);
}

static int say(struct end *end)
{
	return SSL_write_ex(end->ssl, end->text, SIZE, &end->done) ? 1 : -1;
}

static int hear(struct end *end)
{
	size_t got;

	while (end->done < SIZE) {
		if (!SSL_read_ex(end->ssl, end->text + end->done, SIZE - end->done, &got))
			return -1;
		end->done += got;
	}
	return 1;
}

static void open_line(struct line *line, const char *suite, int version)
{
	BIO *to[2];

	memset(line, 0, sizeof(*line));
	CHECK(BIO_new_bio_pair(&to[0], 1 << 16, &to[1], 1 << 16));
	for (unsigned i = 0; i < 2; i++) {
		SSL *ssl = SSL_new(contexts[i]);

		CHECK(ssl && SSL_set_min_proto_version(ssl, version) &&
		      SSL_set_max_proto_version(ssl, version));
		CHECK(version == TLS1_3_VERSION ? SSL_set_ciphersuites(ssl, suite)
						: SSL_set_cipher_list(ssl, suite));
		SSL_set_bio(ssl, to[i], to[i]);
		line->ends[i].ssl = ssl;
	}
	SSL_set_connect_state(line->ends[0].ssl);
	SSL_set_accept_state(line->ends[1].ssl);
}

static void close_line(struct line *line)
{
	for (unsigned i = 0; i < 2; i++)
		SSL_free(line->ends[i].ssl);
}

/* ---- steps ---- */

/* Whether a paused end may go on, or it is not paused */
static bool is_ready(const struct end *end)
{
	OSSL_ASYNC_FD fd;
	struct pollfd one = { .events = POLLIN };
	size_t count;

	if (!SSL_waiting_for_async(end->ssl))
		return true;
	CHECK(SSL_get_all_async_fds(end->ssl, NULL, &count) && count == 1);
	CHECK(SSL_get_all_async_fds(end->ssl, &fd, &count));
	one.fd = fd;
	return poll(&one, 1, 0) == 1;
}

/* True when an end's step is over */
static bool go_on(struct end *end)
{
	int result, error;

	if (!end->step || !is_ready(end))
		return !end->step;
	ERR_clear_error();
	result = end->step(end);
	if (result == 1) {
		end->step = NULL;
		return true;
	}
	error = SSL_get_error(end->ssl, result);
	CHECK(error == SSL_ERROR_WANT_ASYNC || error == SSL_ERROR_WANT_READ ||
	      error == SSL_ERROR_WANT_WRITE);
	end->pauses += error == SSL_ERROR_WANT_ASYNC;
	return false;
}

/* All ends of all lines, in turns, until all are at their end */
static void play(struct line *lines, unsigned count)
{
	unsigned left;

	do {
		left = 0;
		for (unsigned i = 0; i < 2 * count; i++)
			left += !go_on(&lines[i / 2].ends[i % 2]);
	} while (left > 0);
}

static void all_step(struct line *lines, unsigned count, int (*from)(struct end *),
		     int (*to)(struct end *))
{
	for (unsigned i = 0; i < count; i++) {
		lines[i].ends[0].step = from;
		lines[i].ends[1].step = to;
		lines[i].ends[0].done = lines[i].ends[1].done = 0;
	}
	play(lines, count);
}

/* ---- scenes ---- */

static const struct {
	const char *suite;
	int version;
} suites[] = {
	{ "TLS_AES_256_GCM_SHA384", TLS1_3_VERSION },
	{ "TLS_AES_128_CCM_SHA256", TLS1_3_VERSION },
	{ "ECDHE-ECDSA-AES128-GCM-SHA256", TLS1_2_VERSION },
	{ "ECDHE-ECDSA-AES256-SHA384", TLS1_2_VERSION },
	{ "ECDHE-ECDSA-AES128-SHA", TLS1_2_VERSION },
};

static void conversations(void)
{
	static struct line lines[LINES];

	for (unsigned i = 0; i < LINES; i++)
		open_line(&lines[i], suites[i % COUNT(suites)].suite,
			  suites[i % COUNT(suites)].version);
	all_step(lines, LINES, shake, shake);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < LINES; i++)
			unit_fill(lines[i].ends[round].text, SIZE);
		all_step(lines, LINES, round ? hear : say, round ? say : hear);
		for (unsigned i = 0; i < LINES; i++)
			CHECK(memcmp(lines[i].ends[0].text, lines[i].ends[1].text, SIZE) == 0);
	}
	for (unsigned i = 0; i < LINES; i++) {
		CHECK(lines[i].ends[0].pauses > 2 && lines[i].ends[1].pauses > 2);
		close_line(&lines[i]);
	}
}

/* Both ends are freed at the `nth` pause of one of them; false: it does not pause so often */
static bool free_at(unsigned suite, unsigned nth)
{
	struct line line;
	bool paused = false;

	open_line(&line, suites[suite].suite, suites[suite].version);
	for (unsigned scene = 0; scene < 2 && !paused; scene++) {
		line.ends[0].step = scene ? say : shake;
		line.ends[1].step = scene ? hear : shake;
		while ((line.ends[0].step || line.ends[1].step) && !paused)
			for (unsigned i = 0; i < 2 && !paused; i++) {
				go_on(&line.ends[i]);
				paused = line.ends[0].pauses + line.ends[1].pauses == nth;
			}
	}
	close_line(&line);
	memset(&line, 0xa5, sizeof(line));
	return paused;
}

static void freed_in_the_midst(void)
{
	for (unsigned i = 0; i < COUNT(suites); i++)
		for (unsigned nth = 1; free_at(i, nth); nth++)
			;
}

/* libcrypto never gives back a job that is not resumed: that leak is not ours to find */
static void without_leaks_told(void (*scene)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		begin();
		scene();
		_exit(0);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

int main(void)
{
	without_leaks_told(freed_in_the_midst);
	begin();
	conversations();
	CHECK(unit_count("gcm", UNIT_HARDWARE) > 0 && unit_count("cbc", UNIT_HARDWARE) > 0);
	finish();
	return 0;
}
