/* SPDX-License-Identifier: Apache-2.0 */
/* The cores as the kernel's driver hands them out: silex/share.h. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../silex/soc.h"
#include "clock.h"
#include "share.h"
#include "uio-list.h"

#define ENTRIES    64u
#define PAGE       4096u
#define MEMORY_MAX (256u << 20)
#define REGISTERS  PAGE
#define MAPS       3u

struct uio {
	struct fs_transport transport;
	char selection[FS_UIO_NAME];
	bool any; /* all devices are meant */
	bool (*in_use)(const char *file);
	int fd[FS_CORES];
	volatile uint32_t *registers[FS_CORES];
	volatile uint32_t *ram; /* of operands */
	size_t within[FS_CORES][MAPS]; /* where in its first page each map begins */
};

static struct uio *of(struct fs_transport *transport)
{
	return (struct uio *)(void *)transport;
}

/* ---- registers ---- */

static volatile uint32_t *register_at(struct fs_transport *transport, enum fs_core core,
				      uint32_t offset)
{
	uint32_t base = core == FS_PK ? SILEX_PK_BASE : SILEX_CM_BASE;

	return &of(transport)->registers[core][(offset - base) / sizeof(uint32_t)];
}

static uint32_t uio_read(struct fs_transport *transport, enum fs_core core, uint32_t offset)
{
	return le32toh(*register_at(transport, core, offset));
}

static void uio_write(struct fs_transport *transport, enum fs_core core, uint32_t offset,
		      uint32_t value)
{
	*register_at(transport, core, offset) = htole32(value);
}

/* Bytes go in the order of memory: words as they lie there */
static void uio_put(struct fs_transport *transport, uint32_t offset, const uint8_t *bytes,
		    size_t words)
{
	volatile uint32_t *ram = of(transport)->ram + (offset - SILEX_PK_RAM_BASE) / 4;

	for (size_t i = 0; i < words; i++) {
		uint32_t word;

		memcpy(&word, bytes + 4 * i, sizeof(word));
		ram[i] = word;
	}
}

static void uio_get(struct fs_transport *transport, uint32_t offset, uint8_t *bytes, size_t words)
{
	volatile uint32_t *ram = of(transport)->ram + (offset - SILEX_PK_RAM_BASE) / 4;

	for (size_t i = 0; i < words; i++) {
		uint32_t word = ram[i];

		memcpy(bytes + 4 * i, &word, sizeof(word));
	}
}

/* ---- events ---- */

/* Whether the kernel has taken the word.  A word is taken whole. */
static bool tell(struct fs_transport *transport, enum fs_core core, int32_t word)
{
	ssize_t written;

	do
		written = write(of(transport)->fd[core], &word, sizeof(word));
	while (written < 0 && errno == EINTR);
	return written == (ssize_t)sizeof(word);
}

/* Without an interrupt, sleepers check the core when their time is over */
static void uio_arm(struct fs_transport *transport)
{
	if (transport->share->flags & SILEX_SHARE_INTERRUPT)
		tell(transport, FS_PK, SILEX_SHARE_ARM);
}

static void uio_wake(struct fs_transport *transport)
{
	tell(transport, FS_PK, SILEX_SHARE_WAKE);
}

static void uio_reap(struct fs_transport *transport)
{
	(void)transport; /* the kernel does */
}

/* In units, as many as a word has room for */
static int uio_refresh(struct fs_transport *transport, size_t offset, size_t size)
{
	size_t first = offset / SILEX_SHARE_RESULTS_UNIT;
	size_t end = (offset + size + SILEX_SHARE_RESULTS_UNIT - 1) / SILEX_SHARE_RESULTS_UNIT;
	int32_t word = (int32_t)SILEX_SHARE_RESULTS(first, end - first);

	return tell(transport, FS_CM, word) ? FIRESTEEL_OK : FIRESTEEL_ERROR_SYSTEM;
}

