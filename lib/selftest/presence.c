/* SPDX-License-Identifier: Apache-2.0 */
#include "checks.h"

#include <stdio.h>
#include <string.h>

#include "../../silex/ba414.h"
#include "../../silex/soc.h"
#include "../uio-list.h"

#define SECTION "the-driver"
#define ENTRIES 8u /* of one window, at most */

/* Engines that the library does not drive */
static const struct {
	uint32_t bit;
	const char *name;
} others[] = {
	{ SILEX_PRESENCE_AES_GCM, "BA415" }, { SILEX_PRESENCE_AES_XTS, "BA416" },
	{ SILEX_PRESENCE_DES, "BA412" },     { SILEX_PRESENCE_CHACHA, "BA417" },
	{ SILEX_PRESENCE_SHA3, "BA418" },    { SILEX_PRESENCE_ZUC, "BA421" },
	{ SILEX_PRESENCE_SM4, "BA419" },     { SILEX_PRESENCE_RNG, "BA431" },
	{ SILEX_PRESENCE_BA420, "BA420" },   { SILEX_PRESENCE_BA423, "BA423" },
	{ SILEX_PRESENCE_BA422, "BA422" },   { SILEX_PRESENCE_ARIA, "BA424" },
};

static uint32_t read_cm(struct window *window, uint32_t offset)
{
	return fs_read(window->device->transport, FS_CM, offset);
}

static void other_engines(struct window *window, uint32_t presence)
{
	char names[128] = "";
	size_t length = 0;

	for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (presence & others[i].bit)
			length += (size_t)snprintf(names + length, sizeof(names) - length, " %s",
						   others[i].name);
	if (length > 0)
		report_absent(window->report, "other-engines",
			      "the library does not drive what PRESENCE names besides:%s", names);
}

/* Whether the kernel has the window's CryptoMaster, by its file `owner` */
static bool is_kernels(const struct window *window)
{
	char path[256], owner[16] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/device/owner", fs_uio_sysfs,
		 window->device->transport->file[FS_PK]);
	file = fopen(path, "re");
	if (file && !fgets(owner, sizeof(owner), file))
		*owner = '\0';
	if (file)
		fclose(file);
	return strncmp(owner, "kernel", strlen("kernel")) == 0;
}

/* Whether the kernel exports such a device of the window */
static bool is_exported(const struct window *window, const char *kind)
{
	static struct fs_uio_entry entries[ENTRIES];
	unsigned count = fs_uio_list(window->report->window, entries, ENTRIES);

	for (unsigned i = 0; i < count; i++)
		if (strcmp(entries[i].kind, kind) == 0)
			return true;
	return false;
}

static void no_cryptomaster(struct window *window)
{
	if (window->device->transport->taken[FS_CM])
		report_failed(window->report, "cryptomaster", SECTION,
			      "expected to open it, came \"%s\"",
			      firesteel_error_text(FIRESTEEL_ERROR_BUSY));
	else if (is_exported(window, SILEX_SHARE_CM))
		report_failed(window->report, "cryptomaster", SECTION,
			      "expected to open " SILEX_SHARE_CM
			      ", came none that may be opened and has a known engine");
	else if (is_kernels(window))
		report_absent(window->report, "cryptomaster",
			      "the kernel keeps it; proc-crypto is its only check");
	else
		report_absent(window->report, "cryptomaster", "the window has none");
}

/* What the capabilities lack, at 404 and 40c: NULL if there is all */
static const char *missing(const struct window *window, uint32_t presence)
{
	if (presence & SILEX_PRESENCE_AES && !(window->has.modes && window->has.key_bits))
		return "modes and key sizes of the AES";
	if (presence & SILEX_PRESENCE_HASH && !window->has.digests)
		return "algorithms and padding of the hash";
	return NULL;
}

/* It was there when the device was opened */
static void gone(struct window *window, enum fs_core core, const char *check)
{
	window->silent[core] = true;
	report_failed(window->report, check, SECTION,
		      "expected what the window has, came 0x%08x: no clock, no power or a reset",
		      SILEX_GONE);
}

static void show_cryptomaster(struct window *window, uint32_t presence)
{
	uint32_t aes = read_cm(window, SILEX_AES_CAPS), hash = read_cm(window, SILEX_HASH_CAPS);
	const char *lack = missing(window, presence);

	if (lack)
		report_failed(window->report, "cryptomaster", SECTION,
			      "expected %s that PRESENCE names, came AES 0x%08x, hash 0x%08x", lack,
			      aes, hash);
	else
		report_ok(window->report, "cryptomaster",
			  "PRESENCE 0x%08x, AES 0x%08x, hash 0x%08x; %zu KiB for DMA", presence,
			  aes, hash, window->has.pool_bytes / 1024);
	other_engines(window, presence);
}

static void cryptomaster(struct window *window)
{
	uint32_t presence;

	if (!window->has.cryptomaster) {
		no_cryptomaster(window);
		return;
	}
	presence = read_cm(window, SILEX_PRESENCE);
	if (presence == SILEX_GONE)
		gone(window, FS_CM, "cryptomaster");
	else
		show_cryptomaster(window, presence);
}

static void show_public_key(struct window *window)
{
	struct fs_transport *transport = window->device->transport;
	uint32_t hardware = fs_read(transport, FS_PK, SILEX_PK_BASE + SILEX_PK_HWCONFIG);

	if (hardware == SILEX_GONE)
		gone(window, FS_PK, "public-key");
	else
		report_ok(window->report, "public-key",
			  "VERSION 0x%08x, HWCONFIG 0x%08x: %u bits, %u multipliers, %s",
			  fs_read(transport, FS_PK, SILEX_PK_BASE + SILEX_PK_VERSION), hardware,
			  8 * window->has.operand_bytes, window->has.multipliers,
			  window->has.protection ? "countermeasures" : "no countermeasures");
}

static void no_public_key(struct window *window)
{
	bool named = window->has.cryptomaster && !window->silent[FS_CM] &&
		     read_cm(window, SILEX_PRESENCE) & SILEX_PRESENCE_PK;

	if (is_exported(window, SILEX_SHARE_PK))
		report_failed(window->report, "public-key", SECTION,
			      "expected to open " SILEX_SHARE_PK
			      ", came none that may be opened and has a known HWCONFIG");
	else if (named)
		report_failed(window->report, "public-key", SECTION,
			      "expected the public-key engine that PRESENCE names, "
			      "came none from the kernel");
	else
		report_absent(window->report, "public-key", "the window has none");
}

static void public_key(struct window *window)
{
	if (window->has.public_key)
		show_public_key(window);
	else
		no_public_key(window);
}

void check_presence(struct window *window)
{
	cryptomaster(window);
	public_key(window);
}
