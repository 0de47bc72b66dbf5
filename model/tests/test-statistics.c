/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The counters that prove what was offloaded: each job and operation, a failed one too, moves
 * exactly the counters that it should, by exactly as much. */
#include <string.h>

#include "../../silex/ba411.h"
#include "../../silex/ba413.h"
#include "bus-test.h"
#include "counters.h"
#include "message.h"
#include "public-key.h"

#define REALIGN     SILEX_LEN_REALIGN
#define BYPASS      (SILEX_ENGINE_BYPASS | SILEX_TAG_LAST)
#define CLOCK_NS    10u /* of a core cycle, by default */
#define CLEAR_NS    (CLOCK_NS * 16 * 512 / 8) /* to clear operand RAM: 8 bytes a cycle */
#define LONG_AGO_NS 1000000000u

/* ---- CryptoMaster ---- */

/* Starts what lies in the lists; returns the ns until the interrupt */
static uint64_t run_ns(struct bus *bus)
{
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	return driver_interrupt(bus, 1);
}

static void write_copy(struct bus *bus, uint32_t size)
{
	const struct item fetch[] = { { INPUT, size | REALIGN, BYPASS } };
	const struct item push[] = { { OUTPUT, size, 0 } };

	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, 1);
}

static void check_copy(struct bus *bus, uint32_t size)
{
	struct counters before = counters_of(bus);
	uint64_t ns;

	write_copy(bus, size);
	ns = run_ns(bus);
	assert_true(ns > 0);
	EXPECT_GROWTH(bus, &before, { "cm_starts", 1 }, { "cm_jobs", 1 }, { "cm_descriptors", 2 },
		      { "cm_bytes_fetched", size }, { "cm_bytes_pushed", size },
		      { "cm_busy_ns", ns }, { "cm_interrupts", 1 });
}

/* Through the FIFO, and from memory to memory */
static void a_copy_counts_its_bytes(void **state)
{
	struct bus *bus = *state;

	for (unsigned mapped = 0; mapped < 2; mapped++) {
		bus->mapped = mapped;
		check_copy(bus, 4);
		check_copy(bus, 1000);
		check_copy(bus, 100000);
	}
}

static uint64_t fetched(const struct jobs *jobs)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < jobs->fetches; i++)
		bytes += jobs->fetch[i].length & SILEX_LEN_MASK;
	return bytes;
}

static uint64_t pushed(const struct jobs *jobs)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < jobs->pushes; i++)
		if (!(jobs->push[i].length & SILEX_LEN_DISCARD))
			bytes += jobs->push[i].length & SILEX_LEN_MASK;
	return bytes;
}

static void write_lists(struct jobs *jobs)
{
	driver_list(jobs->bus, FETCH_LIST, jobs->fetch, jobs->fetches);
	driver_list(jobs->bus, PUSH_LIST, jobs->push, jobs->pushes);
}

static const uint8_t input[2000];

static const struct message messages[] = {
	{ .mode = SILEX_AES_MODE_ECB, .key_size = 16, .size = 1008 },
	{ .mode = SILEX_AES_MODE_CBC, .key_size = 24, .iv_size = 16, .size = 33 },
	{ .mode = SILEX_AES_MODE_CTR, .key_size = 32, .iv_size = 16, .size = 5 },
	{ .mode = SILEX_AES_MODE_GCM,
	  .key_size = 16,
	  .iv_size = 12,
	  .header_size = 20,
	  .size = 77 },
	{ .mode = SILEX_AES_MODE_GCM, .key_size = 16, .iv_size = 12, .header_size = 20 },
	{ .mode = SILEX_AES_MODE_CCM, .key_size = 16, .iv_size = 13, .tag_size = 8, .size = 50 },
	{ .mode = SILEX_AES_MODE_XTS, .key_size = 32, .iv_size = 16, .size = 100 },
	{ .mode = SILEX_AES_MODE_CMAC, .key_size = 16, .size = 40 },
	{ .mode = SILEX_HASH_ALG_SHA1, .hash = true, .size = 3 },
	{ .mode = SILEX_HASH_ALG_SHA512, .hash = true, .size = 2000 },
	{ .mode = SILEX_HASH_ALG_SHA256, .hash = true },
	{ .mode = SILEX_HASH_ALG_SHA256, .hash = true, .hmac = true, .key_size = 70, .size = 9 },
};

