/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An operation is polled for, and then waited for by interrupt.  Meanwhile the transport's sleep is
 * watched: whether the core has raised its interrupt, and whether that has woken the program.
 */
#include "checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../silex/ba414.h"
#include "../../silex/cryptomaster.h"
#include "../../silex/soc.h"
#include "../clock.h"
#include "../uio-list.h"

#define SECTION "interrupts"
#define SIZE    32768u /* of a message: the longest that goes to the core as a whole */
#define OPERAND 256u

static struct watch {
	const struct fs_transport_ops *ops; /* the transport's own */
	enum fs_core core;
	bool early; /* there was an interrupt before its end */
	bool ended; /* somebody slept until its end */
	bool raised; /* the core shows one after it */
	long before, after; /* events that the kernel had counted at its start and by then */
} watch;

/* Events that the kernel has counted of a core's device; -1: it has no such device */
static long events_of(struct fs_transport *transport, enum fs_core core)
{
	char path[256], line[32] = "";
	FILE *file;

	if (!*transport->file[core])
		return -1;
	snprintf(path, sizeof(path), "%s/%s/event", fs_uio_sysfs, transport->file[core]);
	file = fopen(path, "re");
	if (file && !fgets(line, sizeof(line), file))
		*line = '\0';
	if (file)
		fclose(file);
	return *line ? strtol(line, NULL, 10) : -1;
}

/* Whether the core is at work, and whether it shows an interrupt: the kernel clears that of the
 * public-key engine */
static bool look(struct fs_transport *transport, enum fs_core core, bool *raised)
{
	uint32_t status;

	if (core == FS_CM) {
		*raised = fs_read(transport, FS_CM, SILEX_CM_INT_STAT_RAW) &
			  SILEX_CM_INT_PUSH_STOPPED;
		return fs_read(transport, FS_CM, SILEX_CM_STATUS) & SILEX_CM_STATUS_PUSH_BUSY;
	}
	status = fs_read(transport, FS_PK, SILEX_PK_BASE + SILEX_PK_STATUS);
	*raised = status & SILEX_PK_STATUS_IRQ;
	return status & SILEX_PK_STATUS_BUSY;
}

/* At work with an interrupt; the bit is read first, so that an end in between is none */
static bool is_early(struct fs_transport *transport, enum fs_core core)
{
	bool raised, unused;

	look(transport, core, &raised);
	return look(transport, core, &unused) && raised;
}

static void watched_sleep(struct fs_transport *transport, enum fs_core core, uint64_t ns)
{
	bool early = is_early(transport, core), raised;

	watch.ops->sleep(transport, core, ns);
	if (core != watch.core)
		return;
	watch.early |= early || is_early(transport, core);
	if (look(transport, core, &raised))
		return;
	watch.ended = true;
	watch.raised = raised;
	watch.after = events_of(transport, core);
}

static struct firesteel_request cipher_of(uint8_t *bytes)
{
	static const uint8_t key[16] = { 1 };

	return (struct firesteel_request){
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = FIRESTEEL_ECB,
			    .key = { key, sizeof(key) },
			    .in = { bytes, SIZE },
			    .out = { bytes, SIZE } },
	};
}

static struct firesteel_request hash_of(const struct window *window, uint8_t *bytes)
{
	static uint8_t digest[20];

	return (struct firesteel_request){
		.operation = FIRESTEEL_HASH,
		.hash = { .algorithm = (enum firesteel_digest)__builtin_ctz(window->has.digests),
			  .in = { bytes, SIZE },
			  .digest = { digest, sizeof(digest) } },
	};
}

/* The longest power that a program asks for often */
static struct firesteel_request power_of(const struct window *window, uint8_t *bytes)
{
	size_t size = window->has.operand_bytes < OPERAND ? window->has.operand_bytes : OPERAND;
	const struct firesteel_bytes number = { bytes, size };

