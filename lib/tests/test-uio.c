/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cores by UIO, with files in the place of devices: what is found and how it is mapped, and cores
 * that answer nonsense.  What the kernel does is tested on boards.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../silex/ba414.h"
#include "../../silex/cryptomaster.h"
#include "../../silex/share.h"
#include "../../silex/soc.h"
#include "../device.h"
#include "../uio.h"
#include "unit.h"

#define FILE_SIZE   0x200000u
#define SHARE_SHIFT 0x10000u /* so that the lock page is not in operand RAM */
#define SHARE_BEGIN (0x2000u + SHARE_SHIFT)
#define BUFFER_SIZE 0x100000u

#define HARDWARE                                                            \
	(512u | SILEX_PK_HWCONFIG_MULTIPLIERS(2) | SILEX_PK_HWCONFIG_GF_P | \
	 SILEX_PK_HWCONFIG_P256 | SILEX_PK_HWCONFIG_25519)

static char top[] = "/tmp/firesteel-uio-XXXXXX";
static char sysfs[64], dev[64];

/* A device as a file that is mapped here, too */
struct fake {
	uint8_t *bytes;
	struct silex_share *share;
};

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void write_map(const char *name, unsigned map, unsigned long addr, unsigned long size,
		      unsigned long offset)
{
	const struct {
		const char *what;
		unsigned long value;
	} numbers[] = { { "addr", addr }, { "size", size }, { "offset", offset } };
	char path[256], text[32];

	snprintf(path, sizeof(path), "%s/%s/maps/map%u", sysfs, name, map);
	assert_int_equal(mkdir(path, 0700), 0);
	for (unsigned i = 0; i < COUNT(numbers); i++) {
		snprintf(path, sizeof(path), "%s/%s/maps/map%u/%s", sysfs, name, map,
			 numbers[i].what);
		snprintf(text, sizeof(text), "0x%lx\n", numbers[i].value);
		write_text(path, text);
	}
}

static void describe(const char *name, const char *kind, const char *window)
{
	char path[256], target[256];

	snprintf(path, sizeof(path), "%s/%s", sysfs, name);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/%s/maps", sysfs, name);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/%s/name", sysfs, name);
	write_text(path, kind);
	snprintf(path, sizeof(path), "%s/%s/device", sysfs, name);
	snprintf(target, sizeof(target), "../../../%s", window);
	assert_int_equal(symlink(target, path), 0);
}

static struct fake make_file(const char *name)
{
	char path[256];
	struct fake fake;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dev, name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, FILE_SIZE), 0);
	fake.bytes = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(fake.bytes, MAP_FAILED);
	close(fd);
	fake.share = (struct silex_share *)(void *)(fake.bytes + SHARE_BEGIN);
	return fake;
}

static void set_register(struct fake *fake, uint32_t offset, uint32_t value)
{
	*(volatile uint32_t *)(void *)(fake->bytes + offset) = value;
}

/* The public-key core of a window; slot 3 of its lock page is ours */
static struct fake make_pk(const char *name, const char *window)
{
	struct fake fake = make_file(name);

	describe(name, SILEX_SHARE_PK "\n", window);
	write_map(name, SILEX_SHARE_PK_REGS_MAP, 0x10002000, 0x1000, 0);
	write_map(name, SILEX_SHARE_PK_RAM_MAP, 0x10008000, 0x4000, 0);
	write_map(name, SILEX_SHARE_PK_LOCK_MAP, 0, 0x1000, SHARE_SHIFT);
	set_register(&fake, SILEX_PK_HWCONFIG, HARDWARE);
	fake.share->version = SILEX_SHARE_VERSION;
	fake.share->slots[3].pid = (uint32_t)getpid();
	return fake;
}

static struct fake make_cm(const char *name, const char *window)
{
	struct fake fake = make_file(name);

	describe(name, SILEX_SHARE_CM "\n", window);
	write_map(name, SILEX_SHARE_CM_REGS_MAP, 0x10000000, 0x1000, 0);
	write_map(name, SILEX_SHARE_CM_BUFFER_MAP, 0x80000000, BUFFER_SIZE, 0);
	set_register(&fake, SILEX_PRESENCE, SILEX_PRESENCE_AES);
	set_register(&fake, SILEX_AES_CAPS, 0x070101ff);
	return fake;
}