#define MESSAGES (sizeof(messages) / sizeof(*messages))

/* So many messages from `first` on in one list, each cut into pieces */
static void check_messages(struct bus *bus, unsigned first, unsigned count)
{
	struct dice dice;
	struct jobs jobs;
	struct counters before = counters_of(bus);
	uint64_t aes = 0, aes_bytes = 0, hash = 0, hash_bytes = 0, ns;

	dice_begin(&dice, first);
	jobs_begin(&jobs, bus, &dice);
	for (unsigned i = first; i < first + count; i++) {
		struct message message = messages[i % MESSAGES];

		message.input = input;
		message_add(&jobs, &message, false);
		*(message.hash ? &hash : &aes) += 1;
		*(message.hash ? &hash_bytes : &aes_bytes) += message.size;
	}
	write_lists(&jobs);
	ns = run_ns(bus);
	EXPECT_GROWTH(bus, &before, { "cm_starts", 1 }, { "cm_jobs", count },
		      { "cm_descriptors", jobs.fetches + jobs.pushes },
		      { "cm_bytes_fetched", fetched(&jobs) }, { "cm_bytes_pushed", pushed(&jobs) },
		      { "cm_busy_ns", ns }, { "cm_interrupts", 1 }, { "aes_jobs", aes },
		      { "aes_bytes", aes_bytes }, { "hash_jobs", hash },
		      { "hash_bytes", hash_bytes });
}

static void messages_count_their_payload(void **state)
{
	struct bus *bus = *state;

	for (unsigned i = 0; i < MESSAGES; i++) {
		bus->mapped = false;
		check_messages(bus, i, 1);
		bus->mapped = true;
		check_messages(bus, i, 1);
		check_messages(bus, i, 4);
	}
}

static void a_start_counts_when_it_sets_the_fetcher_going(void **state)
{
	struct bus *bus = *state;

	write_copy(bus, 64);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_PUSH);
	bus->pass(bus, LONG_AGO_NS);
	assert_int_equal(bus->counter(bus, "cm_starts"), 0);
	assert_int_equal(bus->counter(bus, "cm_jobs"), 0);
	driver_start(bus, SILEX_CM_START_BOTH);
	driver_start(bus, SILEX_CM_START_BOTH); /* is busy */
	driver_wait(bus);
	assert_int_equal(bus->counter(bus, "cm_starts"), 1);
	assert_int_equal(bus->counter(bus, "cm_jobs"), 1);
	bus->write(bus, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SOFT_RESET);
	driver_start(bus, SILEX_CM_START_BOTH); /* is in reset */
	assert_int_equal(bus->counter(bus, "cm_starts"), 1);
}

/* ---- jobs that fail ---- */

static void a_bus_error_of_the_fetcher_is_no_job(void **state)
{
	struct bus *bus = *state;
	const struct item fetch[] = {
		{ INPUT, 64, SILEX_ENGINE_BYPASS },
		{ NOWHERE, 64 | REALIGN, BYPASS },
	};
	struct counters before = counters_of(bus);
	uint64_t ns;

	write_copy(bus, 128);
	driver_list(bus, FETCH_LIST, fetch, 2);
	ns = run_ns(bus);
	assert_int_equal(driver_raw(bus), SILEX_CM_INT_FETCH_ERROR);
	EXPECT_GROWTH(bus, &before, { "cm_starts", 1 }, { "cm_descriptors", 3 },
		      { "cm_bytes_fetched", 64 }, { "cm_bytes_pushed", 64 }, { "cm_busy_ns", ns },
		      { "cm_interrupts", 1 }, { "cm_bus_errors", 1 });
	before = counters_of(bus);
	driver_recover(bus);
	EXPECT_GROWTH(bus, &before, { "cm_resets", 1 });
}

