/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads and one device: results are right, turns are fair. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#define THREADS 64u
#define ROUNDS  10u

static struct firesteel *device;

struct worker {
	pthread_t thread;
	unsigned index;
	unsigned bad;
	unsigned done;
	unsigned overtaken; /* of these, by more than was its turn */
};

static uint8_t modexp_answer[64], cbc_answer[100 * 16];

static void work_once(struct worker *worker)
{
	uint8_t result[64], bytes[sizeof(cbc_answer)] = { 0 };
	struct firesteel_request modexp = unit_modexp(result);
	struct firesteel_request cbc = unit_cbc(bytes, sizeof(bytes));

	if (firesteel_run(device, &modexp) != FIRESTEEL_OK ||
	    memcmp(result, modexp_answer, sizeof(result)) != 0)
		worker->bad++;
	if (firesteel_run(device, &cbc) != FIRESTEEL_OK ||
	    memcmp(bytes, cbc_answer, sizeof(bytes)) != 0)
		worker->bad++;
	worker->done++;
}

static void *work(void *opaque)
{
	struct worker *worker = opaque;

	for (unsigned i = 0; i < ROUNDS; i++)
		work_once(worker);
	return NULL;
}

static void compute_answers(void)
{
	struct firesteel_request modexp = unit_modexp(modexp_answer);
	struct firesteel_request cbc = unit_cbc(cbc_answer, sizeof(cbc_answer));

	unit_run(device, &modexp, FIRESTEEL_OK);
	unit_check_modexp(modexp_answer);
	memset(cbc_answer, 0, sizeof(cbc_answer));
	unit_run(device, &cbc, FIRESTEEL_OK);
}

static void run_threads(const char *name, const char *completion)
{
	static struct worker workers[THREADS];
	struct firesteel_statistics statistics;

	device = unit_open(name);
	assert_int_equal(firesteel_set(device, "completion", completion, NULL), FIRESTEEL_OK);
	assert_int_equal(firesteel_set(device, "timeout_ms", "600000", NULL), FIRESTEEL_OK);
	compute_answers();
	memset(workers, 0, sizeof(workers));
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		assert_int_equal(workers[i].bad, 0);
	}
	firesteel_statistics(device, &statistics);
	assert_int_equal(statistics.operations[FIRESTEEL_MODEXP], THREADS * ROUNDS + 1);
	assert_int_equal(statistics.operations[FIRESTEEL_CIPHER], THREADS * ROUNDS + 1);
	assert_int_equal(statistics.faults, 0);
	firesteel_close(device);
}

static void without_time(void **state)
{
	(void)state;
	run_threads("model", "adaptive");
}

static void with_time(void **state)
{
	(void)state;
	run_threads("model:hash=on,pk_multipliers=256", "adaptive");
}

static void with_interrupts(void **state)
{
	(void)state;
	run_threads("model:hash=on,pk_multipliers=256", "irq");
}

/*
 * A request that comes while others wait does not go before them: nobody starves.  Each counts the
 * requests of others that end while one of its own is under way.  The host's scheduler may put a
 * thread off now and then, so not every one of them tells.
 */
#define WORKERS 4u
#define SAMPLES 40u

static unsigned ended;

static void *work_long(void *opaque)
{
	struct worker *worker = opaque;
	uint8_t result[64];
	struct firesteel_request modexp = unit_modexp(result);

	while (!__atomic_load_n(&worker->bad, __ATOMIC_SEQ_CST)) {
		unsigned before = __atomic_load_n(&ended, __ATOMIC_SEQ_CST);

		firesteel_run(device, &modexp);
		if (__atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST) - before > 2 * WORKERS)
			__atomic_fetch_add(&worker->overtaken, 1, __ATOMIC_SEQ_CST);
		__atomic_fetch_add(&worker->done, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void turns_are_fair(void **state)
{
	static struct worker workers[WORKERS];
	bool enough = false;

	(void)state;
	device = unit_open("model:pk_multipliers=256");
	memset(workers, 0, sizeof(workers));
	for (unsigned i = 0; i < WORKERS; i++)
		pthread_create(&workers[i].thread, NULL, work_long, &workers[i]);
	while (!enough) {
		usleep(1000);
		enough = true;
		for (unsigned i = 0; i < WORKERS; i++)
			enough &= __atomic_load_n(&workers[i].done, __ATOMIC_SEQ_CST) >= SAMPLES;
	}
	for (unsigned i = 0; i < WORKERS; i++)
		__atomic_store_n(&workers[i].bad, 1, __ATOMIC_SEQ_CST);
	for (unsigned i = 0; i < WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		assert_true(2 * workers[i].overtaken < workers[i].done);
	}
	firesteel_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_time),
		cmocka_unit_test(with_time),
		cmocka_unit_test(with_interrupts),
		cmocka_unit_test(turns_are_fair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