static struct firesteel *open_fast(const char *name)
{
	struct firesteel *device = unit_open(name);

	firesteel_set(device, "timeout_ms", "20", NULL);
	return device;
}

/* ---- a core that ends its operations ---- */

static struct fs_transport_ops working;
static void (*plain_write)(struct fs_transport *transport, enum fs_core core, uint32_t offset,
			   uint32_t value);

/* TIMER tells the cycles of an operation as soon as it is started */
static void working_write(struct fs_transport *transport, enum fs_core core, uint32_t offset,
			  uint32_t value)
{
	plain_write(transport, core, offset, value);
	if (core == FS_PK && offset == SILEX_PK_BASE + SILEX_PK_CONTROL &&
	    value & SILEX_PK_CONTROL_START)
		plain_write(transport, core, SILEX_PK_BASE + SILEX_PK_TIMER, 2);
}

/* What it was found to be when it was opened is forgotten */
static struct firesteel *open_working(const char *name)
{
	struct firesteel *device = open_fast(name);

	working = *device->transport->ops;
	plain_write = working.write;
	working.write = working_write;
	device->transport->ops = &working;
	atomic_store(&device->health[FS_PK].faulty_until, 0);
	return device;
}

/* ---- finding ---- */

static void expect_message(const char *name, int error, const char *part)
{
	char message[FIRESTEEL_MESSAGE_SIZE];
	struct firesteel *device;

	assert_int_equal(firesteel_open(name, &device, message), error);
	assert_null(device);
	if (!strstr(message, part))
		fail_msg("\"%s\" does not say \"%s\"", message, part);
}

static void nothing_is_found_where_nothing_is(void **state)
{
	(void)state;
	expect_message("auto", FIRESTEEL_ERROR_ABSENT, "is the driver loaded");
	fs_uio_sysfs = "/nowhere";
	expect_message(NULL, FIRESTEEL_ERROR_ABSENT, "/nowhere");
	fs_uio_sysfs = sysfs;
	expect_message("uio:0000:00:09.0", FIRESTEEL_ERROR_ABSENT, "0000:00:09.0");
}

static void windows_are_found_by_name(void **state)
{
	struct firesteel_capabilities has;
	struct firesteel *device;

	(void)state;
	make_pk("uio3", "0000:00:02.0");
	make_pk("uio10", "0000:00:03.0");
	make_cm("uio4", "0000:00:03.0");
	describe("uio0", "other", "0000:00:01.0");
	device = open_fast("uio:0000:00:03.0");
	firesteel_capabilities(device, &has);
	assert_string_equal(has.name, "uio:0000:00:03.0");
	assert_true(has.public_key && has.cryptomaster);
	assert_int_equal(has.operand_bytes, 512);
	assert_int_equal(has.curves, 1u << FIRESTEEL_P256 | 1u << FIRESTEEL_CURVE25519);
	assert_true(has.pool_bytes > BUFFER_SIZE / 2);
	firesteel_close(device);
	device = open_fast("uio:uio3");
	firesteel_capabilities(device, &has);
	assert_string_equal(has.name, "uio:0000:00:02.0");
	assert_true(has.public_key && !has.cryptomaster);
	firesteel_close(device);
	device = open_fast("auto");
	firesteel_capabilities(device, &has);
	assert_string_equal(has.name, "uio:0000:00:02.0");
	assert_true(has.public_key && has.cryptomaster);
	firesteel_close(device);
}

static void opened_twice_it_is_the_same(void **state)
{
	struct firesteel *one, *two;

	(void)state;
	make_pk("uio3", "0000:00:02.0");
	one = open_fast("uio:uio3");
	two = open_fast("uio:uio3");
	assert_ptr_equal(one, two);
	expect_message("uio:0000:00:02.0", FIRESTEEL_ERROR_BUSY, "under another name");
	firesteel_close(one);
	expect_message("uio:0000:00:02.0", FIRESTEEL_ERROR_BUSY, "under another name");
	firesteel_close(two);
	one = open_fast("uio:0000:00:02.0");
	firesteel_close(one);
}

