/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A disk in virtual time.  It speaks virtio-blk, for which Linux has a driver,
 * and QEMU's block layer, whose threads the host schedules, has no part in it:
 * a request is taken within the register access that tells of it, and ends
 * when a timer of virtual time is due.
 *
 * A request first waits for the latency, together with others, and then for the
 * medium, which transfers one request at a time, in the order in which they
 * came:
 *
 *   end = max(arrival + latency, end of the one before) + bytes / rate
 *
 * So a request that is alone takes the latency and its transfer, to the
 * nanosecond, and requests that come together share one latency.  Others than
 * reads and writes transfer nothing.  The disk takes as many requests at once as
 * its depth says; a request arrives when it is taken, and others wait in the
 * queue, which is virtio's and longer.
 *
 * What a request reads or writes changes hands when it ends.  There is no
 * volatile cache to flush.  The content is the host's memory, and lasts until
 * the emulator ends; a snapshot has what of it is not zero.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/cutils.h"
#include "qemu/iov.h"
#include "qemu/module.h"
#include "qemu/queue.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "hw/qdev-properties.h"
#include "hw/virtio/virtio.h"
#include "hw/virtio/virtio-pci.h"
#include "migration/qemu-file-types.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "standard-headers/linux/virtio_blk.h"
#include "standard-headers/linux/virtio_ids.h"
#include "hw/firesteel/counters.h"

#define TYPE_STORAGE "firesteel-storage"
OBJECT_DECLARE_SIMPLE_TYPE(Storage, STORAGE)

#define TYPE_STORAGE_PCI "firesteel-storage-pci"
OBJECT_DECLARE_SIMPLE_TYPE(StoragePci, STORAGE_PCI)

#define SECTOR 512u
#define PIECE 65536u            /* bytes that are in a snapshot or not */
#define SIZE_MAX_BYTES (4 * GiB)
#define RATE_MIN 1000u          /* bytes a second */
#define RATE_MAX 100000000000u
#define LATENCY_MAX 1000000000u /* ns */
#define DEPTH_MAX 256u
#define SEGMENTS 126u           /* of one request */
#define NAME "storage"

typedef struct Request {
    VirtQueueElement element;   /* first, as virtqueue_pop() wants it */
    int64_t arrived, end;       /* ns */
    QSIMPLEQ_ENTRY(Request) next;
} Request;

enum {
    READS,
    READ_BYTES,
    WRITES,
    WRITTEN_BYTES,
    BUSY_NS,
    LATE_NS,
    COUNTS
};

static const char *const count_names[COUNTS] = {
    "reads", "read_bytes", "writes", "written_bytes", "busy_ns", "late_ns",
};

struct Storage {
    VirtIODevice parent;

    uint64_t size, read_rate, write_rate;
    uint32_t latency;           /* ns */
    uint16_t depth, taken; /* the most requests at once; those there are */
    VirtQueue *queue;
    QEMUTimer *timer;
    uint8_t *bytes;
    QSIMPLEQ_HEAD(, Request) requests; /* under way, by when they end */
    int64_t free; /* when the medium has no more to do, ns */
    /*
     * Of all requests together, BUSY_NS is the time from arrival to end, and
     * LATE_NS by how much the CPU was past the end when it heard of it: at most a
     * block of code each, and nothing if it slept.
     */
    uint64_t counts[COUNTS];
};

struct StoragePci {
    VirtIOPCIProxy parent;

    Storage storage;
};

static int64_t now(void)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* ---- requests ---- */

static struct virtio_blk_outhdr header_of(const Request *request)
{
    struct virtio_blk_outhdr header = { 0 };

    iov_to_buf(request->element.out_sg, request->element.out_num, 0, &header,
               sizeof(header));
    return header;
}

/* The bytes that it reads or writes; 0 of other requests */
static uint64_t length_of(const Request *request, uint32_t type)
{
    const VirtQueueElement *element = &request->element;

    switch (type) {
    case VIRTIO_BLK_T_IN:
        return iov_size(element->in_sg, element->in_num) - 1;
    case VIRTIO_BLK_T_OUT:
        return iov_size(element->out_sg, element->out_num) -
               sizeof(struct virtio_blk_outhdr);
    default:
        return 0;
    }
}