	memset(bytes, 0xa5, size);
	bytes[0] = 0xff;
	return (struct firesteel_request){
		.operation = FIRESTEEL_MODEXP,
		.flags = FIRESTEEL_UNPROTECTED,
		.modexp = { number, { bytes + 1, size - 1 }, number, { bytes + OPERAND, size } },
	};
}

static int timed(struct window *window, const char *completion,
		 const struct firesteel_request *request, uint64_t *ns)
{
	uint64_t begin;
	int error;

	firesteel_set(window->device, "completion", completion, NULL);
	begin = fs_now();
	error = window_run(window, request);
	*ns = fs_now() - begin;
	firesteel_set(window->device, "completion", "adaptive", NULL);
	return error;
}

/* An event that is left of earlier operations must not count for this one */
static void drain(struct fs_transport *transport, enum fs_core core)
{
	const struct timespec pause = fs_timespec(FS_MILLISECOND);

	nanosleep(&pause, NULL);
	transport->ops->sleep(transport, core, 0);
}

static int by_interrupt(struct window *window, enum fs_core core,
			const struct firesteel_request *request, uint64_t *ns)
{
	struct fs_transport *transport = window->device->transport;
	struct fs_transport_ops watched = *transport->ops;
	int error;

	drain(transport, core);
	watch = (struct watch){
		.ops = transport->ops,
		.core = core,
		.before = events_of(transport, core),
	};
	watched.sleep = watched_sleep;
	transport->ops = &watched;
	error = timed(window, "irq", request, ns);
	transport->ops = watch.ops;
	return error;
}

/* ---- the verdict ---- */

/* Where no kernel counts, the core's own word counts */
static bool has_come(void)
{
	return watch.before < 0 ? watch.raised : watch.after != watch.before;
}

static void judge(struct window *window, const char *check, uint64_t polled, uint64_t slept)
{
	if (watch.early)
		report_failed(window->report, check, SECTION,
			      "expected an interrupt at the end of the operation, came one before");
	else if (!watch.ended)
		report_absent(window->report, check,
			      "the operation ends before a program can sleep");
	else if (!has_come())
		report_failed(window->report, check, SECTION,
			      "expected an interrupt at the end of the operation, came none: %s",
			      watch.raised ? "the core has raised it, the kernel has not seen it"
					   : "the core has not raised it");
	else
		report_ok(window->report, check,
			  "by polling %" PRIu64 " us, by interrupt %" PRIu64 " us", polled / 1000,
			  slept / 1000);
}

static void check(struct window *window, enum fs_core core, const char *name,
		  const struct firesteel_request *request)
{
	uint64_t polled, slept;
	int error = timed(window, "poll", request, &polled);

	if (error) {
		window_failed(window, core, name, SECTION, error);
		return;
	}
	error = by_interrupt(window, core, request, &slept);
	if (error && watch.ended && !watch.raised)
		report_failed(window->report, name, SECTION,
			      "expected an interrupt at the end of the operation, came none: "
			      "the core has not raised it");
	else if (error)
		window_failed(window, core, name, SECTION, error);
	else
		judge(window, name, polled, slept);
}

static bool has_interrupt(const struct window *window)
{
	return window->device->transport->share->flags & SILEX_SHARE_INTERRUPT;
}

void check_interrupts(struct window *window)
{
	static uint8_t bytes[SIZE];
	const struct firesteel_capabilities *has = &window->has;
	struct firesteel_request request;

	if ((window_encrypts(window) || has->digests) && window_try(window, FS_CM)) {
		request = window_encrypts(window) ? cipher_of(bytes) : hash_of(window, bytes);
		check(window, FS_CM, "cm-interrupt", &request);
	}
	if (has->public_key && !has_interrupt(window)) {
		report_absent(window->report, "pk-interrupt",
			      "the device tree or the PCI function has no interrupt for it");
	} else if (has->public_key && window_try(window, FS_PK)) {
		request = power_of(window, bytes);
		check(window, FS_PK, "pk-interrupt", &request);
	}
}
