// SPDX-License-Identifier: Apache-2.0
/*
 * The kernel's algorithms, through AF_ALG:
 *
 *	afalg answer OPERATION TYPE NAME TAG KEY IV ASSOCIATED INPUT
 *
 * prints what the kernel makes of INPUT.  OPERATION is encrypt or decrypt, TYPE is skcipher, aead or
 * hash, TAG the bytes of an aead's tag.  KEY and all behind it are hexadecimal, or - for nothing.
 *
 *	afalg compare TYPE NAME OTHER TAG KEY ROUNDS
 *
 * asks two algorithms for the same, with an input of random length and content in each round, and
 * ends with status 1 where their answers differ.
 */
#include <errno.h>
#include <linux/if_alg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 8192, BLOCK = 16 };

struct bytes {
	size_t size;
	unsigned char data[MOST];
};

/* What is asked for */
struct request {
	const char *type;
	int decrypt;
	size_t tag;
	struct bytes key, iv, associated, input;
};

static void fail(const char *what)
{
	fprintf(stderr, "afalg: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void parse(struct bytes *to, const char *word)
{
	unsigned int value;

	to->size = 0;
	for (; word[0] && word[1] && to->size < MOST; word += 2) {
		if (sscanf(word, "%2x", &value) != 1)
			fail(word);
		to->data[to->size++] = (unsigned char)value;
	}
}

static int is(const struct request *request, const char *type)
{
	return !strcmp(request->type, type);
}

/* The socket that takes the requests of a new transform */
static int transform_open(const struct request *request, const char *name)
{
	struct sockaddr_alg address = { .salg_family = AF_ALG };
	int transform = socket(AF_ALG, SOCK_SEQPACKET, 0);
	int requests;

	strncpy((char *)address.salg_type, request->type, sizeof(address.salg_type) - 1);
	strncpy((char *)address.salg_name, name, sizeof(address.salg_name) - 1);
	if (transform < 0 || bind(transform, (struct sockaddr *)&address, sizeof(address)))
		fail(name);
	if (request->key.size && setsockopt(transform, SOL_ALG, ALG_SET_KEY, request->key.data,
					    (socklen_t)request->key.size))
		fail("the key");
	if (is(request, "aead") &&
	    setsockopt(transform, SOL_ALG, ALG_SET_AEAD_AUTHSIZE, NULL, (socklen_t)request->tag))
		fail("the size of the tag");
	requests = accept(transform, NULL, 0);
	if (requests < 0)
		fail("accept");
	close(transform);
	return requests;
}

static struct cmsghdr *option(struct msghdr *message, struct cmsghdr *last, int type,
			      const void *data, size_t size)
{
	struct cmsghdr *next = last ? CMSG_NXTHDR(message, last) : CMSG_FIRSTHDR(message);

	next->cmsg_level = SOL_ALG;
	next->cmsg_type = type;
	next->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(next), data, size);
	return next;
}

/* Writes the options of all but hashes, which have none */
static void add_options(struct msghdr *message, const struct request *request)
{
	unsigned int operation = request->decrypt ? ALG_OP_DECRYPT : ALG_OP_ENCRYPT;
	unsigned int associated = (unsigned int)request->associated.size;
	struct cmsghdr *last = option(message, NULL, ALG_SET_OP, &operation, sizeof(operation));
	unsigned char iv[sizeof(struct af_alg_iv) + MOST];
	unsigned int size = (unsigned int)request->iv.size;

	memcpy(iv, &size, sizeof(size));
	memcpy(iv + sizeof(size), request->iv.data, size);
	last = option(message, last, ALG_SET_IV, iv, sizeof(size) + size);
	if (is(request, "aead"))
		last = option(message, last, ALG_SET_AEAD_ASSOCLEN, &associated,
			      sizeof(associated));
	message->msg_controllen = (size_t)((char *)last - (char *)message->msg_control) +
				  CMSG_SPACE(last->cmsg_len - CMSG_LEN(0));
}

static void send_request(int requests, const struct request *request)
{
	static _Alignas(struct cmsghdr) char control[4096];
	struct iovec parts[2] = {
		{ (void *)request->associated.data, request->associated.size },
		{ (void *)request->input.data, request->input.size },
	};
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };

	memset(control, 0, sizeof(control));
	message.msg_control = control;
	message.msg_controllen = sizeof(control);
	if (is(request, "hash"))
		message.msg_controllen = 0;
	else
		add_options(&message, request);
	if (sendmsg(requests, &message, 0) < 0)
		fail("sendmsg");
}

/* An aead's answer begins with the associated data.  A read of more waits for another request. */
static void answer(int requests, const struct request *request, struct bytes *result)
{
	unsigned char room[2 * MOST];
	size_t skip = is(request, "aead") ? request->associated.size : 0;
	size_t text = request->input.size - (request->decrypt ? request->tag : 0);
	size_t most = skip + text + (request->decrypt ? 0 : request->tag);
	ssize_t size;

	send_request(requests, request);
	size = read(requests, room, is(request, "hash") ? sizeof(room) : most);
	if (size < (ssize_t)skip)
		fail("read");
	result->size = (size_t)size - skip;
	memcpy(result->data, room + skip, result->size);
}

static int tell(char **words)
{
	static struct request request;
	static struct bytes result;
	size_t i;

	request.decrypt = !strcmp(words[0], "decrypt");
	request.type = words[1];
	request.tag = (size_t)atoi(words[3]);
	parse(&request.key, words[4]);
	parse(&request.iv, words[5]);
	parse(&request.associated, words[6]);
	parse(&request.input, words[7]);
	answer(transform_open(&request, words[2]), &request, &result);
	for (i = 0; i < result.size; i++)
		printf("%02x", result.data[i]);
	putchar('\n');
	return 0;
}

static void fill(struct bytes *to, size_t size)
{
	to->size = size;
	if (size && getrandom(to->data, size, GRND_INSECURE) != (ssize_t)size)
		fail("getrandom");
}

static int compare(char **words)
{
	static struct request request;
	static struct bytes one, other;
	int rounds = atoi(words[5]), first, second;

	request.type = words[0];
	request.tag = (size_t)atoi(words[3]);
	parse(&request.key, words[4]);
	first = transform_open(&request, words[1]);
	second = transform_open(&request, words[2]);
	while (rounds-- > 0) {
		fill(&request.iv, is(&request, "aead") ? 12 : BLOCK);
		fill(&request.input, BLOCK * (1 + (size_t)rand() % (MOST / BLOCK / 2)));
		answer(first, &request, &one);
		answer(second, &request, &other);
		if (one.size != other.size || memcmp(one.data, other.data, one.size)) {
			fprintf(stderr, "afalg: %s and %s differ\n", words[1], words[2]);
			return 1;
		}
	}
	return 0;
}

int main(int count, char **words)
{
	if (count == 10 && !strcmp(words[1], "answer"))
		return tell(words + 2);
	if (count == 8 && !strcmp(words[1], "compare")) {
		srand((unsigned int)getpid());
		return compare(words + 2);
	}
	return 2;
}