static void what_the_pusher_can_not_store_does_not_count(void **state)
{
	struct bus *bus = *state;
	const struct item push[] = {
		{ OUTPUT, 64, 0 },
		{ NOWHERE, 64, 0 },
	};
	struct counters before = counters_of(bus);
	uint64_t ns;

	write_copy(bus, 128);
	driver_list(bus, PUSH_LIST, push, 2);
	ns = run_ns(bus);
	assert_int_equal(driver_raw(bus), SILEX_CM_INT_PUSH_ERROR);
	EXPECT_GROWTH(bus, &before, { "cm_starts", 1 }, { "cm_descriptors", 3 },
		      { "cm_bytes_fetched", 128 }, { "cm_bytes_pushed", 64 }, { "cm_busy_ns", ns },
		      { "cm_interrupts", 1 }, { "cm_bus_errors", 1 });
}

static void a_reset_ends_what_counts_as_busy(void **state)
{
	struct bus *bus = *state;

	write_copy(bus, 4096);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	bus->pass(bus, 1234);
	bus->write(bus, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SOFT_RESET);
	bus->write(bus, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SOFT_RESET); /* is in reset already */
	bus->write(bus, SILEX_CM_CONFIG, 0);
	bus->pass(bus, LONG_AGO_NS);
	assert_int_equal(bus->counter(bus, "cm_busy_ns"), 1234);
	assert_int_equal(bus->counter(bus, "cm_resets"), 1);
}

static void power_on_ends_what_counts_as_busy(void **state)
{
	struct bus *bus = *state;
	struct pk pk = { .bus = bus };
	uint64_t before;

	pk_begin(&pk, SILEX_PK_OP_MODEXP, 64, false);
	pk_put_small(&pk, SILEX_PK_SLOT_N, 5);
	before = bus->counter(bus, "pk_busy_ns");
	write_copy(bus, 4096);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	pk_start(&pk);
	bus->pass(bus, 777);
	bus->reset(bus);
	bus->pass(bus, LONG_AGO_NS);
	assert_int_equal(bus->counter(bus, "cm_busy_ns"), 777);
	assert_int_equal(bus->counter(bus, "pk_busy_ns") - before, 777 + CLEAR_NS);
	assert_int_equal(bus->counter(bus, "pk_operations"), 0);
	assert_int_equal(bus->counter(bus, "cm_resets"), 0);
}

/* ---- public key ---- */

/* Starts what was prepared; returns the ns that it takes */
static uint64_t pk_run_ns(struct pk *pk)
{
	uint64_t begin = pk->bus->now(pk->bus);

	pk_start(pk);
	while (pk_is_busy(pk))
		pk->bus->pass(pk->bus, CLOCK_NS);
	return pk->bus->now(pk->bus) - begin;
}

/* Operands by slots; each has room for one that is not listed to be 0 */
struct operation {
	uint32_t command;
	size_t size;
	uint32_t errors;
	const char *family; /* the counter besides pk_operations; NULL: none */
	unsigned operand[SILEX_PK_SLOTS];
};

#define P192 SILEX_PK_CURVE(SILEX_PK_CURVE_P192)

