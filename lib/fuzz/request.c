/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes requests: any operation with operands of any length and content, in ordinary memory or in
 * the cores', in pieces or whole, also asynchronous or copied, on a model that takes no time.
 *
 * An input is a byte for each choice, and the bytes of operands.  Besides what the sanitizers see
 * the harness holds the library to its promises: an error is one of those that the header names, a
 * request that fails writes nothing outside of its results, and what is given as results lies
 * within them.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include <firesteel/firesteel.h>

#define OPERANDS_MAX 16u
#define EDGE         16u /* bytes around a result that must stay as they are */
#define MARK         0xa6u

struct input {
	const uint8_t *next;
	const uint8_t *end;
};

/* What a request points at */
struct memory {
	void *pieces[OPERANDS_MAX];
	size_t sizes[OPERANDS_MAX];
	unsigned count;
};

static struct firesteel *device;
static int descriptor; /* of jobs that are copies */

/* ---- input: ends in zeros ---- */

static uint8_t byte(struct input *in)
{
	return in->next < in->end ? *in->next++ : 0;
}

static void demand(bool kept)
{
	if (!kept)
		abort();
}

/* Mostly lengths that make sense, sometimes any */
static size_t length(struct input *in)
{
	static const size_t usual[] = { 0,  1,  12, 16, 20, 24, 28,  32,  33,
					48, 64, 65, 66, 67, 96, 128, 256, 512 };
	uint8_t choice = byte(in);

	if (choice < 200)
		return usual[choice % (sizeof(usual) / sizeof(*usual))];
	return byte(in) * (size_t)(choice - 199);
}

static uint8_t *keep(struct memory *memory, size_t size)
{
	uint8_t *piece = malloc(size + 2 * EDGE);

	demand(piece && memory->count < OPERANDS_MAX);
	memset(piece, MARK, size + 2 * EDGE);
	memory->pieces[memory->count] = piece;
	memory->sizes[memory->count++] = size;
	return piece + EDGE;
}

static struct firesteel_bytes bytes(struct input *in, struct memory *memory)
{
	size_t size = length(in);
	uint8_t *piece;

	if (byte(in) == 255)
		return (struct firesteel_bytes){ NULL, size };
	piece = keep(memory, size);
	for (size_t i = 0; i < size; i++)
		piece[i] = byte(in);
	return (struct firesteel_bytes){ piece, size };
}

static struct firesteel_output output(struct input *in, struct memory *memory)
{
	size_t size = length(in);

	if (byte(in) == 255)
		return (struct firesteel_output){ NULL, size };
	return (struct firesteel_output){ keep(memory, size), size };
}

/* ---- requests ---- */

static struct firesteel_curve curve(struct input *in, struct memory *memory,
				    struct firesteel_curve_parameters *parameters)
{
	struct firesteel_curve chosen = { (enum firesteel_curve_name)(byte(in) % 8), NULL };

	if (chosen.name == FIRESTEEL_CURVE_LOADED && byte(in)) {
		*parameters = (struct firesteel_curve_parameters){
			bytes(in, memory), bytes(in, memory), bytes(in, memory),
			bytes(in, memory), bytes(in, memory), bytes(in, memory),
		};
		chosen.parameters = parameters;
	}
	return chosen;
}

static void fill_numbers(struct firesteel_request *request, struct input *in, struct memory *m)
{
	switch (request->operation) {
	case FIRESTEEL_MODEXP:
		request->modexp = (struct firesteel_modexp){ bytes(in, m), bytes(in, m),
							     bytes(in, m), output(in, m) };
		return;
	case FIRESTEEL_DH:
		request->dh = (struct firesteel_dh){ bytes(in, m), bytes(in, m), bytes(in, m),
						     output(in, m) };
		return;
	case FIRESTEEL_RSA_PUBLIC:
		request->rsa_public = (struct firesteel_rsa_public){ bytes(in, m), bytes(in, m),
								     bytes(in, m), output(in, m) };
		return;
	case FIRESTEEL_RSA_PRIVATE:
		request->rsa_private = (struct firesteel_rsa_private){
			bytes(in, m), bytes(in, m), bytes(in, m),
			bytes(in, m), bytes(in, m), output(in, m),
		};
		return;
	default:
		request->rsa_crt = (struct firesteel_rsa_crt){
			bytes(in, m), bytes(in, m), bytes(in, m), bytes(in, m),  bytes(in, m),
			bytes(in, m), bytes(in, m), bytes(in, m), output(in, m),
		};
	}
}

static void fill_curves(struct firesteel_request *request, struct input *in, struct memory *m,
			struct firesteel_curve_parameters *parameters)
{
	struct firesteel_curve chosen = curve(in, m, parameters);

	switch (request->operation) {
	case FIRESTEEL_ECDSA_SIGN:
		request->ecdsa_sign = (struct firesteel_ecdsa_sign){
			chosen,       bytes(in, m), bytes(in, m),  bytes(in, m),
			bytes(in, m), bytes(in, m), output(in, m), output(in, m),
		};
		return;
	case FIRESTEEL_ECDSA_VERIFY:
		request->ecdsa_verify = (struct firesteel_ecdsa_verify){
			chosen,       bytes(in, m), bytes(in, m),
			bytes(in, m), bytes(in, m), bytes(in, m),
		};
		return;
	case FIRESTEEL_ECDH:
		request->ecdh = (struct firesteel_ecdh){
			chosen,       bytes(in, m),  bytes(in, m),
			bytes(in, m), output(in, m), output(in, m)
		};
		return;
	default:
		request->ec_public = (struct firesteel_ec_public){ chosen, bytes(in, m),
								   output(in, m), output(in, m) };
	}
}

