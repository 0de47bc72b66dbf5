/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fscrypt-policy: has a file system encrypt a directory, and says how it encrypted a file.
 *
 *	fscrypt-policy set DIRECTORY	reads a master key of 64 bytes from standard input and gives it to the file
 *					system; what is created in the empty DIRECTORY from now on is
 *					encrypted with keys derived from it: contents with AES-256-XTS, names
 *					with AES-256-CTS
 *	fscrypt-policy show FILE	prints where FILE's contents begin on the block device, in bytes, and
 *					in hexadecimal the nonce with which its key is derived, if it has one
 *
 * The ioctls: Documentation/filesystems/fscrypt.rst and fiemap.rst of the kernel.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define KEY_BYTES   64
#define NONCE_BYTES 16

static int open_path(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

/* Sets `identifier`, by which policies name the key */
static void add_key(int fd, const char *path, uint8_t *identifier)
{
	struct {
		struct fscrypt_add_key_arg argument;
		uint8_t raw[KEY_BYTES];
	} key = {
		.argument = { .key_spec.type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER,
			      .raw_size = KEY_BYTES },
	};

	if (fread(key.raw, 1, KEY_BYTES, stdin) != KEY_BYTES)
		errx(1, "standard input: give a key of %d bytes", KEY_BYTES);
	if (ioctl(fd, FS_IOC_ADD_ENCRYPTION_KEY, &key))
		err(1, "%s: the file system does not take a key", path);
	memcpy(identifier, key.argument.key_spec.u.identifier, FSCRYPT_KEY_IDENTIFIER_SIZE);
	explicit_bzero(&key, sizeof(key));
}

static void set(const char *path)
{
	struct fscrypt_policy_v2 policy = {
		.version = FSCRYPT_POLICY_V2,
		.contents_encryption_mode = FSCRYPT_MODE_AES_256_XTS,
		.filenames_encryption_mode = FSCRYPT_MODE_AES_256_CTS,
		.flags = FSCRYPT_POLICY_FLAGS_PAD_32,
	};
	int fd = open_path(path);

	add_key(fd, path, policy.master_key_identifier);
	if (ioctl(fd, FS_IOC_SET_ENCRYPTION_POLICY, &policy))
		err(1, "%s: it takes no policy", path);
	close(fd);
}

static void show(const char *path)
{
	struct {
		struct fiemap map;
		struct fiemap_extent extent;
	} place = { .map = { .fm_length = 1, .fm_flags = FIEMAP_FLAG_SYNC, .fm_extent_count = 1 } };
	uint8_t nonce[NONCE_BYTES];
	int fd = open_path(path);
	unsigned int i;

	if (ioctl(fd, FS_IOC_FIEMAP, &place) || place.map.fm_mapped_extents != 1)
		errx(1, "%s: it has no contents on the block device", path);
	printf("%llu ", (unsigned long long)place.extent.fe_physical);
	if (ioctl(fd, FS_IOC_GET_ENCRYPTION_NONCE, nonce) == 0)
		for (i = 0; i < NONCE_BYTES; i++)
			printf("%02x", nonce[i]);
	printf("\n");
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "set"))
		set(argv[2]);
	else if (argc == 3 && !strcmp(argv[1], "show"))
		show(argv[2]);
	else
		errx(2, "fscrypt-policy set DIRECTORY | show FILE");
	return 0;
}
