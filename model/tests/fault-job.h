/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Jobs for cores with faults: of CryptoMaster, and of the public-key core. */
#ifndef SILEX_TESTS_FAULT_JOB_H
#define SILEX_TESTS_FAULT_JOB_H

#include "bus.h"
#include "public-key.h"

#define JOB_BYTES   256u
#define STRUCK_JOBS 200u
#define LONG_AGO_NS 1000000000u

#define FROM_TO ":from=1000:until=2000" /* ms */

#define SIZE 64u /* of a public-key operation's numbers */

/* Writes a job of JOB_BYTES from INPUT to OUTPUT, and does not start it */
void fault_job_write(struct bus *bus);

/* Opens cores with these faults, and writes a job */
struct bus *fault_job_open(const char *faults);

/* Runs the job, and asserts that it ends as it would without a fault */
void fault_job_run_well(struct bus *bus);

/* Lets time pass until so many milliseconds after power-on */
void fault_wait_until(struct bus *bus, uint64_t ms);

/* Starts 5 + 7 modulo 101 */
void fault_pk_add(struct pk *pk);

#endif