/* poll() counts in ms, so it would sleep too long for what is short */
static void uio_sleep(struct fs_transport *transport, enum fs_core core, uint64_t ns)
{
	struct pollfd waiting = { .fd = of(transport)->fd[core], .events = POLLIN };
	const struct timespec longest = fs_timespec(ns);
	uint32_t events;

	if (ppoll(&waiting, 1, &longest, NULL) <= 0)
		return;
	if (waiting.revents & POLLNVAL) {
		/* the program has closed all that it knows nothing of: only time wakes */
		clock_nanosleep(CLOCK_MONOTONIC, 0, &longest, NULL);
	} else {
		/* takes the event; another process may have been faster */
		ssize_t ignored = read(waiting.fd, &events, sizeof(events));

		(void)ignored;
	}
}

/* ---- descriptors ---- */

/*
 * Daemons close all descriptors from 3 on, and open others, which get the lowest numbers.  One of ours
 * lies far above them: so a file gets its number, and our words, only in a program that has then opened
 * a thousand files.
 */
static int move_away(int fd)
{
	static const int places[] = { 1000, 500, 200, 50 };
	int moved = -1;

	for (unsigned i = 0; fd >= 0 && moved < 0 && i < sizeof(places) / sizeof(*places); i++)
		moved = fcntl(fd, F_DUPFD_CLOEXEC, places[i]);
	if (moved < 0)
		return fd; /* it may have no more */
	close(fd);
	return moved;
}

static bool open_descriptor(struct uio *uio, enum fs_core core, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", fs_uio_dev, name);
	uio->fd[core] = move_away(open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK));
	return uio->fd[core] >= 0;
}

/* Whether a map failed because the program has closed the descriptor, which is open again now */
static bool reopen(struct uio *uio, enum fs_core core)
{
	return errno == EBADF && open_descriptor(uio, core, uio->transport.file[core]);
}

/* The lock would be the caller's for ever, so the kernel is told even by a new descriptor */
static void uio_give_up(struct fs_transport *transport)
{
	if (!tell(transport, FS_PK, SILEX_SHARE_GIVE_UP) && reopen(of(transport), FS_PK))
		tell(transport, FS_PK, SILEX_SHARE_GIVE_UP);
}

/* ---- mapping ---- */

/* Opens no file: a forked child may be in a sandbox that forbids it */
static void *map_for(struct uio *uio, enum fs_core core, unsigned number, size_t size, int use)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), within = uio->within[core][number];
	int fd = uio->fd[core];
	uint8_t *memory = mmap(NULL, (within + size + page - 1) / page * page, use, MAP_SHARED, fd,
			       (off_t)(number * page));

	return memory == MAP_FAILED ? NULL : memory + within;
}

static void *map(struct uio *uio, enum fs_core core, unsigned number, size_t size)
{
	return map_for(uio, core, number, size, PROT_READ | PROT_WRITE);
}

/* The whole pages of a mapping */
static void unmap(const volatile void *memory, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = (uintptr_t)memory / page * page;
	uintptr_t end = ((uintptr_t)memory + size + page - 1) / page * page;

	if (memory)
		munmap((void *)begin, end - begin);
}

/* A name that no other slot has: the kernel says so */
static int join(struct uio *uio)
{
	uint32_t name = SILEX_SHARE_JOIN | (uint32_t)fs_now();

	if (uio->transport.share->version != SILEX_SHARE_VERSION)
		return -1;
	while (!tell(&uio->transport, FS_PK, (int32_t)name)) {
		if (errno != EEXIST)
			return -1;
		name = SILEX_SHARE_JOIN | (name + 1);
	}
	return fs_share_find(uio->transport.share, name);
}

static void unmap_pk(struct uio *uio)
{
	unmap(uio->registers[FS_PK], REGISTERS);
	unmap(uio->ram, SILEX_PK_RAM_SIZE);
	unmap(uio->transport.share, sizeof(struct silex_share));
	uio->registers[FS_PK] = NULL;
	uio->ram = NULL;
	uio->transport.share = NULL;
}

