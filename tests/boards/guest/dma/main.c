/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of one kind and size through libfiresteel, to count what each takes of the processor.
 *
 *     dma KIND SIZE COUNT [PLACE]
 *
 * KIND: cbc, gcm, open (GCM, decrypting), sha256.  PLACE: "process", memory of the process (without
 * it), or "device", memory that the cores reach.  Prints the last result in hexadecimal digits.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <firesteel/firesteel.h>

#define SIZE_MAX_BYTES (1u << 20)

static struct firesteel *device;
static uint8_t key[32], iv[16], tag[16], digest[32];

static struct firesteel_request cipher(enum firesteel_mode mode, uint8_t *data, size_t size)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = mode,
			    .key = { key, sizeof(key) },
			    .iv = { iv, mode == FIRESTEEL_GCM ? 12 : 16 },
			    .in = { data, size },
			    .out = { data, size } },
	};
}

static struct firesteel_request sealing(uint8_t *data, size_t size)
{
	struct firesteel_request request = cipher(FIRESTEEL_GCM, data, size);

	request.cipher.tag = (struct firesteel_output){ tag, sizeof(tag) };
	return request;
}

static struct firesteel_request hashing(const uint8_t *data, size_t size)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_HASH,
		.hash = { .algorithm = FIRESTEEL_SHA256,
			  .in = { data, size },
			  .digest = { digest, sizeof(digest) } },
	};
}

static void must(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "dma: %s: %s\n", what, firesteel_error_text(error));
	exit(1);
}

/* Opens what was sealed, which gives back what was there before */
static void reopen(uint8_t *data, size_t size)
{
	struct firesteel_request seal = sealing(data, size);
	struct firesteel_request open = cipher(FIRESTEEL_GCM, data, size);

	open.cipher.decrypt = true;
	open.cipher.expected = (struct firesteel_bytes){ tag, sizeof(tag) };
	must(firesteel_run(device, &seal), "seal");
	must(firesteel_run(device, &open), "open");
}

static void run(const char *kind, uint8_t *data, size_t size)
{
	struct firesteel_request request;

	if (!strcmp(kind, "open")) {
		reopen(data, size);
		return;
	}
	if (!strcmp(kind, "cbc"))
		request = cipher(FIRESTEEL_CBC, data, size);
	else if (!strcmp(kind, "gcm"))
		request = sealing(data, size);
	else
		request = hashing(data, size);
	must(firesteel_run(device, &request), kind);
}

static void print(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		printf("%02x", bytes[i]);
	printf("\n");
}

static uint8_t *place_of(const char *name, size_t size)
{
	return strcmp(name, "device") ? malloc(size) : firesteel_buffer_new(device, size);
}

int main(int argc, char **argv)
{
	char message[FIRESTEEL_MESSAGE_SIZE];
	uint8_t *data;
	size_t size;

	if (argc < 4 || strtoul(argv[2], NULL, 10) > SIZE_MAX_BYTES) {
		fprintf(stderr, "usage: dma KIND SIZE COUNT [PLACE]\n");
		return 2;
	}
	size = strtoul(argv[2], NULL, 10);
	if (firesteel_open("auto", &device, message)) {
		fprintf(stderr, "dma: %s\n", message);
		return 1;
	}
	data = place_of(argc > 4 ? argv[4] : "process", size);
	if (!data)
		return 1;
	for (size_t i = 0; i < size; i++)
		data[i] = (uint8_t)(i * 7);
	for (unsigned long count = strtoul(argv[3], NULL, 10); count > 0; count--)
		run(argv[1], data, size);
	print(strcmp(argv[1], "sha256") ? data : digest,
	      strcmp(argv[1], "sha256") ? size : sizeof(digest));
	firesteel_close(device);
	return 0;
}