static int64_t transfer_ns(const Storage *storage, uint32_t type, uint64_t size)
{
    uint64_t rate = type == VIRTIO_BLK_T_OUT ? storage->write_rate
                                             : storage->read_rate;

    /* More than the disk has fails, and takes the latency */
    return size > storage->size
               ? 0
               : DIV_ROUND_UP(size * NANOSECONDS_PER_SECOND, rate);
}

/* Reads and writes within the disk; gives the status that the guest gets */
static uint8_t move_bytes(Storage *storage, Request *request, uint32_t type,
                          uint64_t sector, uint64_t size)
{
    const VirtQueueElement *element = &request->element;
    bool write = type == VIRTIO_BLK_T_OUT;
    uint8_t *at;

    if (size % SECTOR || size > storage->size ||
        sector > (storage->size - size) / SECTOR) {
        return VIRTIO_BLK_S_IOERR;
    }
    at = storage->bytes + sector * SECTOR;
    if (write) {
        iov_to_buf(element->out_sg, element->out_num,
                   sizeof(struct virtio_blk_outhdr), at, size);
    } else {
        iov_from_buf(element->in_sg, element->in_num, 0, at, size);
    }
    storage->counts[write ? WRITES : READS]++;
    storage->counts[write ? WRITTEN_BYTES : READ_BYTES] += size;
    return VIRTIO_BLK_S_OK;
}

static uint8_t tell_name(Request *request)
{
    char name[VIRTIO_BLK_ID_BYTES] = NAME;

    iov_from_buf(request->element.in_sg, request->element.in_num, 0, name,
                 sizeof(name));
    return VIRTIO_BLK_S_OK;
}

/* Does what is asked for, and hands the request back */
static void finish(Storage *storage, Request *request)
{
    struct virtio_blk_outhdr header = header_of(request);
    uint32_t type = ldl_le_p(&header.type);
    uint64_t size = length_of(request, type);
    size_t in = iov_size(request->element.in_sg, request->element.in_num);
    uint8_t status = VIRTIO_BLK_S_UNSUPP;

    switch (type) {
    case VIRTIO_BLK_T_IN:
    case VIRTIO_BLK_T_OUT:
        status = move_bytes(storage, request, type, ldq_le_p(&header.sector),
                            size);
        break;
    case VIRTIO_BLK_T_GET_ID:
        status = tell_name(request);
        break;
    }
    iov_from_buf(request->element.in_sg, request->element.in_num, in - 1,
                 &status, sizeof(status));
    storage->counts[BUSY_NS] += request->end - request->arrived;
    storage->counts[LATE_NS] += now() - request->end;
    virtqueue_push(storage->queue, &request->element, in);
    g_free(request);
}

static void take(Storage *storage, Request *request)
{
    struct virtio_blk_outhdr header = header_of(request);
    uint32_t type = ldl_le_p(&header.type);
    int64_t transfer = transfer_ns(storage, type, length_of(request, type));

    request->arrived = now();
    storage->free = MAX(request->arrived + storage->latency, storage->free) +
                    transfer;
    request->end = storage->free;
    QSIMPLEQ_INSERT_TAIL(&storage->requests, request, next);
    storage->taken++;
}

static bool is_whole(const Request *request)
{
    const VirtQueueElement *element = &request->element;

    return iov_size(element->out_sg, element->out_num) >=
               sizeof(struct virtio_blk_outhdr) &&
           iov_size(element->in_sg, element->in_num) >= 1;
}

/* Takes what there is room for, and sees to it that the first ends in time */
static void take_all(Storage *storage)
{
    VirtQueue *queue = storage->queue;
    Request *request;

    while (storage->taken < storage->depth &&
           (request = virtqueue_pop(queue, sizeof(*request)))) {
        if (!is_whole(request)) {
            virtio_error(VIRTIO_DEVICE(storage),
                         "storage: a request lacks its header or status");
            virtqueue_detach_element(queue, &request->element, 0);
            g_free(request);
            return;
        }
        take(storage, request);
    }
    request = QSIMPLEQ_FIRST(&storage->requests);
    if (request) {
        timer_mod(storage->timer, request->end);
    }
}

static void queue_told(VirtIODevice *vdev, VirtQueue *queue)
{
    take_all(STORAGE(vdev));
}