/* The lock page takes a slot, and needs no other map: BUSY leaves those of the core, which tell what it is */
static int map_pk(struct uio *uio)
{
	struct fs_transport *transport = &uio->transport;
	int slot = -1, error;

	if (!uio->registers[FS_PK])
		uio->registers[FS_PK] = map(uio, FS_PK, SILEX_SHARE_PK_REGS_MAP, REGISTERS);
	if (!uio->ram)
		uio->ram = map(uio, FS_PK, SILEX_SHARE_PK_RAM_MAP, SILEX_PK_RAM_SIZE);
	if (uio->registers[FS_PK] && uio->ram) {
		transport->share = map(uio, FS_PK, SILEX_SHARE_PK_LOCK_MAP,
				       sizeof(struct silex_share));
		if (!transport->share && errno == ENOSPC)
			return FIRESTEEL_ERROR_BUSY;
	}
	if (transport->share) {
		slot = join(uio);
		if (slot < 0)
			errno = EPROTO; /* another version of silex/share.h, or no kernel behind it */
	}
	if (slot < 0) {
		error = errno;
		unmap_pk(uio);
		errno = error;
		return FIRESTEEL_ERROR_SYSTEM;
	}
	transport->slot = (unsigned)slot;
	return FIRESTEEL_OK;
}

static void unmap_cm(struct uio *uio)
{
	unmap(uio->registers[FS_CM], REGISTERS);
	unmap(uio->transport.dma, uio->transport.dma_size);
	unmap(uio->transport.results, uio->transport.results_size);
	uio->registers[FS_CM] = NULL;
	uio->transport.dma = NULL;
	uio->transport.results = NULL;
}

static int map_cm(struct uio *uio)
{
	int error;

	uio->registers[FS_CM] = map(uio, FS_CM, SILEX_SHARE_CM_REGS_MAP, REGISTERS);
	uio->transport.dma = map(uio, FS_CM, SILEX_SHARE_CM_BUFFER_MAP, uio->transport.dma_size);
	if (uio->transport.results_size > 0)
		uio->transport.results = map_for(uio, FS_CM, SILEX_SHARE_CM_RESULTS_MAP,
						 uio->transport.results_size, PROT_READ);
	if (!uio->registers[FS_CM] || !uio->transport.dma) {
		error = errno;
		unmap_cm(uio);
		errno = error;
		return FIRESTEEL_ERROR_SYSTEM;
	}
	return FIRESTEEL_OK;
}

/* ---- opening ---- */

static int open_file(struct uio *uio, enum fs_core core, const char *name)
{
	if (!open_descriptor(uio, core, name))
		return FIRESTEEL_ERROR_SYSTEM;
	snprintf(uio->transport.file[core], sizeof(uio->transport.file[core]), "%s", name);
	for (unsigned number = 0; number < MAPS; number++)
		uio->within[core][number] = fs_uio_map_number(name, number, "offset");
	return FIRESTEEL_OK;
}

static void close_file(struct uio *uio, enum fs_core core)
{
	int error = errno;

	if (uio->fd[core] >= 0)
		close(uio->fd[core]);
	uio->fd[core] = -1;
	uio->transport.file[core][0] = '\0';
	errno = error;
}

/* Memory that a map shows; 0: none that can be used, as descriptors have addresses of 32 bits */
static size_t read_map(const char *name, unsigned number, uint32_t *bus)
{
	unsigned long address = fs_uio_map_number(name, number, "addr");
	unsigned long size = fs_uio_map_number(name, number, "size");

	*bus = (uint32_t)address;
	return size > MEMORY_MAX || (uint64_t)address + size > UINT32_MAX ? 0 : size;
}

static bool read_memory(struct uio *uio, const char *name)
{
	struct fs_transport *transport = &uio->transport;

	transport->dma_size = read_map(name, SILEX_SHARE_CM_BUFFER_MAP, &transport->bus);
	transport->results_size = read_map(name, SILEX_SHARE_CM_RESULTS_MAP,
					   &transport->results_bus);
	return transport->dma_size > 0;
}

/* After an error, what is open is left so */
static int open_core(struct uio *uio, enum fs_core core, const struct fs_uio_entry *entry)
{
	int error;

	if (core == FS_CM && !read_memory(uio, entry->name))
		return FIRESTEEL_ERROR_ABSENT;
	error = open_file(uio, core, entry->name);
	if (error)
		return core == FS_CM && errno == EBUSY ? FIRESTEEL_ERROR_BUSY : error;
	error = core == FS_PK ? map_pk(uio) : map_cm(uio);
	uio->transport.has[core] = !error;
	return error;
}

static int try_open(struct uio *uio, enum fs_core core, const struct fs_uio_entry *entry)
{
	int error = open_core(uio, core, entry), number = errno;

	if (error && core == FS_PK)
		unmap_pk(uio);
	if (error)
		close_file(uio, core);
	errno = number;
	return error;
}

