/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A board that has booted, as a file; see snapshot.h.
 *
 * Saving stops the CPU behind the instruction that has told us, as any other
 * exit of the CPU does, and lets it go on when the file is written: neither
 * moves the board's clock.
 */
#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/madvise.h"
#include "qemu/main-loop.h"
#include "qapi/error.h"
#include "exec/memory.h"
#include "hw/boards.h"
#include "io/channel-file.h"
#include "migration/global_state.h"
#include "migration/qemu-file.h"
#include "migration/savevm.h"
#include "system/runstate.h"
#include "hw/firesteel/lockstep.h"
#include "hw/firesteel/lockstep-fail.h"
#include "hw/firesteel/snapshot.h"
#include "hw/firesteel/vtime-order.h"

#define CHUNK 65536 /* bytes of memory that are a hole or not */

static struct {
    char *save, *resume;        /* NULL: not asked for */
    bool stopping;              /* the CPU is about to stop, to be saved */
} snapshot;

static uint8_t *ram(void)
{
    return memory_region_get_ram_ptr(current_machine->ram);
}

/* ---- saving ---- */

static bool write_memory(int fd)
{
    ram_addr_t at, size = current_machine->ram_size;
    const uint8_t *bytes = ram();

    for (at = 0; at < size; at += CHUNK) {
        if (!buffer_is_zero(bytes + at, CHUNK) &&
            pwrite(fd, bytes + at, CHUNK, at) != CHUNK) {
            return false;
        }
    }
    return lseek(fd, size, SEEK_SET) == size;
}

/* Closes @fd */
static bool write_devices(int fd)
{
    QIOChannelFile *channel = qio_channel_file_new_fd(fd);
    QEMUFile *file = qemu_file_new_output(QIO_CHANNEL(channel));
    bool written;

    object_unref(OBJECT(channel));
    global_state_store();
    written = qemu_save_device_state(file) == 0;
    return qemu_fclose(file) == 0 && written;
}

/* Others may look for the file at any time: it is whole, or not there */
static void write_file(void)
{
    g_autofree char *partial = g_strdup_printf("%s.%d.partial", snapshot.save,
                                               getpid());
    int fd = open(partial, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool written = false;

    if (fd >= 0) {
        if (write_memory(fd)) {
            written = write_devices(fd);
        } else {
            close(fd);
        }
    }
    if (!written || rename(partial, snapshot.save) != 0) {
        unlink(partial);
    }
}

static void save(void *opaque)
{
    write_file();
    vm_start();
}

static void stopped(void *opaque, bool running, RunState state)
{
    if (!running && snapshot.stopping) {
        snapshot.stopping = false;
        aio_bh_schedule_oneshot(qemu_get_aio_context(), save, NULL);
    }
}

void snapshot_save_to(const char *path)
{
    snapshot.save = g_strdup(path);
    qemu_add_vm_change_state_handler(stopped, NULL);
}

void snapshot_guest_is_ready(void)
{
    Lockstep *node = lockstep_of_machine();

    vtime_order_vary();
    if (snapshot.save && !(node && lockstep_has_begun(node)) &&
        !qemu_savevm_state_blocked(NULL)) {
        snapshot.stopping = true;
        vm_stop(RUN_STATE_PAUSED);
    }
}

/* ---- resuming ---- */

static bool read_extent(int fd, uint8_t *bytes, off_t at, off_t end)
{
    ssize_t got;

    for (; at < end; at += got) {
        got = pread(fd, bytes + at, end - at, at);
        if (got <= 0) {
            return false;
        }
    }
    return true;
}

static bool read_memory(int fd)
{
    off_t at = 0, end, size = current_machine->ram_size;

    /* What a reset has put there is none of the snapshot's */
    qemu_madvise(ram(), size, QEMU_MADV_DONTNEED);
    while ((at = lseek(fd, at, SEEK_DATA)) >= 0 && at < size) {
        end = MIN(lseek(fd, at, SEEK_HOLE), size);
        if (!read_extent(fd, ram(), at, end)) {
            return false;
        }
        at = end;
    }
    return lseek(fd, size, SEEK_SET) == size;
}

/* Closes @fd */
static bool read_devices(int fd)
{
    QIOChannelFile *channel = qio_channel_file_new_fd(fd);
    QEMUFile *file = qemu_file_new_input(QIO_CHANNEL(channel));
    bool read;

    object_unref(OBJECT(channel));
    read = qemu_get_be32(file) == QEMU_VM_FILE_MAGIC &&
           qemu_get_be32(file) == QEMU_VM_FILE_VERSION &&
           qemu_load_device_state(file) == 0;
    qemu_fclose(file);
    return read;
}

void snapshot_resume_from(const char *path)
{
    snapshot.resume = g_strdup(path);
}

void snapshot_resume(void)
{
    Lockstep *node = lockstep_of_machine();
    int fd;

    if (!snapshot.resume) {
        return;
    }
    fd = open(snapshot.resume, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        lockstep_fail("cannot read the snapshot %s: %s", snapshot.resume,
                      strerror(errno));
    }
    if (!read_memory(fd) || !read_devices(fd)) {
        lockstep_fail("the snapshot %s is damaged, delete it", snapshot.resume);
    }
    if (node && lockstep_has_begun(node)) {
        lockstep_fail("the snapshot %s was made after the cables are plugged "
                      "in",
                      snapshot.resume);
    }
    vtime_order_vary();
}