static const struct operation operations[] = {
	{ SILEX_PK_OP_MODADD, 64, 0, NULL, { [0] = 101, [6] = 5, [8] = 7 } },
	{ SILEX_PK_OP_MODINV_ODD, 64, 0, NULL, { [0] = 15, [8] = 7 } },
	{ SILEX_PK_OP_MODINV_ODD, 64, SILEX_PK_STATUS_NOT_INVERTIBLE, NULL, { [0] = 15, [8] = 5 } },
	{ SILEX_PK_OP_MODEXP, 64, 0, "pk_exponentiations", { [0] = 101, [6] = 5, [8] = 7 } },
	{ SILEX_PK_OP_MODEXP,
	  64,
	  SILEX_PK_STATUS_BAD_MODULUS,
	  "pk_exponentiations",
	  { [0] = 100 } },
	{ SILEX_PK_OP_RSA_KEYGEN, 64, 0, "pk_exponentiations", { [2] = 11, [3] = 17, [8] = 3 } },
	{ SILEX_PK_OP_DSA_KEYGEN, 64, 0, "pk_exponentiations", { [0] = 23, [3] = 2, [6] = 5 } },
	{ SILEX_PK_OP_MILLER_RABIN,
	  64,
	  SILEX_PK_STATUS_COMPOSITE,
	  "pk_exponentiations",
	  { [0] = 15, [6] = 2 } },
	{ SILEX_PK_OP_ECC_CHECK_AB | P192, 24, 0, "pk_points", { 0 } },
	{ SILEX_PK_OP_ECC_MUL | P192, 24, SILEX_PK_STATUS_NOT_ON_CURVE, "pk_points", { [8] = 3 } },
	{ SILEX_PK_OP_ECDSA_SIGN | P192, 24, 0, "pk_points", { [6] = 5, [7] = 9, [12] = 77 } },
	{ SILEX_PK_OP_ECDSA_SIGN | P192, 24, SILEX_PK_STATUS_OUT_OF_RANGE, "pk_points", { 0 } },
	{ SILEX_PK_OP_ECC_MUL, 24, SILEX_PK_STATUS_BAD_MODULUS, "pk_points", { 0 } },
	{ SILEX_PK_OP_X25519 | SILEX_PK_CURVE(SILEX_PK_CURVE_X25519),
	  32,
	  0,
	  "pk_points",
	  { [6] = 9, [8] = 8 } },
	{ SILEX_PK_OP_EDDSA_BASE_MUL | SILEX_PK_CURVE(SILEX_PK_CURVE_ED25519),
	  32,
	  0,
	  "pk_points",
	  { [8] = 8 } },
	{ 0x50, 64, SILEX_PK_STATUS_NOT_IMPLEMENTED, NULL, { 0 } },
	{ SILEX_PK_OP_ECC_MUL | SILEX_PK_CURVE(7),
	  64,
	  SILEX_PK_STATUS_NOT_IMPLEMENTED,
	  NULL,
	  { 0 } },
};

static void check_operation(struct pk *pk, const struct operation *operation)
{
	struct counters before;
	struct growth growth[] = {
		{ "pk_operations", 1 },   { "pk_failed", operation->errors != 0 },
		{ "pk_interrupts", 1 },   { "pk_busy_ns", 0 },
		{ operation->family, 1 },
	};

	pk_begin(pk, operation->command, operation->size, false);
	for (unsigned slot = 0; slot < SILEX_PK_SLOTS; slot++)
		pk_put_small(pk, slot, operation->operand[slot]);
	before = counters_of(pk->bus);
	growth[3].by = pk_run_ns(pk);
	assert_true(growth[3].by > 0);
	assert_int_equal(pk_status(pk) & SILEX_PK_STATUS_ERRORS, operation->errors);
	expect_growth(pk->bus, &before, growth, operation->family ? 5 : 4);
}

static void operations_count_by_what_they_work_on(void **state)
{
	struct pk pk = { .bus = *state };

	for (unsigned i = 0; i < sizeof(operations) / sizeof(*operations); i++)
		check_operation(&pk, &operations[i]);
}

