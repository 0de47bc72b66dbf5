// SPDX-License-Identifier: GPL-2.0-or-later
/* The loop that is measured; see cryptobench.h. */
#include "cryptobench.h"

/*
 * Submits all, with `in_flight` of them under way at most, and returns when the last has ended.
 * The oldest is waited for, as crypto_wait_req() waits.
 */
static void measure_run(struct bench_request **requests, unsigned int count, unsigned int in_flight,
			int (*submit)(struct bench_request *request))
{
	unsigned int i;

	for (i = 0; i < count + in_flight; i++) {
		if (i >= in_flight)
			wait_for_completion(&requests[i - in_flight]->ended);
		if (i < count)
			bench_request_submit(requests[i], submit);
	}
}

void bench_measure(struct bench_result *result, struct bench_request **requests,
		   const struct bench_settings *settings, const struct bench_kind *kind)
{
	int (*submit)(struct bench_request *request) = settings->decrypt ? kind->decrypt
									 : kind->encrypt;
	unsigned int i;

	bench_clock_calibrate(&result->reading);
	/* What happens at the first requests only is over before it counts. */
	measure_run(requests, settings->in_flight, settings->in_flight, submit);
	requests += settings->in_flight;
	bench_clock_read(&result->begin);
	measure_run(requests, settings->requests, settings->in_flight, submit);
	bench_clock_read(&result->end);
	result->asynchronous = 0;
	for (i = 0; i < settings->requests; i++)
		result->asynchronous += requests[i]->asynchronous;
}