static void timer_due(void *opaque)
{
    Storage *storage = opaque;
    Request *first;

    while ((first = QSIMPLEQ_FIRST(&storage->requests)) &&
           first->end <= now()) {
        QSIMPLEQ_REMOVE_HEAD(&storage->requests, next);
        storage->taken--;
        finish(storage, first);
    }
    virtio_notify(VIRTIO_DEVICE(storage), storage->queue);
    take_all(storage);
}

/* What is under way comes to nothing; the content stays */
static void storage_reset(VirtIODevice *vdev)
{
    Storage *storage = STORAGE(vdev);
    Request *request;

    timer_del(storage->timer);
    while ((request = QSIMPLEQ_FIRST(&storage->requests))) {
        QSIMPLEQ_REMOVE_HEAD(&storage->requests, next);
        virtqueue_detach_element(storage->queue, &request->element, 0);
        g_free(request);
    }
    storage->free = 0;
    storage->taken = 0;
}

/* ---- what the guest may know ---- */

static uint64_t storage_features(VirtIODevice *vdev, uint64_t features,
                                 Error **errp)
{
    virtio_add_feature(&features, VIRTIO_BLK_F_SEG_MAX);
    virtio_add_feature(&features, VIRTIO_BLK_F_BLK_SIZE);
    return features;
}

static void storage_config(VirtIODevice *vdev, uint8_t *config)
{
    struct virtio_blk_config *told = (struct virtio_blk_config *)config;

    memset(told, 0, vdev->config_len);
    stq_le_p(&told->capacity, STORAGE(vdev)->size / SECTOR);
    stl_le_p(&told->seg_max, SEGMENTS);
    stl_le_p(&told->blk_size, SECTOR);
}

static bool read_counter(void *opaque, unsigned index, const char **name,
                         uint64_t *value)
{
    Storage *storage = opaque;

    if (index >= COUNTS) {
        return false;
    }
    *name = count_names[index];
    *value = storage->counts[index];
    return true;
}

/* ---- snapshots ---- */

static int storage_pre_save(void *opaque)
{
    Storage *storage = opaque;

    return QSIMPLEQ_EMPTY(&storage->requests) ? 0 : -EBUSY;
}

/* The number of each piece that is not zero, and its bytes; then the end */
static int put_bytes(QEMUFile *file, void *field, size_t unused,
                     const VMStateField *state, JSONWriter *description)
{
    Storage *storage = field;
    uint64_t at;

    for (at = 0; at < storage->size; at += PIECE) {
        if (!buffer_is_zero(storage->bytes + at, PIECE)) {
            qemu_put_be64(file, at);
            qemu_put_buffer(file, storage->bytes + at, PIECE);
        }
    }
    qemu_put_be64(file, storage->size);
    return 0;
}

static int get_bytes(QEMUFile *file, void *field, size_t unused,
                     const VMStateField *state)
{
    Storage *storage = field;
    uint64_t at;

    while ((at = qemu_get_be64(file)) < storage->size) {
        if (at % PIECE ||
            qemu_get_buffer(file, storage->bytes + at, PIECE) != PIECE) {
            return -EINVAL;
        }
    }
    return at == storage->size ? 0 : -EINVAL;
}

static const VMStateInfo content = {
    .name = "content",
    .get = get_bytes,
    .put = put_bytes,
};

static const VMStateField state_fields[] = {
    VMSTATE_UINT64_ARRAY(counts, Storage, COUNTS),
    {
        .name = "bytes",
        .info = &content,
        .flags = VMS_SINGLE,
    },
    VMSTATE_END_OF_LIST(),
};

static const VMStateDescription state_vmstate = {
    .name = "firesteel-storage-state",
    .pre_save = storage_pre_save,
    .fields = state_fields,
};

static const VMStateField storage_fields[] = {
    VMSTATE_VIRTIO_DEVICE,
    VMSTATE_END_OF_LIST(),
};

static const VMStateDescription storage_vmstate = {
    .name = "firesteel-storage",
    .fields = storage_fields,
};

/* ---- the device's part ---- */

static bool is_within(const char *what, uint64_t value, uint64_t least,
                      uint64_t most, Error **errp)
{
    if (value < least || value > most) {
        error_setg(errp,
                   "storage: %s is %" PRIu64 ", allowed are %" PRIu64
                   " to %" PRIu64,
                   what, value, least, most);
        return false;
    }
    return true;
}

