/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that uses cores from user space in right ways and in wrong ones, by the headers of
 * silex/ alone:
 *
 *	uio SCENARIO...
 *
 * Each thing that a scenario looks at is a line "ok WHAT" or "not ok WHAT", the last one says that
 * it has ended; the status is 0 when all were ok.
 */
#ifndef UIO_H
#define UIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "silex/ba414.h"
#include "silex/share.h"

/* ---- telling ---- */

/* Says how it went, and returns `condition` */
bool check(bool condition, const char *what);

/* Ends the program with what the last system call left in errno */
void must(bool condition, const char *what);

/* Makes an empty file, which others wait for */
void mark(const char *path);

/* ---- devices ---- */

/* The UIO device of a name that has the number `index` among those, opened; -1: errno says why */
int device_open(const char *name, unsigned index);

/* How many UIO devices have the name */
unsigned device_count(const char *name);

/* What /sys/class/uio/... says of the first device of a name */
uint64_t device_value(const char *name, const char *file);

void *device_map(int fd, unsigned map, size_t size);

/* ---- the public-key engine ---- */

struct pk {
	int fd;
	volatile uint32_t *registers;
	volatile uint32_t *ram;
	struct silex_share *share;
	struct silex_share_slot *slot;
	uint32_t generation; /* when it last took the lock */
};

/* Opens it and maps all of it, with a slot */
void pk_open(struct pk *pk);

/* Maps all of an open one, as a child does */
void pk_map(struct pk *pk);
void pk_unmap(struct pk *pk);

static inline uint32_t pk_read(const struct pk *pk, uint32_t offset)
{
	return pk->registers[offset / 4];
}

static inline void pk_write(const struct pk *pk, uint32_t offset, uint32_t value)
{
	pk->registers[offset / 4] = value;
}

static inline bool pk_is_busy(const struct pk *pk)
{
	return pk_read(pk, SILEX_PK_STATUS) & SILEX_PK_STATUS_BUSY;
}

/* Writes a word to the descriptor: 0 or the error number */
int pk_tell(const struct pk *pk, int32_t word);

/* Waits for an event: whether one came within so many ms */
bool pk_event(const struct pk *pk, int ms);

/* Whether operand RAM is all zeros */
bool pk_is_clear(const struct pk *pk);

/* ---- its lock ---- */

bool lock_take(struct pk *pk, unsigned ms);
void lock_give(struct pk *pk);
uint32_t lock_load(const uint32_t *word);

/* ---- its operations ---- */

/* A modular exponentiation; big-endian numbers of `size` bytes */
struct modexp {
	size_t size;
	uint8_t modulus[512];
	uint8_t base[512];
	uint8_t exponent[512];
	uint8_t answer[512];
};

/* Reads /job/modexp: the four numbers in hexadecimal, a line each */
void modexp_read(struct modexp *modexp);

/* The longest one that there is, of secrets */
void modexp_longest(struct modexp *modexp);

void modexp_start(const struct pk *pk, const struct modexp *modexp);

/* After the end: whether the result is right */
bool modexp_is_right(const struct pk *pk, const struct modexp *modexp);

/* Clears operand RAM, and waits for it */
void modexp_clear(const struct pk *pk);

/* The whole of it by polling, with the lock in hand */
bool modexp_run(const struct pk *pk, const struct modexp *modexp);

/* ---- processes ---- */

/* Runs it in a child, which ends with status 0 if it returned true */
pid_t start(bool (*run)(void *data), void *data);

/* Whether a child ended with status 0 */
bool ended_well(pid_t child);

/* The signal that ended a child; 0: none did */
int ended_by(pid_t child);

/* From here on any system call but the end kills the process; what is waited for is polled for */
void forbid_system_calls(void);

/* Until it is killed */
_Noreturn void stay(void);

void sleep_ms(unsigned ms);

/* ms since some time */
unsigned long now_ms(void);

/* Waits up to a minute for a condition, which is evaluated again and again */
#define eventually(condition)                                     \
	({                                                        \
		unsigned long eventually_end = now_ms() + 60000;  \
		while (!(condition) && now_ms() < eventually_end) \
			sleep_ms(1);                              \
		(condition);                                      \
	})

/* ---- scenarios: main.c has their names ---- */

void scenario_maps(void);
void scenario_operation(void);
void scenario_once(void);
void scenario_slots(void);
void scenario_turns(void);
void scenario_deaths(void);
void scenario_chaos(void);
void scenario_stuck(void);
void scenario_message(void);
void scenario_asleep(void);
void scenario_results(void);
void scenario_hold(void);
void scenario_away(void);
void scenario_own(void);
void scenario_leave(void);
void scenario_find(void);
void scenario_reset(void);
void scenario_looks(void);
void scenario_told(void);
void scenario_powerless(void);

#endif