/* All slots are in use: join() tries again, and until then the registers tell what the core is */
static void wait_for_slot(struct uio *uio, const struct fs_uio_entry *entry)
{
	int error = open_core(uio, FS_PK, entry);

	uio->transport.taken[FS_PK] = error == FIRESTEEL_ERROR_BUSY;
	if (error && error != FIRESTEEL_ERROR_BUSY)
		close_file(uio, FS_PK);
}

static bool is_core(const struct fs_uio_entry *entry, enum fs_core core)
{
	return strcmp(entry->kind, core == FS_PK ? SILEX_SHARE_PK : SILEX_SHARE_CM) == 0;
}

struct search {
	struct fs_uio_entry entries[ENTRIES];
	unsigned count;
	char problem[FIRESTEEL_MESSAGE_SIZE]; /* the last one */
	int error;
};

/* Why the last device that was tried could not be opened */
static void explain(struct search *search, const struct fs_uio_entry *entry, bool in_use)
{
	snprintf(search->problem, sizeof(search->problem), "%s (%s): %.100s", entry->name,
		 entry->kind,
		 in_use ? "this process has it open under another name" : strerror(errno));
}

/* The first device of a kind that lets itself be opened; or the first public-key core without a slot */
static void find_core(struct uio *uio, enum fs_core core, struct search *search)
{
	const struct fs_uio_entry *full = NULL;

	for (unsigned i = 0; i < search->count; i++) {
		const struct fs_uio_entry *entry = &search->entries[i];
		bool in_use;

		if (!is_core(entry, core))
			continue;
		in_use = uio->in_use(entry->name);
		search->error = in_use ? FIRESTEEL_ERROR_BUSY : try_open(uio, core, entry);
		if (!search->error)
			return;
		explain(search, entry, in_use);
		if (search->error == FIRESTEEL_ERROR_BUSY && core == FS_CM)
			uio->transport.taken[core] = true;
		else if (search->error == FIRESTEEL_ERROR_BUSY && !in_use && !full)
			full = entry;
	}
	if (full)
		wait_for_slot(uio, full);
}

static int judge(const struct uio *uio, const struct search *search, char *message)
{
	if (fs_has_pk(&uio->transport) || uio->transport.has[FS_CM])
		return FIRESTEEL_OK;
	if (search->count == 0) {
		snprintf(message, FIRESTEEL_MESSAGE_SIZE,
			 "%s has no device %s of the kinds " SILEX_SHARE_PK " and " SILEX_SHARE_CM
			 ": is the driver loaded, and is it allowed to export?",
			 fs_uio_sysfs, uio->any ? "at all" : uio->selection);
		return FIRESTEEL_ERROR_ABSENT;
	}
	snprintf(message, FIRESTEEL_MESSAGE_SIZE, "%s", search->problem);
	return search->error;
}

static void name_it(struct uio *uio, const struct search *search)
{
	const char *file = uio->transport.file[fs_has_pk(&uio->transport) ? FS_PK : FS_CM];

	for (unsigned i = 0; i < search->count; i++)
		if (strcmp(search->entries[i].name, file) == 0)
			snprintf(uio->transport.name, sizeof(uio->transport.name), "uio:%.59s",
				 search->entries[i].window);
}

/* ---- life ---- */

static int uio_retry(struct fs_transport *transport)
{
	struct uio *uio = of(transport);
	struct search *search = calloc(1, sizeof(*search));

	if (!search)
		return FIRESTEEL_ERROR_MEMORY;
	transport->taken[FS_CM] = false;
	search->count = fs_uio_list(uio->any ? NULL : uio->selection, search->entries, ENTRIES);
	find_core(uio, FS_CM, search);
	free(search);
	if (transport->has[FS_CM])
		return FIRESTEEL_OK;
	return transport->taken[FS_CM] ? FIRESTEEL_ERROR_BUSY : FIRESTEEL_ERROR_ABSENT;
}

/* Whether mapping the core may succeed later: there was no slot, no memory or no descriptor */
static bool is_passing(int error)
{
	return error == FIRESTEEL_ERROR_BUSY || errno == ENOMEM || errno == EAGAIN ||
	       errno == EMFILE || errno == ENFILE;
}

