// SPDX-License-Identifier: Apache-2.0
/* A superuser without the capability that direct access to hardware takes. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "uio.h"

static void drop_raw_io(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	must(!syscall(SYS_capget, &header, data), "read capabilities");
	data[0].effective &= ~(1u << CAP_SYS_RAWIO);
	must(!syscall(SYS_capset, &header, data), "drop one");
}

/* Changes the owner of the device that OWNER names */
static int change_owner(const char *owner)
{
	int fd = open(getenv("OWNER"), O_WRONLY);
	ssize_t written;

	must(fd >= 0, "open the attribute");
	written = write(fd, owner, strlen(owner));
	close(fd);
	return written < 0 ? errno : 0;
}

void scenario_powerless(void)
{
	drop_raw_io();
	check(change_owner("user") == EPERM, "programs do not get CryptoMaster");
	check(change_owner("kernel") == 0, "the kernel does");
}
