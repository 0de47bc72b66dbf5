/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that loads the library itself, as one of its plug-ins, and drops it with dlclose() while
 * threads of its own and of the library's are inside: they go on.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <firesteel/firesteel.h>

#define THREADS 4u
#define ROUNDS  40u

#define TIMED "model:hash=on,pk_multipliers=16"

static struct {
	int (*open)(const char *name, struct firesteel **device, char *message);
	int (*run)(struct firesteel *device, const struct firesteel_request *request, size_t size);
	int (*submit)(struct firesteel *device, const struct firesteel_request *request,
		      size_t size, struct firesteel_job **job);
	int (*finish)(struct firesteel_job *job);
	void (*close)(struct firesteel *device);
} library;

static struct firesteel *device;
static atomic_uint under_way;

static int fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	return 1;
}

static void *load(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return NULL;
	*(void **)&library.open = dlsym(handle, "firesteel_open");
	*(void **)&library.run = dlsym(handle, "firesteel_run_sized");
	*(void **)&library.submit = dlsym(handle, "firesteel_submit_sized");
	*(void **)&library.finish = dlsym(handle, "firesteel_job_finish");
	*(void **)&library.close = dlsym(handle, "firesteel_close");
	return handle;
}

/* 5 to the power of 3, by a modulus that is greater */
static struct firesteel_request cube(uint8_t result[64])
{
	static const uint8_t modulus[64] = { [0] = 0xc1, [63] = 0x61 }, base = 5, exponent = 3;

	return (struct firesteel_request){
		.operation = FIRESTEEL_MODEXP,
		.modexp = { .modulus = { modulus, sizeof(modulus) },
			    .exponent = { &exponent, 1 },
			    .base = { &base, 1 },
			    .result = { result, 64 } },
	};
}

static int is_right(const uint8_t result[64])
{
	static const uint8_t zeros[63];

	return memcmp(result, zeros, sizeof(zeros)) == 0 && result[63] == 125;
}

/* NULL: it was right each time */
static void *work(void *unused)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint8_t result[64];
		struct firesteel_request request = cube(result);

		atomic_fetch_add(&under_way, 1);
		if (library.run(device, &request, sizeof(request)) || !is_right(result))
			return &device;
	}
	return unused;
}

static int run_threads(void *handle)
{
	pthread_t threads[THREADS];
	int failed = 0;

	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return fail("no thread");
	while (atomic_load(&under_way) < THREADS)
		usleep(100);
	dlclose(handle);
	for (unsigned i = 0; i < THREADS; i++) {
		void *wrong;

		pthread_join(threads[i], &wrong);
		failed |= wrong != NULL;
	}
	return failed ? fail("a thread had no right answer") : 0;
}

int main(int argc, char **argv)
{
	void *handle = argc == 2 ? load(argv[1]) : NULL;
	struct firesteel_job *job;
	struct firesteel_request request;
	char message[FIRESTEEL_MESSAGE_SIZE];
	uint8_t result[64];

	if (!handle)
		return fail("usage: test-unload LIBRARY");
	if (library.open(TIMED, &device, message))
		return fail(message);
	request = cube(result);
	if (library.submit(device, &request, sizeof(request), &job))
		return fail("no job");
	if (run_threads(handle))
		return 1;
	if (library.finish(job) || !is_right(result))
		return fail("the library's thread had no right answer");
	library.close(device);
	return 0;
}