static void what_cannot_be_opened_is_told(void **state)
{
	struct fake fake = make_pk("uio1", "0000:00:02.0");
	char path[256];

	(void)state;
	fake.share->slots[3].pid = 1;
	expect_message("auto", FIRESTEEL_ERROR_SYSTEM, "uio1 (firesteel-pk)");
	fake.share->slots[3].pid = (uint32_t)getpid();
	fake.share->version = SILEX_SHARE_VERSION + 1;
	expect_message("auto", FIRESTEEL_ERROR_SYSTEM, "uio1");
	fake.share->version = SILEX_SHARE_VERSION;
	set_register(&fake, SILEX_PK_HWCONFIG, UINT32_MAX);
	expect_message("auto", FIRESTEEL_ERROR_ABSENT, "no core that this library knows");
	set_register(&fake, SILEX_PK_HWCONFIG, 0);
	expect_message("auto", FIRESTEEL_ERROR_ABSENT, "no core that this library knows");
	snprintf(path, sizeof(path), "%s/uio1", dev);
	assert_int_equal(unlink(path), 0);
	expect_message("auto", FIRESTEEL_ERROR_SYSTEM, "No such file");
}

/* ---- cores that lie ---- */

/* It says that it is done, and has done nothing */
static void a_core_that_does_nothing_is_caught_by_a_check(void **state)
{
	static const uint8_t secret[32] = { [31] = 7 }, x[32] = { 5 };
	struct firesteel *device;
	uint8_t r[32] = { 0 }, s[32];
	int error;

	(void)state;
	make_pk("uio1", "0000:00:02.0");
	device = open_working("auto");
	error = firesteel_run(device, &(struct firesteel_request){
					      .operation = FIRESTEEL_ECDSA_SIGN,
					      .flags = FIRESTEEL_CHECK,
					      .ecdsa_sign = { .curve = { FIRESTEEL_P256, NULL },
							      .secret = BYTES(secret),
							      .digest = BYTES(x),
							      .public_x = BYTES(x),
							      .public_y = BYTES(x),
							      .r = OUTPUT(r),
							      .s = OUTPUT(s) },
				      });
	/* r = 0 is no signature */
	assert_int_equal(error, FIRESTEEL_ERROR_FAULT);
	assert_int_equal(r[0], 0);
	firesteel_close(device);
}

static void expect_modexp(struct firesteel *device, int expected)
{
	uint8_t result[64] = { 0 }, nothing[64] = { 0 };
	struct firesteel_request request = unit_modexp(result);

	unit_run(device, &request, expected);
	assert_memory_equal(result, nothing, sizeof(result));
}

/* Memory that keeps what is written to it: BUSY is never set, no error is ever told */
static void a_core_that_only_remembers_proves_nothing(void **state)
{
	static const uint8_t x[32] = { 5 }, signature[64] = { 6 };
	uint8_t one[64], two[64];
	const struct firesteel_curve p256 = { FIRESTEEL_P256, NULL };
	const struct firesteel_request requests[] = {
		unit_modexp(one),
		{ .operation = FIRESTEEL_ECDSA_VERIFY,
		  .ecdsa_verify = { p256, BYTES(x), BYTES(x), BYTES(x), BYTES(x), BYTES(x) } },
		{ .operation = FIRESTEEL_ED25519_VERIFY,
		  .ed25519_verify = { BYTES(x), BYTES(x), BYTES(signature) } },
		{ .operation = FIRESTEEL_ECDH,
		  .ecdh = { p256, BYTES(x), BYTES(x), BYTES(x), OUTPUT(one), OUTPUT(two) } },
		{ .operation = FIRESTEEL_X25519,
		  .x25519 = { .secret = BYTES(x), .result = SPACE(one, 32) } },
	};
	struct firesteel_statistics statistics;
	struct firesteel *device;

	(void)state;
	make_pk("uio1", "0000:00:02.0");
	device = open_fast("auto");
	for (unsigned i = 0; i < COUNT(requests); i++) {
		atomic_store(&device->health[FS_PK].faulty_until, 0);
		unit_run(device, &requests[i], FIRESTEEL_ERROR_FAULT);
	}
	firesteel_statistics(device, &statistics);
	assert_int_equal(statistics.unproven, COUNT(requests));
	firesteel_close(device);
}

