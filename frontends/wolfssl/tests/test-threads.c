/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Threads that begin all works at once, on a core that fails now and then. */
#include <pthread.h>

#include "works.h"

#define THREADS 4u

static void *work(void *argument)
{
	const unsigned number = *(unsigned *)argument;

	works_ciphers(3 + number);
	works_hashes(3);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	unsigned numbers[THREADS];

	unit_open("model:hash=on,faults=dma-error:rate=20", true);
	for (unsigned i = 0; i < THREADS; i++) {
		numbers[i] = i;
		CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	unit_print();
	CHECK(unit_count(FIRESTEEL_WOLFSSL_GCM).hardware > 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_SHA256).hardware > 0);
	unit_close();
	return 0;
}
