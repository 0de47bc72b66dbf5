// SPDX-License-Identifier: Apache-2.0
/* A CryptoMaster of one's own: AES from and to the buffer that DMA reaches. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "silex/ba411.h"
#include "silex/cryptomaster.h"
#include "silex/message.h"
#include "silex/soc.h"
#include "uio.h"

#define BUSY (SILEX_CM_STATUS_FETCH_BUSY | SILEX_CM_STATUS_PUSH_BUSY | SILEX_CM_STATUS_PUSH_WAITING)
#define INTERRUPTS (SILEX_CM_INT_PUSH_STOPPED | SILEX_CM_INT_FETCH_ERROR | SILEX_CM_INT_PUSH_ERROR)

#define BLOCKS 4u
#define SIZE   (16 * BLOCKS)

/* NIST SP 800-38A, F.2.5: CBC-AES256.Encrypt */
static const uint8_t key[32] = {
	0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae,
	0xf0, 0x85, 0x7d, 0x77, 0x81, 0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61,
	0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4,
};
static const uint8_t plain[SIZE] = {
	0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73,
	0x93, 0x17, 0x2a, 0xae, 0x2d, 0x8a, 0x57, 0x1e, 0x03, 0xac, 0x9c, 0x9e, 0xb7,
	0x6f, 0xac, 0x45, 0xaf, 0x8e, 0x51, 0x30, 0xc8, 0x1c, 0x46, 0xa3, 0x5c, 0xe4,
	0x11, 0xe5, 0xfb, 0xc1, 0x19, 0x1a, 0x0a, 0x52, 0xef, 0xf6, 0x9f, 0x24, 0x45,
	0xdf, 0x4f, 0x9b, 0x17, 0xad, 0x2b, 0x41, 0x7b, 0xe6, 0x6c, 0x37, 0x10,
};
static const uint8_t cipher[SIZE] = {
	0xf5, 0x8c, 0x4c, 0x04, 0xd6, 0xe5, 0xf1, 0xba, 0x77, 0x9e, 0xab, 0xfb, 0x5f,
	0x7b, 0xfb, 0xd6, 0x9c, 0xfc, 0x4e, 0x96, 0x7e, 0xdb, 0x80, 0x8d, 0x67, 0x9f,
	0x77, 0x7b, 0xc6, 0x70, 0x2c, 0x7d, 0x39, 0xf2, 0x33, 0x69, 0xa9, 0xd9, 0xba,
	0xcf, 0xa5, 0x30, 0xe2, 0x63, 0x04, 0x23, 0x14, 0x61, 0xb2, 0xeb, 0x05, 0xe2,
	0xc3, 0x9b, 0xe9, 0xfc, 0xda, 0x6c, 0x19, 0x07, 0x8c, 0x6a, 0x9d, 0x1b,
};

/* What lies in the buffer */
struct memory {
	struct silex_descriptor fetch[4];
	struct silex_descriptor push;
	uint32_t word;
	uint8_t key[32];
	uint8_t iv[16];
	uint8_t in[SIZE];
	uint8_t out[SIZE];
	struct silex_descriptor many[64];
	uint8_t large[512 * 1024];
};

struct cm {
	int fd;
	volatile uint32_t *registers;
	struct memory *memory;
	uint32_t address; /* of it, on the bus */
	size_t size;
};

static void cm_map(struct cm *cm)
{
	cm->address = (uint32_t)device_value(SILEX_SHARE_CM, "maps/map1/addr");
	cm->size = device_value(SILEX_SHARE_CM, "maps/map1/size");
	cm->registers = device_map(cm->fd, SILEX_SHARE_CM_REGS_MAP, (size_t)getpagesize());
	cm->memory = device_map(cm->fd, SILEX_SHARE_CM_BUFFER_MAP, cm->size);
	must(cm->registers != MAP_FAILED && cm->memory != MAP_FAILED, "map CryptoMaster");
}

static void cm_open(struct cm *cm)
{
	cm->fd = device_open(SILEX_SHARE_CM, 0);
	must(cm->fd >= 0, "open CryptoMaster");
	cm_map(cm);
}

static void cm_close(struct cm *cm)
{
	munmap((void *)cm->registers, (size_t)getpagesize());
	munmap(cm->memory, cm->size);
	close(cm->fd);
}

