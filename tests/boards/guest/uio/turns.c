// SPDX-License-Identifier: Apache-2.0
/* Many processes take turns with one core. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uio.h"

#define PROCESSES 8u
#define TURNS     (PROCESSES * 50u)
#define TIME_MS   30000u /* long before which all have had their turns, on any kernel */
#define MOST_MS   1000u

struct done {
	unsigned total; /* turns of all */
	unsigned turns[PROCESSES];
	unsigned wrong[PROCESSES];
	unsigned overtaken[PROCESSES]; /* turns of others while one waited for its own, at most */
};

struct turns {
	struct pk pk;
	unsigned long begin, end; /* ms */
	unsigned number; /* of the next child */
	struct done *done; /* shared */
};

/* One turn; false: it did not come in time */
static bool take_one(struct turns *turns, unsigned number, const struct modexp *modexp)
{
	struct done *done = turns->done;
	unsigned before = lock_load(&done->total), others;

	if (!lock_take(&turns->pk, MOST_MS))
		return false;
	others = __atomic_fetch_add(&done->total, 1, __ATOMIC_SEQ_CST) - before;
	if (others > done->overtaken[number])
		done->overtaken[number] = others;
	done->turns[number]++;
	done->wrong[number] += !modexp_run(&turns->pk, modexp);
	lock_give(&turns->pk);
	return true;
}

static bool take_turns(void *data)
{
	struct turns *turns = data;
	unsigned number = turns->number;
	struct modexp modexp;

	modexp_read(&modexp);
	pk_map(&turns->pk);
	while (now_ms() < turns->begin)
		sleep_ms(1);
	while (lock_load(&turns->done->total) < TURNS && now_ms() < turns->end)
		if (!take_one(turns, number, &modexp))
			return false;
	return true;
}

static void *shared(size_t size)
{
	void *area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	must(area != MAP_FAILED, "shared memory");
	return area;
}

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned larger(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

void scenario_turns(void)
{
	unsigned least = ~0u, most = 0, wrong = 0, overtaken = 0;
	struct turns turns = { .done = shared(4096) };
	pid_t children[PROCESSES];
	bool well = true;

	pk_open(&turns.pk);
	turns.begin = now_ms() + 200;
	turns.end = turns.begin + TIME_MS;
	for (; turns.number < PROCESSES; turns.number++)
		children[turns.number] = start(take_turns, &turns);
	for (unsigned i = 0; i < PROCESSES; i++) {
		well &= ended_well(children[i]);
		least = smaller(turns.done->turns[i], least);
		most = larger(turns.done->turns[i], most);
		overtaken = larger(turns.done->overtaken[i], overtaken);
		wrong += turns.done->wrong[i];
	}
	printf("# %u processes: %u to %u turns, %u others meanwhile\n", PROCESSES, least, most,
	       overtaken);
	check(well, "none waited for too long");
	check(wrong == 0, "all results are right");
	check(turns.done->total >= TURNS, "there were many turns");
	check(overtaken < PROCESSES, "while one waits each other has one turn at most");
	check(most - least <= least / 5, "each had as many turns as the others");
	pk_unmap(&turns.pk);
	close(turns.pk.fd);
}