static void clearing_memory_is_busy_and_no_operation(void **state)
{
	struct pk pk = { .bus = bus_open(NULL) };
	struct counters before = counters_of(pk.bus);
	uint64_t ns;

	(void)state;
	EXPECT_GROWTH(pk.bus, &before, { "pk_busy_ns", 0 });
	pk_wait(&pk); /* after power-on */
	EXPECT_GROWTH(pk.bus, &before, { "pk_busy_ns", CLEAR_NS }, { "pk_interrupts", 1 });
	pk.bus->write(pk.bus, PK(SILEX_PK_CONTROL), SILEX_PK_CONTROL_CLEAR_IRQ);
	pk_begin(&pk, SILEX_PK_OP_CLEAR_MEMORY, 4, false);
	before = counters_of(pk.bus);
	ns = pk_run_ns(&pk);
	EXPECT_GROWTH(pk.bus, &before, { "pk_busy_ns", ns }, { "pk_interrupts", 1 });
	pk_close(&pk);
}

/* ---- registers, time, resets ---- */

static void every_access_counts(void **state)
{
	struct bus *bus = *state;
	struct counters before = counters_of(bus);

	for (uint32_t offset = 0; offset < SILEX_WINDOW_SIZE + 256; offset += 3)
		bus->read(bus, offset);
	for (uint32_t offset = SILEX_PK_RAM_BASE; offset < SILEX_WINDOW_SIZE + 256; offset += 5)
		bus->write(bus, offset, 0);
	assert_int_equal(bus->counter(bus, "register_reads"), (SILEX_WINDOW_SIZE + 256 + 2) / 3);
	assert_int_equal(bus->counter(bus, "register_writes"),
			 (SILEX_WINDOW_SIZE + 256 - SILEX_PK_RAM_BASE + 4) / 5);
	EXPECT_GROWTH(bus, &before, { "cm_jobs", 0 });
}

static void nothing_is_busy_in_zero_time(void **state)
{
	struct bus *bus = bus_open("zero=on,hash=on");
	struct pk pk = { .bus = bus };
	struct counters before = counters_of(bus);

	(void)state;
	write_copy(bus, 64);
	assert_int_equal(run_ns(bus), 0);
	pk_begin(&pk, SILEX_PK_OP_MODADD, 64, false);
	pk_put_small(&pk, SILEX_PK_SLOT_N, 5);
	assert_int_equal(pk_run_ns(&pk), 0);
	EXPECT_GROWTH(bus, &before, { "cm_starts", 1 }, { "cm_jobs", 1 }, { "cm_descriptors", 2 },
		      { "cm_bytes_fetched", 64 }, { "cm_bytes_pushed", 64 }, { "cm_interrupts", 1 },
		      { "pk_operations", 1 }, { "pk_interrupts", 1 });
	bus_close(bus);
}

static void power_on_clears_no_counter(void **state)
{
	struct bus *bus = *state;
	struct counters before;

	write_copy(bus, 64);
	run_ns(bus);
	before = counters_of(bus);
	bus->reset(bus);
	EXPECT_GROWTH(bus, &before, { "cm_resets", 0 });
	assert_int_equal(bus->counter(bus, "cm_jobs"), 1);
}

/* ---- faults ---- */

/* A message with a tag, which all faults of CryptoMaster can strike */
static void run_message(struct bus *bus)
{
	struct message message = messages[3];
	struct dice dice;
	struct jobs jobs;

	message.input = input;
	dice_begin(&dice, 1);
	jobs_begin(&jobs, bus, &dice);
	message_add(&jobs, &message, false);
	write_lists(&jobs);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	bus->pass(bus, LONG_AGO_NS);
}

static void run_addition(struct bus *bus)
{
	struct pk pk = { .bus = bus };

	bus->pass(bus, LONG_AGO_NS);
	pk_begin(&pk, SILEX_PK_OP_MODADD, 64, false);
	pk_put_small(&pk, SILEX_PK_SLOT_N, 5);
	pk_start(&pk);
	bus->pass(bus, LONG_AGO_NS);
}