static void a_status_is_not_believed_when_it_is_nonsense(void **state)
{
	static const struct {
		uint32_t status;
		int error;
	} cases[] = {
		{ SILEX_PK_STATUS_BUSY, FIRESTEEL_ERROR_FAULT },
		{ 1u << 20, FIRESTEEL_ERROR_FAULT },
		{ SILEX_PK_STATUS_COMPOSITE, FIRESTEEL_ERROR_FAULT },
		{ SILEX_PK_STATUS_EXPIRED, FIRESTEEL_ERROR_FAULT },
		{ SILEX_PK_STATUS_NOT_IMPLEMENTED, FIRESTEEL_ERROR_ABSENT },
		{ SILEX_PK_STATUS_NOT_INVERTIBLE, FIRESTEEL_ERROR_REFUSED },
		{ UINT32_MAX, FIRESTEEL_ERROR_GONE },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		char name[] = "uio:uio0";
		struct firesteel *device;
		struct fake fake;

		name[7] = (char)('0' + i);
		fake = make_pk(name + 4, "0000:00:02.0");
		device = open_working(name);
		set_register(&fake, SILEX_PK_STATUS, cases[i].status);
		expect_modexp(device, cases[i].error);
		firesteel_close(device);
	}
}

/* A core that ends its operations and leaves zeros: no point, no shared secret */
static void a_point_of_zeros_is_refused(void **state)
{
	static const uint8_t bytes[32] = { [31] = 5 };
	const struct firesteel_curve p256 = { FIRESTEEL_P256, NULL };
	uint8_t x[32] = { 1 }, y[32] = { 2 };
	const struct firesteel_request requests[] = {
		{ .operation = FIRESTEEL_ECDH,
		  .ecdh = { p256, BYTES(bytes), BYTES(bytes), BYTES(bytes), OUTPUT(x),
			    OUTPUT(y) } },
		{ .operation = FIRESTEEL_EC_PUBLIC,
		  .ec_public = { p256, BYTES(bytes), OUTPUT(x), OUTPUT(y) } },
		{ .operation = FIRESTEEL_X25519,
		  .x25519 = { .secret = BYTES(bytes), .result = OUTPUT(x) } },
	};
	struct firesteel *device;

	(void)state;
	make_pk("uio1", "0000:00:02.0");
	device = open_working("auto");
	for (unsigned i = 0; i < COUNT(requests); i++) {
		unit_run(device, &requests[i], FIRESTEEL_ERROR_REFUSED);
		assert_int_equal(x[0], 1);
		assert_int_equal(y[0], 2);
	}
	firesteel_close(device);
}

/* The kernel says so in the lock page, or takes the core away in the middle */
static void the_lock_page_tells_of_the_core(void **state)
{
	struct fake fake = make_pk("uio1", "0000:00:02.0");
	struct firesteel *device = open_working("auto");

	(void)state;
	fake.share->state = SILEX_SHARE_FAULT;
	expect_modexp(device, FIRESTEEL_ERROR_FAULT);
	fake.share->state = SILEX_SHARE_READY;
	expect_modexp(device, FIRESTEEL_OK);
	assert_int_equal(fake.share->owner, SILEX_SHARE_FREE);
	assert_int_equal(fake.share->slots[3].ticket, 0);
	/* another's: it is waited for, and the place in the queue given back */
	fake.share->owner = 12345;
	expect_modexp(device, FIRESTEEL_ERROR_TIMEOUT);
	assert_int_equal(fake.share->slots[3].ticket, 0);
	assert_int_equal(fake.share->slots[3].waits, SILEX_SHARE_NO);
	fake.share->owner = SILEX_SHARE_FREE;
	expect_modexp(device, FIRESTEEL_OK);
	fake.share->state = SILEX_SHARE_GONE;
	expect_modexp(device, FIRESTEEL_ERROR_GONE);
	fake.share->state = SILEX_SHARE_READY;
	expect_modexp(device, FIRESTEEL_ERROR_GONE); /* for good */
	firesteel_close(device);
}

/* Whoever waits longest is next, unless it has left */
static void the_lock_is_handed_to_the_oldest(void **state)
{
	struct fake fake = make_pk("uio1", "0000:00:02.0");
	struct firesteel *device = open_working("auto");
	struct silex_share_slot *slots = fake.share->slots;

	(void)state;
	fake.share->next_ticket = 100;
	slots[0] = (struct silex_share_slot){ .pid = 1, .ticket = 95, .waits = SILEX_SHARE_SPINS };
	slots[7] = (struct silex_share_slot){ .pid = 2, .ticket = 91, .waits = SILEX_SHARE_SLEEPS };
	slots[9] = (struct silex_share_slot){ .pid = 3, .ticket = 89, .waits = SILEX_SHARE_NO };
	expect_modexp(device, FIRESTEEL_OK);
	assert_int_equal(fake.share->owner, 91);
	slots[7].waits = slots[9].waits = slots[0].waits = SILEX_SHARE_NO;
	fake.share->owner = SILEX_SHARE_FREE;
	firesteel_close(device);
}