static void fill_25519(struct firesteel_request *request, struct input *in, struct memory *m)
{
	switch (request->operation) {
	case FIRESTEEL_X25519:
		request->x25519 = (struct firesteel_x25519){ bytes(in, m), bytes(in, m),
							     output(in, m) };
		return;
	case FIRESTEEL_ED25519_PUBLIC:
		request->ed25519_public = (struct firesteel_ed25519_public){ bytes(in, m),
									     output(in, m) };
		return;
	case FIRESTEEL_ED25519_SIGN:
		request->ed25519_sign = (struct firesteel_ed25519_sign){ bytes(in, m), bytes(in, m),
									 bytes(in, m),
									 output(in, m) };
		return;
	default:
		request->ed25519_verify = (struct firesteel_ed25519_verify){ bytes(in, m),
									     bytes(in, m),
									     bytes(in, m) };
	}
}

/* A context is the library's own and is not made up, but may be gone on with */
static struct firesteel_cipher_context cipher_context;
static struct firesteel_hash_context hash_context;

static void fill_symmetric(struct firesteel_request *request, struct input *in, struct memory *m)
{
	uint8_t how = byte(in);

	if (how & 0x20) {
		memset(&cipher_context, 0, sizeof(cipher_context));
		memset(&hash_context, 0, sizeof(hash_context));
	}
	if (request->operation == FIRESTEEL_HASH) {
		request->hash = (struct firesteel_hash){
			.algorithm = (enum firesteel_digest)(byte(in) % 7),
			.hmac = how & 1,
			.more = how & 2,
			.key = bytes(in, m),
			.in = bytes(in, m),
			.digest = output(in, m),
			.context = how & 4 ? &hash_context : NULL,
		};
		return;
	}
	request->cipher = (struct firesteel_cipher){
		.mode = (enum firesteel_mode)(byte(in) % 11),
		.decrypt = how & 1,
		.more = how & 2,
		.key = bytes(in, m),
		.iv = bytes(in, m),
		.aad = bytes(in, m),
		.in = bytes(in, m),
		.tag = output(in, m),
		.expected = bytes(in, m),
		.context = how & 4 ? &cipher_context : NULL,
		.total = byte(in),
	};
	request->cipher.out = (struct firesteel_output){
		keep(m, request->cipher.in.size),
		how & 8 ? length(in) % (request->cipher.in.size + 1) : request->cipher.in.size,
	};
}

static void fill(struct firesteel_request *request, struct input *in, struct memory *memory,
		 struct firesteel_curve_parameters *parameters)
{
	request->operation = (enum firesteel_operation)(byte(in) % (FIRESTEEL_OPERATIONS + 2));
	request->flags = byte(in) % 5;
	if (request->operation == 0 || request->operation >= FIRESTEEL_OPERATIONS)
		return;
	if (request->operation <= FIRESTEEL_RSA_CRT)
		fill_numbers(request, in, memory);
	else if (request->operation <= FIRESTEEL_EC_PUBLIC)
		fill_curves(request, in, memory, parameters);
	else if (request->operation <= FIRESTEEL_ED25519_VERIFY)
		fill_25519(request, in, memory);
	else
		fill_symmetric(request, in, memory);
}

/* ---- promises ---- */

static void check_error(int error)
{
	demand(error <= FIRESTEEL_OK && error >= FIRESTEEL_ERROR_NEWER);
	/* the model answers, and is never another's */
	demand(error != FIRESTEEL_ERROR_BUSY && error != FIRESTEEL_ERROR_TIMEOUT &&
	       error != FIRESTEEL_ERROR_FAULT && error != FIRESTEEL_ERROR_GONE &&
	       error != FIRESTEEL_ERROR_SYSTEM);
}

static void check_edges(const struct memory *memory)
{
	for (unsigned i = 0; i < memory->count; i++) {
		const uint8_t *piece = memory->pieces[i];

		for (unsigned j = 0; j < EDGE; j++)
			demand(piece[j] == MARK && piece[EDGE + memory->sizes[i] + j] == MARK);
	}
}

static int run(const struct firesteel_request *request, uint8_t choice)
{
	struct firesteel_job *submitted;
	int error;

	switch (choice) {
	case 1:
		error = firesteel_submit(device, request, &submitted);
		break;
	case 2:
	case 3:
		error = firesteel_submit_copy(device, request, descriptor, &submitted);
		break;
	default:
		return firesteel_run(device, request);
	}
	return error ? error : firesteel_job_finish(submitted);
}

static void run_one(struct input *in)
{
	struct firesteel_curve_parameters parameters;
	struct firesteel_request request;
	struct memory memory = { .count = 0 };
	int64_t expected;
	int error;

	memset(&request, 0, sizeof(request));
	fill(&request, in, &memory, &parameters);
	expected = firesteel_expect_ns(device, &request);
	error = run(&request, byte(in) % 16);
	check_error(error);
	/* what is expected to be done is tried; what is done was expected */
	demand(error || expected >= 0);
	check_edges(&memory);
	for (unsigned i = 0; i < memory.count; i++)
		free(memory.pieces[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };

	if (!device) {
		demand(firesteel_open("model", &device, NULL) == FIRESTEEL_OK);
		descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		demand(descriptor >= 0);
	}
	while (in.next < in.end)
		run_one(&in);
	return 0;
}