static bool is_possible(const Storage *storage, Error **errp)
{
    if (!is_within("size", storage->size, PIECE, SIZE_MAX_BYTES, errp) ||
        !is_within("read-rate", storage->read_rate, RATE_MIN, RATE_MAX, errp) ||
        !is_within("write-rate", storage->write_rate, RATE_MIN, RATE_MAX,
                   errp) ||
        !is_within("latency", storage->latency, 0, LATENCY_MAX, errp) ||
        !is_within("depth", storage->depth, 1, DEPTH_MAX, errp)) {
        return false;
    }
    if (storage->size % PIECE) {
        error_setg(errp, "storage: the size is a multiple of %u bytes", PIECE);
        return false;
    }
    return true;
}

static void storage_realize(DeviceState *dev, Error **errp)
{
    VirtIODevice *vdev = VIRTIO_DEVICE(dev);
    Storage *storage = STORAGE(dev);

    if (!is_possible(storage, errp)) {
        return;
    }
    if (!counters_register(NAME, read_counter, storage)) {
        error_setg(errp, "there is another device `" NAME "` that counts");
        return;
    }
    virtio_init(vdev, VIRTIO_ID_BLOCK, sizeof(struct virtio_blk_config));
    storage->queue = virtio_add_queue(vdev, storage->depth, queue_told);
    storage->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, timer_due, storage);
    storage->bytes = g_malloc0(storage->size); /* pages that are touched */
    QSIMPLEQ_INIT(&storage->requests);
}

static void storage_unrealize(DeviceState *dev)
{
    Storage *storage = STORAGE(dev);

    timer_free(storage->timer);
    virtio_delete_queue(storage->queue);
    virtio_cleanup(VIRTIO_DEVICE(dev));
    g_free(storage->bytes);
}

static const Property storage_properties[] = {
    DEFINE_PROP_UINT64("size", Storage, size, 0),
    DEFINE_PROP_UINT64("read-rate", Storage, read_rate, 0),
    DEFINE_PROP_UINT64("write-rate", Storage, write_rate, 0),
    DEFINE_PROP_UINT32("latency", Storage, latency, 0),
    DEFINE_PROP_UINT16("depth", Storage, depth, 1),
};

static void storage_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    VirtioDeviceClass *vdc = VIRTIO_DEVICE_CLASS(klass);

    device_class_set_props(dc, storage_properties);
    dc->vmsd = &storage_vmstate;
    dc->hotpluggable = false;
    set_bit(DEVICE_CATEGORY_STORAGE, dc->categories);
    vdc->realize = storage_realize;
    vdc->unrealize = storage_unrealize;
    vdc->get_features = storage_features;
    vdc->get_config = storage_config;
    vdc->reset = storage_reset;
    vdc->vmsd = &state_vmstate;
}

static const TypeInfo storage_type = {
    .name = TYPE_STORAGE,
    .parent = TYPE_VIRTIO_DEVICE,
    .instance_size = sizeof(Storage),
    .class_init = storage_class_init,
};

/* The register access that tells of requests takes them: no thread has a part */
static void pci_realize(VirtIOPCIProxy *proxy, Error **errp)
{
    proxy->flags &= ~VIRTIO_PCI_FLAG_USE_IOEVENTFD;
    proxy->nvectors = 2;
    virtio_pci_force_virtio_1(proxy);
    qdev_realize(DEVICE(&STORAGE_PCI(proxy)->storage), BUS(&proxy->bus), errp);
}

static void pci_instance_init(Object *object)
{
    StoragePci *pci = STORAGE_PCI(object);

    virtio_instance_init_common(object, &pci->storage, sizeof(pci->storage),
                                TYPE_STORAGE);
}

static void pci_class_init(ObjectClass *klass, void *data)
{
    VirtioPCIClass *k = VIRTIO_PCI_CLASS(klass);

    k->realize = pci_realize;
    PCI_DEVICE_CLASS(klass)->class_id = PCI_CLASS_STORAGE_SCSI;
    set_bit(DEVICE_CATEGORY_STORAGE, DEVICE_CLASS(klass)->categories);
}

static const VirtioPCIDeviceTypeInfo pci_type = {
    .generic_name = TYPE_STORAGE_PCI,
    .instance_size = sizeof(StoragePci),
    .instance_init = pci_instance_init,
    .class_init = pci_class_init,
};

static void storage_register(void)
{
    type_register_static(&storage_type);
    virtio_pci_types_register(&pci_type);
}
type_init(storage_register)