/* What was never encrypted must not pass for it */
static void cryptomaster_that_does_nothing_is_caught(void **state)
{
	struct firesteel *device;
	uint8_t bytes[32] = { 0 };
	struct firesteel_request cbc = unit_cbc(bytes, sizeof(bytes));

	(void)state;
	make_cm("uio1", "0000:00:02.0");
	device = open_fast("auto");
	unit_run(device, &cbc, FIRESTEEL_ERROR_FAULT);
	firesteel_close(device);
}

/* What it raises when a list is done, and only then */
#define END_BITS \
	(SILEX_CM_INT_FETCH_STOPPED | SILEX_CM_INT_PUSH_STOPPED | SILEX_CM_INT_PUSH_BLOCK_END)

/* Reset before START it stops on both sides, with nothing done; reset later it shows nothing */
static void a_message_is_done_when_all_says_so(void **state)
{
	struct fake fake = make_cm("uio1", "0000:00:02.0");
	struct firesteel *device = open_fast("auto");

	(void)state;
	for (uint32_t bits = 0; bits <= SILEX_CM_INT_ALL; bits++) {
		bool ends = (bits & ~SILEX_CM_INT_FETCH_BLOCK_END) == END_BITS;
		uint8_t bytes[32] = { 0 };
		struct firesteel_request cbc = unit_cbc(bytes, sizeof(bytes));

		set_register(&fake, SILEX_CM_INT_STAT_RAW, bits);
		unit_run(device, &cbc, ends ? FIRESTEEL_OK : FIRESTEEL_ERROR_FAULT);
	}
	firesteel_close(device);
}

/* It says that it is done and has written nothing: whatever tag comes, it is not authentic, and no
 * tag or digest is what lay there before */
static void nothing_is_believed_that_the_core_has_not_written(void **state)
{
	static const uint8_t key[16] = { 1 }, nonce[12] = { 2 };
	uint8_t tags[][16] = { { 0 }, { 3 }, { 0xff } };
	struct fake fake = make_cm("uio1", "0000:00:02.0");
	uint8_t bytes[32] = { 4 }, tag[32] = { 5 };
	const uint8_t before[32] = { 4 };
	struct firesteel_request cipher = {
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .key = BYTES(key),
			    .iv = BYTES(nonce),
			    .in = BYTES(bytes),
			    .out = OUTPUT(bytes) },
	};
	struct firesteel_request hash = {
		.operation = FIRESTEEL_HASH,
		.hash = { .algorithm = FIRESTEEL_SHA256,
			  .in = BYTES(bytes),
			  .digest = OUTPUT(tag) },
	};
	struct firesteel *device;

	(void)state;
	memset(tags[2], 0xff, sizeof(tags[2]));
	set_register(&fake, SILEX_PRESENCE, SILEX_PRESENCE_AES | SILEX_PRESENCE_HASH);
	set_register(&fake, SILEX_HASH_CAPS,
		     SILEX_HASH_CAPS_ALGS | SILEX_HASH_CAPS_PAD | SILEX_HASH_CAPS_HMAC);
	set_register(&fake, SILEX_CM_INT_STAT_RAW, END_BITS);
	device = open_fast("auto");
	for (unsigned i = 0; i < 2 * COUNT(tags); i++) {
		cipher.cipher.mode = i % 2 ? FIRESTEEL_CCM : FIRESTEEL_GCM;
		cipher.cipher.decrypt = true;
		cipher.cipher.expected = BYTES(tags[i / 2]);
		unit_run(device, &cipher, FIRESTEEL_ERROR_FAULT);
	}
	cipher.cipher.expected.size = 0;
	cipher.cipher.tag = SPACE(tag, 16);
	cipher.cipher.mode = FIRESTEEL_GCM;
	unit_run(device, &cipher, FIRESTEEL_ERROR_FAULT); /* compared by the caller */
	cipher.cipher.decrypt = false;
	unit_run(device, &cipher, FIRESTEEL_ERROR_FAULT);
	cipher.cipher.mode = FIRESTEEL_CMAC;
	cipher.cipher.iv.size = cipher.cipher.out.size = 0;
	unit_run(device, &cipher, FIRESTEEL_ERROR_FAULT);
	unit_run(device, &hash, FIRESTEEL_ERROR_FAULT);
	hash.hash.hmac = true;
	hash.hash.key = BYTES(key);
	unit_run(device, &hash, FIRESTEEL_ERROR_FAULT);
	assert_memory_equal(bytes, before, sizeof(bytes));
	assert_int_equal(tag[0], 5);
	firesteel_close(device);
}

