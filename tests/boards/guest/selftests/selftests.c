// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's own self-tests, with those on random inputs, which compare with its generic code
 * and which Debian leaves out.  The file selftests in debugfs takes "DRIVER ALGORITHM": writing
 * fails as the test does.
 *
 * testmgr.c is the kernel's, with what it includes; the tests put it here.
 */
#include <crypto/aead.h>
#include <crypto/aes.h>
#include <crypto/authenc.h>
#include <crypto/internal/simd.h>
#include <crypto/sha2.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>

#define alg_test           test_listed
#define crypto_aead_setkey set_fitting_key

static int set_fitting_key(struct crypto_aead *tfm, const u8 *key, unsigned int size);

DEFINE_PER_CPU(bool, crypto_simd_disabled_for_test);

#include "testmgr.c"

#undef crypto_aead_setkey

struct authenc_header {
	struct rtattr attribute;
	struct crypto_authenc_key_param parameters;
};

static const unsigned int key_sizes[] = { AES_KEYSIZE_128, AES_KEYSIZE_192, AES_KEYSIZE_256,
					  2 * AES_KEYSIZE_256 };

/* Random bytes are no key of authenc(): they get a header */
static int set_fitting_key(struct crypto_aead *tfm, const u8 *key, unsigned int size)
{
	struct authenc_header header = {
		.attribute = { RTA_LENGTH(sizeof(header.parameters)), CRYPTO_AUTHENC_KEYA_PARAM },
	};
	const char *name = crypto_tfm_alg_name(crypto_aead_tfm(tfm));
	bool has_header = size <= sizeof(header) ||
			  !memcmp(key, &header.attribute, sizeof(header.attribute));

	if (strstarts(name, "authenc(") && !has_header) {
		u32 chosen = key_sizes[key[size - 1] % ARRAY_SIZE(key_sizes)];

		header.parameters.enckeylen = cpu_to_be32(chosen);
		memcpy((u8 *)key, &header, sizeof(header));
	}
	return crypto_aead_setkey(tfm, key, size);
}

/* An AEAD for which the kernel has no vectors */
static int test_unlisted(const char *driver, const char *name)
{
	static const struct aead_testvec longest = {
		.klen = sizeof(struct authenc_header) + 2 * SHA512_DIGEST_SIZE +
			2 * AES_KEYSIZE_256,
	};
	struct alg_test_desc desc = { .alg = name,
				      .suite = { .aead = { .vecs = &longest, .count = 1 } } };
	struct crypto_aead *tfm = crypto_alloc_aead(driver, 0, 0);
	struct cipher_test_sglists *lists;
	struct aead_request *req;
	int err = -ENOMEM;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	/* whose name does not follow from the algorithm's */
	if (!strcmp(name, "authenc(hmac(sha256),xts(aes))"))
		desc.generic_driver = "authenc(hmac(sha256-generic),xts(ecb(aes-generic)))";
	req = aead_request_alloc(tfm, GFP_KERNEL);
	lists = alloc_cipher_test_sglists();
	if (req && lists)
		err = test_aead_extra(&desc, req, lists);
	free_cipher_test_sglists(lists);
	aead_request_free(req);
	crypto_free_aead(tfm);
	return err;
}

static ssize_t selftests_write(struct file *file, const char __user *from, size_t size,
			       loff_t *position)
{
	char line[2 * CRYPTO_MAX_ALG_NAME + 2];
	char *name = line;
	char *driver;
	int err;

	if (size >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, size))
		return -EFAULT;
	line[size] = '\0';
	name = strim(line);
	driver = strsep(&name, " ");
	if (!name)
		return -EINVAL;
	err = alg_find_test(name) < 0 ? test_unlisted(driver, name)
				      : test_listed(driver, name, 0, 0);
	return err ?: size;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.write = selftests_write,
};

static struct dentry *entry;

static int __init selftests_init(void)
{
	entry = debugfs_create_file("selftests", 0200, NULL, NULL, &operations);
	return PTR_ERR_OR_ZERO(entry);
}

static void __exit selftests_exit(void)
{
	debugfs_remove(entry);
}

module_init(selftests_init);
module_exit(selftests_exit);
MODULE_DESCRIPTION("The kernel's self-tests with random inputs");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(CRYPTO_INTERNAL);
