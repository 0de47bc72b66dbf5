/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pattern goes through an engine from and to the library's memory, without a copy, at several
 * alignments: what comes must be what came at the first one, and no byte next to it may change.
 */
#include "checks.h"

#include <string.h>

#define SECTION "dma"

#define SIZE   2048u /* of the pattern: several bursts of any bus */
#define MARGIN 64u /* before and after it */
#define PLACE  (SIZE + 2 * MARGIN)
#define AROUND 0xeeu

static const size_t alignments[] = { 0, 1, 2, 3, 4, 7, 8, 16, 31, 63 };

/* FIPS 197, appendix C.1 */
static const uint8_t key[16] = { 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
				 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f };
static const uint8_t block[16] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
				   0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
static const uint8_t encrypted[16] = { 0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
				       0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a };

struct transfer {
	struct window *window;
	bool hash; /* there is no AES in this window */
	size_t size; /* of what comes */
	uint8_t *in, *out; /* places in the library's memory, PLACE bytes each */
	uint8_t pattern[SIZE];
	uint8_t expected[SIZE];
};

static struct firesteel_request request_of(const struct transfer *transfer, uint8_t *in,
					   uint8_t *out)
{
	const struct window *window = transfer->window;

	if (transfer->hash)
		return (struct firesteel_request){
			.operation = FIRESTEEL_HASH,
			.hash = { .algorithm = (enum firesteel_digest)__builtin_ctz(
					  window->has.digests),
				  .in = { in, SIZE },
				  .digest = { out, transfer->size } },
		};
	return (struct firesteel_request){
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = FIRESTEEL_ECB,
			    .key = { key, sizeof(key) },
			    .in = { in, SIZE },
			    .out = { out, SIZE } },
	};
}

/* The first transfer, which all others are compared with; AES also has its published answer, and the
 * way back */
static bool begin(struct transfer *transfer)
{
	struct window *window = transfer->window;
	struct firesteel_request request = request_of(transfer, transfer->pattern,
						      transfer->expected);
	uint8_t back[SIZE];
	int error = window_run(window, &request);

	if (!error && !transfer->hash) {
		request.cipher.decrypt = true;
		request.cipher.in.data = transfer->expected;
		request.cipher.out.data = back;
		error = window_run(window, &request);
	}
	if (error)
		window_failed(window, FS_CM, "dma", SECTION, error);
	else if (!transfer->hash && memcmp(transfer->expected, encrypted, sizeof(encrypted)) != 0)
		window_differs(window, "dma", SECTION, encrypted, transfer->expected,
			       sizeof(encrypted));
	else if (!transfer->hash && memcmp(back, transfer->pattern, SIZE) != 0)
		window_differs(window, "dma", SECTION, transfer->pattern, back, SIZE);
	else
		return true;
	return false;
}

/* Where a byte outside of the result has changed; PLACE: nowhere */
static size_t spilled(const struct transfer *transfer, size_t begin)
{
	for (size_t i = 0; i < PLACE; i++)
		if ((i < begin || i >= begin + transfer->size) && transfer->out[i] != AROUND)
			return i;
	return PLACE;
}

static bool compare(struct transfer *transfer, size_t from, size_t to)
{
	struct window *window = transfer->window;
	uint8_t *out = transfer->out + MARGIN + to;
	size_t place = spilled(transfer, MARGIN + to);

	if (memcmp(out, transfer->expected, transfer->size) != 0)
		window_differs(window, "dma", SECTION, transfer->expected, out, transfer->size);
	else if (place < PLACE)
		report_failed(window->report, "dma", SECTION,
			      "expected writes within %zu bytes, came one at byte %td (from "
			      "alignment %zu to %zu)",
			      transfer->size, (ptrdiff_t)place - (ptrdiff_t)(MARGIN + to), from,
			      to);
	else
		return true;
	return false;
}

static bool move(struct transfer *transfer, size_t from, size_t to)
{
	uint8_t *in = transfer->in + MARGIN + from, *out = transfer->out + MARGIN + to;
	struct firesteel_request request = request_of(transfer, in, out);
	int error;

	memset(transfer->out, AROUND, PLACE);
	memcpy(in, transfer->pattern, SIZE);
	error = window_run(transfer->window, &request);
	if (error) {
		window_failed(transfer->window, FS_CM, "dma", SECTION, error);
		return false;
	}
	return compare(transfer, from, to);
}

static void run(struct transfer *transfer)
{
	unsigned count = 0;

	for (unsigned i = 0; i < sizeof(alignments) / sizeof(*alignments); i++, count += 3) {
		size_t at = alignments[i];

		if (!move(transfer, at, 0) || !move(transfer, 0, at) || !move(transfer, at, at))
			return;
	}
	report_ok(transfer->window->report, "dma",
		  "%u transfers of %u bytes at alignments of 0 to 63 bytes", count, SIZE);
}

static void set_up(struct transfer *transfer)
{
	static const size_t sizes[] = { 20, 28, 32, 48, 64 };
	const struct window *window = transfer->window;

	transfer->hash = !window_encrypts(window);
	transfer->size = transfer->hash ? sizes[__builtin_ctz(window->has.digests)] : SIZE;
	for (size_t i = 0; i < SIZE; i++)
		transfer->pattern[i] = (uint8_t)(i ^ i >> 8);
	memcpy(transfer->pattern, block, sizeof(block));
}

void check_dma(struct window *window)
{
	static struct transfer transfer;
	struct firesteel *device = window->device;

	if (!(window_encrypts(window) || window->has.digests) || !window_try(window, FS_CM))
		return;
	transfer.window = window;
	set_up(&transfer);
	transfer.in = firesteel_buffer_new(device, PLACE);
	transfer.out = firesteel_buffer_new(device, PLACE);
	if (!transfer.in || !transfer.out)
		report_failed(window->report, "dma", SECTION,
			      "expected %u bytes of memory for DMA, came none", 2 * PLACE);
	else if (begin(&transfer))
		run(&transfer);
	firesteel_buffer_free(device, transfer.in);
	firesteel_buffer_free(device, transfer.out);
}