static uint32_t cm_read(const struct cm *cm, uint32_t offset)
{
	return cm->registers[offset / 4];
}

static void cm_write(const struct cm *cm, uint32_t offset, uint32_t value)
{
	cm->registers[offset / 4] = value;
}

/* ---- a message ---- */

#define AT(cm, member) ((cm)->address + (uint32_t)offsetof(struct memory, member))

/* Ends a fetch list, whose data is whole blocks */
static void end(struct silex_list *fetch)
{
	silex_list_end_item(fetch, SIZE, SILEX_AES_BLOCK, 0, SILEX_TAG_LAST);
	silex_list_stop(fetch, 0);
}

static void fill(const struct cm *cm)
{
	struct memory *memory = cm->memory;
	struct silex_list fetch, push;

	memory->word = SILEX_AES_MODE_CBC | SILEX_AES_KEY_256;
	memcpy(memory->key, key, sizeof(key));
	for (unsigned i = 0; i < sizeof(memory->iv); i++)
		memory->iv[i] = (uint8_t)i;
	memcpy(memory->in, plain, sizeof(plain));
	memset(memory->out, 0, sizeof(memory->out));
	silex_list_begin(&fetch, memory->fetch, AT(cm, fetch), 4);
	silex_list_config(&fetch, SILEX_ENGINE_AES, SILEX_AES_CONFIG, AT(cm, word), 4);
	silex_list_config(&fetch, SILEX_ENGINE_AES, SILEX_AES_KEY, AT(cm, key), 32);
	silex_list_config(&fetch, SILEX_ENGINE_AES, SILEX_AES_IV, AT(cm, iv), 16);
	silex_list_add(&fetch, AT(cm, in), SIZE, SILEX_ENGINE_AES);
	end(&fetch);
	silex_list_begin(&push, &memory->push, AT(cm, push), 1);
	silex_list_add(&push, AT(cm, out), SIZE | SILEX_LEN_REALIGN, 0);
	silex_list_stop(&push, 0);
}

static void go(const struct cm *cm, uint32_t interrupts)
{
	cm_write(cm, SILEX_CM_INT_STAT_CLR, SILEX_CM_INT_ALL);
	cm_write(cm, SILEX_CM_INT_EN, interrupts);
	cm_write(cm, SILEX_CM_FETCH_ADDR, AT(cm, fetch[0]));
	cm_write(cm, SILEX_CM_PUSH_ADDR, AT(cm, push));
	cm_write(cm, SILEX_CM_CONFIG, SILEX_CM_CONFIG_FETCH_SG | SILEX_CM_CONFIG_PUSH_SG);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	cm_write(cm, SILEX_CM_START, SILEX_CM_START_FETCH | SILEX_CM_START_PUSH);
}

static bool is_right(const struct cm *cm)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return !memcmp(cm->memory->out, cipher, sizeof(cipher));
}

static bool polled(void *data)
{
	struct cm *cm = data;
	bool right = true;

	cm_map(cm);
	forbid_system_calls();
	for (unsigned i = 0; i < 100; i++) {
		fill(cm);
		go(cm, 0);
		while (cm_read(cm, SILEX_CM_STATUS) & BUSY)
			;
		right &= is_right(cm);
	}
	return right;
}

static bool event(const struct cm *cm, int ms)
{
	struct pollfd poll_for = { .fd = cm->fd, .events = POLLIN };
	uint32_t count;

	return poll(&poll_for, 1, ms) == 1 && read(cm->fd, &count, sizeof(count)) == sizeof(count);
}

static void by_interrupt(const struct cm *cm)
{
	bool events = true, masked = true, right = true;

	for (unsigned i = 0; i < 100; i++) {
		fill(cm);
		go(cm, INTERRUPTS);
		events &= event(cm, 1000);
		masked &= cm_read(cm, SILEX_CM_INT_EN) == 0 &&
			  cm_read(cm, SILEX_CM_INT_STAT_RAW) & SILEX_CM_INT_PUSH_STOPPED;
		right &= is_right(cm);
	}
	check(events, "an event for each message");
	check(masked, "the kernel has masked what came, and cleared nothing");
	check(right, "right by interrupt");
	check(!event(cm, 20), "no event without an interrupt");
}

