/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statistics file where other users may put files as well: what is mapped is never theirs, and what
 * they do with theirs, or with their directories, ends nobody.  Each case is a process of its own, so
 * that one that a signal ends is seen.  To be another user it wants to be root.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <openssl/err.h>

#include "base/statistics.h"
#include "unit.h"

#define OTHER  1234 /* any user but root */
#define VICTIM 1235

static char directory[64], name[80], second[80];

/* ---- users ---- */

static void become(uid_t user)
{
	CHECK(setresgid(user, user, user) == 0 && setresuid(user, user, user) == 0);
}

/* Runs a function in a process of that user's; how it ended */
static int run_as(uid_t user, void (*function)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (user != 0)
			become(user);
		function();
		_exit(0); /* memory is not what this is about */
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	return status;
}

/* ---- the provider ---- */

static OSSL_LIB_CTX *library;

/* Loads it with its statistics in `name`; what it says against them, or "" */
static const char *load(void)
{
	char *reason = NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_ptr("reason", &reason, 0),
		OSSL_PARAM_construct_end(),
	};
	OSSL_PROVIDER *provider;

	library = OSSL_LIB_CTX_new();
	setenv("FIRESTEEL_DEVICE", "model", 1);
	setenv("FIRESTEEL_PROVIDER_THRESHOLDS", "all=1", 1);
	setenv("FIRESTEEL_PROVIDER_STATISTICS", name, 1);
	CHECK(OSSL_PROVIDER_set_default_search_path(library, getenv("PROVIDER_DIRECTORY")));
	CHECK(OSSL_PROVIDER_load(library, "default"));
	provider = OSSL_PROVIDER_load(library, "firesteel");
	CHECK(provider && OSSL_PROVIDER_get_params(provider, params) && reason);
	return reason;
}

/* Something that counts, on the core or not */
static void work(void)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, "AES-128-CBC", "?firesteel.cores=yes");
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	uint8_t bytes[64] = { 0 };
	int size;

	CHECK(cipher && EVP_EncryptInit_ex2(context, cipher, bytes, bytes, NULL));
	CHECK(EVP_EncryptUpdate(context, bytes, &size, bytes, sizeof(bytes)));
	EVP_CIPHER_CTX_free(context);
	EVP_CIPHER_free(cipher);
}

/* Whether this process has the file mapped that has the name now */
static bool mapped(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	bool found = false;

	CHECK(maps);
	while (fgets(line, sizeof(line), maps))
		found |= strstr(line, name) && !strstr(line, "(deleted)");
	fclose(maps);
	return found;
}

/* It serves, and counts in a file that is its user's alone */
static void served(void)
{
	const char *reason = load();
	struct stat stat;

	if (*reason)
		fprintf(stderr, "%s\n", reason);
	CHECK(!*reason && mapped() && lstat(name, &stat) == 0);
	CHECK(S_ISREG(stat.st_mode) && stat.st_uid == geteuid() && stat.st_nlink == 1 &&
	      !(stat.st_mode & 022) && stat.st_size == sizeof(struct fsp_statistics) &&
	      stat.st_blocks > 0);
	work();
}

/* It maps nothing, says why, and its program goes on */
static void not_served(const char *why)
{
	const char *reason = load();

	if (!strstr(reason, why))
		fprintf(stderr, "\"%s\" where \"%s\" was expected\n", reason, why);
	CHECK(strstr(reason, why) && !mapped());
	work();
}

/* ---- what lies there ---- */

static void make_directory(uid_t owner, mode_t mode)
{
	snprintf(directory, sizeof(directory), "/tmp/firesteel-shared-XXXXXX");
	CHECK(mkdtemp(directory));
	snprintf(name, sizeof(name), "%s/statistics", directory);
	snprintf(second, sizeof(second), "%s/second", directory);
	CHECK(chown(directory, owner, owner) == 0 && chmod(directory, mode) == 0);
}

static void remove_directory(void)
{
	char command[128];

	umount2(directory, MNT_DETACH); /* where a case has ended before it did */
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	CHECK(system(command) == 0);
}

/* A file that says to be that of this process, begun just now */
static int forge(const char *where, mode_t mode)
{
	struct fsp_statistics forged = { .magic = FSP_STATISTICS_MAGIC,
					 .version = FSP_STATISTICS_VERSION,
					 .works = FSP_WORKS,
					 .process = getpid() };
	int file = open(where, O_RDWR | O_CREAT | O_EXCL, 0600);

	CHECK(file >= 0 && write(file, &forged, sizeof(forged)) == sizeof(forged));
	CHECK(fchmod(file, mode) == 0);
	return file;
}

/* A forged file of another user's, who still has it open: the mode says nothing of that */
static int forge_as(uid_t owner, mode_t mode)
{
	int file = forge(name, mode);

	CHECK(fchown(file, owner, owner) == 0);
	return file;
}

/* ---- cases ---- */

static void in_peace(void)
{
	served();
}

static void somebodys_file(void)
{
	int file = forge_as(OTHER, 0666);

	served();
	CHECK(ftruncate(file, 0) == 0);
	work();
}

static void somebodys_file_that_stays(void)
{
	int file = forge_as(OTHER, 0666);

	become(VICTIM);
	not_served("Operation not permitted");
	CHECK(ftruncate(file, 0) == 0);
	work();
}

static void own_file_that_others_may_write(void)
{
	int file = forge(name, 0666);

	served();
	CHECK(ftruncate(file, 0) == 0);
	work();
}

/* One that the process made itself before, and goes on with */
static void own_file(void)
{
	int file = forge(name, 0644); /* open, so that no new one gets its number */
	struct stat before, after;

	CHECK(fstat(file, &before) == 0);
	served();
	CHECK(stat(name, &after) == 0 && before.st_ino == after.st_ino);
}