static int uio_join(struct fs_transport *transport)
{
	struct uio *uio = of(transport);
	int error = map_pk(uio);

	if (error && reopen(uio, FS_PK))
		error = map_pk(uio);
	/* in this order: a thread that finds neither takes the core for absent, for good */
	transport->has[FS_PK] = !error;
	transport->taken[FS_PK] = error && is_passing(error);
	return error;
}

/* What the child has in the place of the parent's mappings reads ones */
static int uio_remap(struct fs_transport *transport)
{
	struct uio *uio = of(transport);

	unmap_pk(uio);
	if (fs_has_pk(transport))
		uio_join(transport);
	unmap_cm(uio);
	if (transport->has[FS_CM])
		transport->has[FS_CM] = map_cm(uio) == FIRESTEEL_OK ||
					(reopen(uio, FS_CM) && map_cm(uio) == FIRESTEEL_OK);
	return fs_has_pk(transport) || transport->has[FS_CM] ? FIRESTEEL_OK
							     : FIRESTEEL_ERROR_SYSTEM;
}

static void uio_close(struct fs_transport *transport, bool mapped)
{
	struct uio *uio = of(transport);

	(void)mapped; /* what a child inherits lies where the mappings did */
	unmap_pk(uio);
	unmap_cm(uio);
	for (unsigned core = 0; core < FS_CORES; core++)
		close_file(uio, core);
	free(uio);
}

static const struct fs_transport_ops ops = {
	.read = uio_read,
	.write = uio_write,
	.put = uio_put,
	.get = uio_get,
	.arm = uio_arm,
	.sleep = uio_sleep,
	.give_up = uio_give_up,
	.wake = uio_wake,
	.reap = uio_reap,
	.refresh = uio_refresh,
	.remap = uio_remap,
	.join = uio_join,
	.retry = uio_retry,
	.close = uio_close,
};

static struct uio *new_uio(const char *selection, bool (*in_use)(const char *file))
{
	struct uio *uio = calloc(1, sizeof(*uio));

	if (!uio)
		return NULL;
	uio->transport.ops = &ops;
	uio->any = !selection;
	uio->in_use = in_use;
	snprintf(uio->selection, sizeof(uio->selection), "%s", selection ? selection : "");
	uio->fd[FS_PK] = -1;
	uio->fd[FS_CM] = -1;
	return uio;
}

int fs_uio_open_engine(const char *selection, bool (*in_use)(const char *file), unsigned *last,
		       struct fs_transport **transport)
{
	struct search *search = calloc(1, sizeof(*search));
	struct uio *uio = new_uio(selection, in_use);

	*transport = NULL;
	if (search && uio)
		search->count = fs_uio_list(selection, search->entries, ENTRIES);
	for (; search && uio && !uio->transport.has[FS_PK] && *last < search->count; ++*last) {
		const struct fs_uio_entry *entry = &search->entries[*last];

		if (is_core(entry, FS_PK) && !in_use(entry->name))
			try_open(uio, FS_PK, entry);
	}
	if (uio && uio->transport.has[FS_PK]) {
		name_it(uio, search);
		*transport = &uio->transport;
	} else {
		free(uio);
	}
	free(search);
	return *transport ? FIRESTEEL_OK : FIRESTEEL_ERROR_ABSENT;
}

int fs_uio_open(const char *selection, bool (*in_use)(const char *file),
		struct fs_transport **transport, char message[FIRESTEEL_MESSAGE_SIZE])
{
	struct search *search = calloc(1, sizeof(*search));
	struct uio *uio = new_uio(selection, in_use);
	int error = FIRESTEEL_ERROR_MEMORY;

	*transport = NULL;
	if (search && uio) {
		search->count = fs_uio_list(selection, search->entries, ENTRIES);
		find_core(uio, FS_PK, search);
		find_core(uio, FS_CM, search);
		error = judge(uio, search, message);
	} else {
		snprintf(message, FIRESTEEL_MESSAGE_SIZE, "there is no memory");
	}
	if (!error) {
		name_it(uio, search);
		*transport = &uio->transport;
	} else if (uio) {
		uio_close(&uio->transport, true);
	}
	free(search);
	return error;
}