static void check_fault(const char *kind, const char *counter, void (*run)(struct bus *bus))
{
	char configuration[64] = "faults=";
	struct bus *bus = bus_open(strcat(strcat(configuration, kind), ":nth=2"));

	run(bus);
	assert_int_equal(bus->counter(bus, counter), 0);
	run(bus);
	assert_int_equal(bus->counter(bus, counter), 1);
	bus->reset(bus);
	if (strcmp(kind, "gone") != 0)
		run(bus);
	for (unsigned i = 0; i < SILEX_FAULT_KINDS; i++) {
		struct counters now = counters_of(bus);
		const struct silex_counter *found = &now.counter[now.count - SILEX_FAULT_KINDS + i];

		assert_int_equal(found->value, strcmp(found->name, counter) == 0);
	}
	bus_close(bus);
}

static void every_fault_counts_as_what_it_is(void **state)
{
	static const struct {
		const char *kind;
		const char *counter;
		bool pk; /* strikes public-key operations too */
	} faults[SILEX_FAULT_KINDS] = {
		{ "dma-error", "fault_dma_error", false },
		{ "wrong-tag", "fault_wrong_tag", false },
		{ "stuck-busy", "fault_stuck_busy", true },
		{ "lost-interrupt", "fault_lost_interrupt", true },
		{ "spurious-interrupt", "fault_spurious_interrupt", true },
		{ "late", "fault_late", true },
		{ "flipped-bit", "fault_flipped_bit", true },
		{ "gone", "fault_gone", true },
	};

	(void)state;
	for (unsigned i = 0; i < SILEX_FAULT_KINDS; i++) {
		check_fault(faults[i].kind, faults[i].counter, run_message);
		if (faults[i].pk)
			check_fault(faults[i].kind, faults[i].counter, run_addition);
	}
}

/* A test for primes gives no result, so there is no bit to flip in it: the next operation's is */
static void a_fault_waits_for_what_it_can_strike(void **state)
{
	struct bus *bus = bus_open("faults=flipped-bit:nth=1");
	struct pk pk = { .bus = bus };

	(void)state;
	bus->pass(bus, LONG_AGO_NS);
	pk_begin(&pk, SILEX_PK_OP_MILLER_RABIN | SILEX_PK_CALC_R2, 64, false);
	pk_put_small(&pk, SILEX_PK_SLOT_N, 7);
	pk_put_small(&pk, SILEX_PK_SLOT_A, 3);
	pk_start(&pk);
	bus->pass(bus, LONG_AGO_NS);
	assert_int_equal(bus->counter(bus, "pk_operations"), 1);
	assert_int_equal(bus->counter(bus, "fault_flipped_bit"), 0);
	run_addition(bus);
	assert_int_equal(bus->counter(bus, "fault_flipped_bit"), 1);
	bus_close(bus);
}

static int set_up(void **state)
{
	struct bus *bus = bus_open("hash=on");

	bus->pass(bus, CLEAR_NS);
	*state = bus;
	return 0;
}

#define TEST(name) BUS_TEST(set_up, name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_copy_counts_its_bytes),
		TEST(messages_count_their_payload),
		TEST(a_start_counts_when_it_sets_the_fetcher_going),
		TEST(a_bus_error_of_the_fetcher_is_no_job),
		TEST(what_the_pusher_can_not_store_does_not_count),
		TEST(a_reset_ends_what_counts_as_busy),
		TEST(power_on_ends_what_counts_as_busy),
		TEST(operations_count_by_what_they_work_on),
		cmocka_unit_test(clearing_memory_is_busy_and_no_operation),
		TEST(every_access_counts),
		cmocka_unit_test(nothing_is_busy_in_zero_time),
		TEST(power_on_clears_no_counter),
		cmocka_unit_test(every_fault_counts_as_what_it_is),
		cmocka_unit_test(a_fault_waits_for_what_it_can_strike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