static void wait_for_ms(long from, long below)
{
	struct timespec now;

	do {
		usleep(1000);
		clock_gettime(CLOCK_REALTIME, &now);
	} while (now.tv_nsec / 1000000 < from || now.tv_nsec / 1000000 >= below);
}

static void across_a_second(void)
{
	int file = forge(name, 0644); /* open, so that no new one gets its number */
	struct stat before, after;

	CHECK(fstat(file, &before) == 0);
	wait_for_ms(10, 500);
	served();
	CHECK(stat(name, &after) == 0 && before.st_ino == after.st_ino);
}

/* The same of a process that is so young that its file is of the second before */
static void young_process(void)
{
	wait_for_ms(950, 980);
	CHECK(run_as(0, across_a_second) == 0);
}

static void hard_link(void)
{
	struct stat other;

	close(forge(second, 0644));
	CHECK(link(second, name) == 0);
	served();
	CHECK(stat(second, &other) == 0 && other.st_nlink == 1 &&
	      other.st_size == sizeof(struct fsp_statistics));
	CHECK(truncate(second, 0) == 0);
	work();
}

static void symbolic_link(void)
{
	close(forge(second, 0644));
	CHECK(symlink(second, name) == 0);
	not_served("symbolic link");
	CHECK(truncate(second, 0) == 0);
	work();
}

static void fifo(void)
{
	CHECK(mkfifo(name, 0666) == 0);
	not_served("not the provider's");
}

static void something_else(void)
{
	int file = open(name, O_RDWR | O_CREAT, 0644);

	CHECK(file >= 0 && write(file, "a letter", 8) == 8);
	not_served("not the provider's");
	CHECK(lseek(file, 0, SEEK_END) == 8);
}

static void truncate_it(void)
{
	CHECK(truncate(name, 0) < 0 && errno == EACCES);
	CHECK(open(name, O_RDWR) < 0 && errno == EACCES);
	CHECK(unlink(name) < 0 && errno == EPERM);
	CHECK(open(name, O_RDONLY) >= 0);
}

/* Others try while it is in use; then it is gone, which is no harm either */
static void truncated_in_use(void)
{
	served();
	CHECK(run_as(OTHER, truncate_it) == 0);
	work();
	CHECK(unlink(name) == 0);
	work();
}

/* A child that has given up its rights counts in the file, and may not change its length */
static void truncate_and_count(void)
{
	CHECK(truncate(name, 0) < 0 && errno == EACCES);
	work();
}

static void after_privileges(void)
{
	served();
	CHECK(run_as(OTHER, truncate_and_count) == 0);
	work();
}

static void for_a_while(void)
{
	CHECK(seteuid(OTHER) == 0);
	not_served("may change back");
}

static void somebodys_directory(void)
{
	not_served("belongs to another user");
}

static void anybodys_directory(void)
{
	not_served("no sticky bit");
}

static void no_permission(void)
{
	become(OTHER);
	not_served("Permission denied");
}

static void no_directory(void)
{
	CHECK(rmdir(directory) == 0);
	not_served("No such file or directory");
}

/* Memory or disk that is used up when the file is made is told; later it has no need of more */
static void no_room(void)
{
	static const uint8_t bytes[4096];
	int file;

	CHECK(mount("none", directory, "tmpfs", 0, "size=16k") == 0);
	CHECK(chmod(directory, 0755) == 0);
	file = open(second, O_RDWR | O_CREAT, 0600);
	CHECK(file >= 0);
	while (write(file, bytes, sizeof(bytes)) > 0)
		;
	not_served("No space left");
	CHECK(access(name, F_OK) < 0);
	CHECK(ftruncate(file, 8192) == 0);
	served();
	while (write(file, bytes, sizeof(bytes)) > 0)
		;
	work();
	CHECK(umount2(directory, MNT_DETACH) == 0);
}

int main(void)
{
	static const struct {
		const char *what;
		void (*function)(void);
		uid_t owner;
		mode_t mode;
	} cases[] = {
#define CASE(function, owner, mode) { #function, function, owner, mode }
		CASE(in_peace, 0, 0755),
		CASE(in_peace, 0, 01777),
		CASE(somebodys_file, 0, 01777),
		CASE(somebodys_file_that_stays, 0, 01777),
		CASE(own_file_that_others_may_write, 0, 01777),
		CASE(own_file, 0, 0755),
		CASE(young_process, 0, 0755),
		CASE(hard_link, 0, 01777),
		CASE(symbolic_link, 0, 01777),
		CASE(fifo, 0, 01777),
		CASE(something_else, 0, 0755),
		CASE(truncated_in_use, 0, 01777),
		CASE(after_privileges, 0, 0755),
		CASE(for_a_while, 0, 01777),
		CASE(somebodys_directory, OTHER, 0755),
		CASE(anybodys_directory, 0, 0777),
		CASE(no_permission, 0, 0755),
		CASE(no_directory, 0, 0755),
		CASE(no_room, 0, 0755),
	};
	unsigned failed = 0;

	CHECK(geteuid() == 0);
	for (unsigned i = 0; i < COUNT(cases); i++) {
		int status;

		make_directory(cases[i].owner, cases[i].mode);
		status = run_as(0, cases[i].function);
		if (status != 0)
			fprintf(stderr, "%s in a directory of mode %o: ended with %s %d\n",
				cases[i].what, cases[i].mode,
				WIFSIGNALED(status) ? "signal" : "status",
				WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		failed += status != 0;
		remove_directory();
	}
	printf("%zu cases, %u failed\n", COUNT(cases), failed);
	return failed > 0;
}