/* ---- one owner ---- */

static bool is_refused(void *data)
{
	(void)data;
	return device_open(SILEX_SHARE_CM, 0) < 0 && errno == EBUSY;
}

/* ---- an end in the middle ---- */

/* Many times the same half megabyte, encrypted in its place */
static void start_many(const struct cm *cm)
{
	struct memory *memory = cm->memory;
	struct silex_list fetch, push;

	fill(cm);
	memset(memory->large, 0x5a, sizeof(memory->large));
	silex_list_begin(&fetch, memory->many, AT(cm, many), 64);
	for (unsigned i = 0; i < 64; i++)
		silex_list_add(&fetch, AT(cm, large), sizeof(memory->large), SILEX_ENGINE_AES);
	end(&fetch);
	memory->fetch[2].next = AT(cm, many[0]);
	silex_list_begin(&push, &memory->push, AT(cm, push), 1);
	silex_list_add(&push, AT(cm, large), sizeof(memory->large) | SILEX_LEN_REALIGN, 0);
	silex_list_chain(&push, AT(cm, push)); /* takes all that comes */
	go(cm, INTERRUPTS);
}

static bool end_in_the_middle(void *data)
{
	volatile bool *there = data;
	struct cm cm;

	cm_open(&cm);
	start_many(&cm);
	*there = cm_read(&cm, SILEX_CM_STATUS) & BUSY;
	stay();
}

static void nothing_is_left(void)
{
	const uint8_t *bytes;
	bool zeros = true;
	struct cm cm;

	cm_open(&cm);
	bytes = (const uint8_t *)cm.memory;
	check(!(cm_read(&cm, SILEX_CM_STATUS) & BUSY), "CryptoMaster is stopped");
	check(cm_read(&cm, SILEX_CM_INT_EN) == 0, "it has no interrupts");
	for (size_t i = 0; i < cm.size; i++)
		zeros &= !bytes[i];
	sleep_ms(20);
	for (size_t i = 0; i < cm.size; i++)
		zeros &= !bytes[i];
	check(zeros, "the buffer is clear, and stays so");
	cm_close(&cm);
}

void scenario_message(void)
{
	volatile bool *there = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				    -1, 0);
	struct cm cm;
	pid_t child;

	cm_open(&cm);
	check(cm_read(&cm, SILEX_PRESENCE) & SILEX_PRESENCE_AES, "the presence register");
	check(is_refused(NULL), "one owner");
	check(ended_well(start(is_refused, NULL)), "and no other one");
	check(ended_well(start(polled, &cm)), "right by polling, without a system call");
	by_interrupt(&cm);
	cm_close(&cm);
	nothing_is_left();
	child = start(end_in_the_middle, (void *)there);
	check(eventually(*there), "the core is at work");
	kill(child, SIGKILL);
	check(ended_by(child) == SIGKILL, "its owner is dead");
	nothing_is_left();
}

/* ---- a reset ---- */

/* Whether the core leaves the buffer as it is for a while */
static bool writes_nothing(const struct cm *cm)
{
	uint8_t *large = cm->memory->large;
	bool same = true;

	memset(large, 0xa5, sizeof(cm->memory->large));
	sleep_ms(20);
	for (size_t i = 0; i < sizeof(cm->memory->large); i++)
		same &= large[i] == 0xa5;
	return same;
}

/* The machine sleeps while the core is at work */
void scenario_asleep(void)
{
	struct cm cm;

	cm_open(&cm);
	start_many(&cm);
	must(cm_read(&cm, SILEX_CM_STATUS) & BUSY, "the core is at work");
	mark("/run/ready");
	check(eventually(cm_read(&cm, SILEX_CM_CONFIG) == 0), "the core was reset");
	check(!(cm_read(&cm, SILEX_CM_STATUS) & BUSY), "it is idle");
	check(writes_nothing(&cm), "it writes nothing");
	fill(&cm);
	go(&cm, 0);
	check(eventually(!(cm_read(&cm, SILEX_CM_STATUS) & BUSY)) && is_right(&cm),
	      "right afterwards");
	cm_close(&cm);
}