static void cryptomaster_that_hangs_is_reset(void **state)
{
	struct fake fake = make_cm("uio1", "0000:00:02.0");
	struct firesteel *device;
	struct firesteel_statistics statistics;
	uint8_t bytes[32] = { 0 };
	struct firesteel_request cbc = unit_cbc(bytes, sizeof(bytes));

	(void)state;
	set_register(&fake, SILEX_CM_INT_STAT_RAW, END_BITS);
	device = open_fast("auto");
	unit_run(device, &cbc, FIRESTEEL_OK);
	set_register(&fake, SILEX_CM_STATUS, SILEX_CM_STATUS_PUSH_BUSY);
	unit_run(device, &cbc, FIRESTEEL_ERROR_FAULT);
	firesteel_statistics(device, &statistics);
	assert_int_equal(statistics.resets, 1);
	set_register(&fake, SILEX_CM_STATUS, 0);
	set_register(&fake, SILEX_CM_INT_STAT_RAW, SILEX_CM_INT_PUSH_ERROR);
	unit_run(device, &cbc, FIRESTEEL_ERROR_FAULT);
	set_register(&fake, SILEX_CM_STATUS, UINT32_MAX);
	unit_run(device, &cbc, FIRESTEEL_ERROR_GONE);
	firesteel_close(device);
}

/* A file is no device that knows of its child: the child has no slot, and says so */
static void a_child_without_a_slot_has_no_core(void **state)
{
	struct firesteel *device;
	int status;
	pid_t pid;

	(void)state;
	make_pk("uio1", "0000:00:02.0");
	device = open_working("auto");
	pid = fork();
	if (pid == 0) {
		uint8_t result[64];
		struct firesteel_request request = unit_modexp(result);
		int error = firesteel_run(device, &request);

		firesteel_close(device);
		_exit(error == FIRESTEEL_ERROR_SYSTEM ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	expect_modexp(device, FIRESTEEL_OK);
	firesteel_close(device);
}

/* ---- the tree ---- */

static int drop(const char *path, const struct stat *about, int kind, struct FTW *where)
{
	(void)about;
	(void)kind;
	(void)where;
	return remove(path);
}

static int begin_tree(void **state)
{
	(void)state;
	strcpy(top, "/tmp/firesteel-uio-XXXXXX");
	if (!mkdtemp(top))
		return -1;
	snprintf(sysfs, sizeof(sysfs), "%s/sys", top);
	snprintf(dev, sizeof(dev), "%s/dev", top);
	fs_uio_sysfs = sysfs;
	fs_uio_dev = dev;
	return mkdir(sysfs, 0700) || mkdir(dev, 0700);
}

static int end_tree(void **state)
{
	(void)state;
	return nftw(top, drop, 8, FTW_DEPTH | FTW_PHYS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_tree, end_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_is_found_where_nothing_is),
		TEST(windows_are_found_by_name),
		TEST(opened_twice_it_is_the_same),
		TEST(what_cannot_be_opened_is_told),
		TEST(a_core_that_does_nothing_is_caught_by_a_check),
		TEST(a_core_that_only_remembers_proves_nothing),
		TEST(a_status_is_not_believed_when_it_is_nonsense),
		TEST(a_point_of_zeros_is_refused),
		TEST(the_lock_page_tells_of_the_core),
		TEST(the_lock_is_handed_to_the_oldest),
		TEST(cryptomaster_that_does_nothing_is_caught),
		TEST(a_message_is_done_when_all_says_so),
		TEST(nothing_is_believed_that_the_core_has_not_written),
		TEST(cryptomaster_that_hangs_is_reset),
		TEST(a_child_without_a_slot_has_no_core),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
