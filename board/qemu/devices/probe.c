/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The probe: a PCI function through which a guest process names instants and
 * hands over results, without a kernel driver (it maps BAR 0 from sysfs).
 * The host gets a log with a JSON object a line:
 *
 *   {"kind":"start","version":2}
 *   {"kind":"mark","name":N,"time_ns":..,...,"ports":{"eth0":{...}},
 *    "cores":{"crypto0":{...}}}
 *   {"kind":"data","name":N,"time_ns":..,"bytes":..,"base64":".."}
 *   {"kind":"end",...as a mark without a name}      at orderly power-off
 */
#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/log.h"
#include "qemu/module.h"
#include "hw/pci/pci_device.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "system/runstate.h"
#include "hw/firesteel/counters.h"
#include "hw/firesteel/cycles.h"
#include "hw/firesteel/lockstep.h"
#include "hw/firesteel/lockstep-fail.h"
#include "hw/firesteel/probe.h"
#include "hw/firesteel/profile.h"
#include "hw/firesteel/snapshot.h"
#include "hw/firesteel/vtime.h"

#define TYPE_FIRESTEEL_PROBE "firesteel-probe"
OBJECT_DECLARE_SIMPLE_TYPE(Probe, FIRESTEEL_PROBE)

#define PROBE_LOG_VERSION 2
#define PROBE_DATA_MAX (64u << 20)  /* bytes of one data item */
#define PROBE_STALL_MAX 1000000000  /* ns of one stall */

struct Probe {
    PCIDevice parent;

    char *path;
    char *profile, *profile_window; /* NULL: no profile is made */
    char *job_path;                 /* NULL: the guest finds no job */
    char *save, *resume;            /* snapshots, see snapshot.h */
    char *job;
    size_t job_length, job_read;
    ProfileKernel kernel;
    FILE *log;
    MemoryRegion bar;
    uint64_t clocks[(PROBE_REG_CLOCKS_END - PROBE_REG_TIME) / 8];
    char name[PROBE_NAME_SIZE];
    char data_name[PROBE_NAME_SIZE];
    GByteArray *data;               /* NULL: no item has been begun */
    bool powered_off;
    Notifier shutdown;
};

/* ---- the log ---- */

static void check(Probe *probe, bool written)
{
    if (!written) {
        lockstep_fail("cannot write the probe log %s: %s", probe->path,
                      strerror(errno));
    }
}

static void G_GNUC_PRINTF(2, 3) put(Probe *probe, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vfprintf(probe->log, format, args);
    va_end(args);
    check(probe, n >= 0);
}

static void end_line(Probe *probe)
{
    put(probe, "}\n");
    check(probe, fflush(probe->log) == 0);
}

static void put_sizes(Probe *probe, const char *key, const uint64_t *sizes)
{
    unsigned i;

    put(probe, ",\"%s\":[", key);
    for (i = 0; i < LOCKSTEP_SIZE_CLASSES; i++) {
        put(probe, "%s%" PRIu64, i ? "," : "", sizes[i]);
    }
    put(probe, "]");
}

static void put_port(Probe *probe, const LockstepPort *port)
{
    const LockstepCounters *c = lockstep_port_counters(port);

    put(probe,
        "\"%s\":{\"tx_frames\":%" PRIu64 ",\"tx_bytes\":%" PRIu64
        ",\"rx_frames\":%" PRIu64 ",\"rx_bytes\":%" PRIu64
        ",\"rx_dropped\":%" PRIu64 ",\"tx_dropped\":%" PRIu64
        ",\"tx_stalls\":%" PRIu64,
        lockstep_port_name(port), c->tx_frames, c->tx_bytes, c->rx_frames,
        c->rx_bytes, c->rx_dropped, c->tx_dropped, c->tx_stalls);
    put_sizes(probe, "tx_sizes", c->tx_sizes);
    put_sizes(probe, "rx_sizes", c->rx_sizes);
    put(probe, "}");
}

static void put_counters(Probe *probe, const Counters *counters)
{
    const char *name;
    uint64_t value;
    unsigned i;

    put(probe, "\"%s\":{", counters->device);
    for (i = 0; counters->read(counters->opaque, i, &name, &value); i++) {
        put(probe, "%s\"%s\":%" PRIu64, i ? "," : "", name, value);
    }
    put(probe, "}");
}

static void put_classes(Probe *probe, unsigned first, unsigned end)
{
    unsigned class;

    for (class = first; class < end; class++) {
        put(probe, ",\"%s\":%" PRIu64, cycles_name(class), cycles_count[class]);
    }
}

/* What the cost model has charged: units, and how many times what */
static void put_cycles(Probe *probe, int64_t units)
{
    unsigned end = vtime_cpus_of_board() > 1 ? CYCLES_A64_FIRST
                                             : CYCLES_ALONE_COUNT;

    put(probe, ",\"cycles\":{\"units\":%" PRId64, units);
    put_classes(probe, cycles_counted ? 0 : CYCLES_INSTRUCTION_COUNT, end);
    if (cycles_counted && cycles_a64) {
        put_classes(probe, CYCLES_A64_FIRST, CYCLES_CLASS_COUNT);
    }
    put(probe, "}");
}

/* Each CPU's clock, where there are several; the board's has their sums */
static void put_cpus(Probe *probe)
{
    unsigned i, count = vtime_cpus_of_board();

    if (count == 1) {
        return;
    }
    put(probe, ",\"cpus\":[");
    for (i = 0; i < count; i++) {
        VTimeReading cpu = vtime_read_cpu(i);

        put(probe,
            "%s{\"time_ns\":%" PRId64 ",\"instructions\":%" PRId64
            ",\"units\":%" PRId64 ",\"idle_ns\":%" PRId64
            ",\"stalled_ns\":%" PRId64 ",\"waited_ns\":%" PRId64
            ",\"user_ns\":%" PRId64 "}",
            i ? "," : "", cpu.time_ns, cpu.instructions, cpu.cycle_units,
            cpu.idle_ns, cpu.stalled_ns, cpu.waited_ns, cpu.user_ns);
    }
    put(probe, "]");
}

/* The clocks and all counters, as members of a JSON object */
static void put_reading(Probe *probe)
{
    Lockstep *node = lockstep_of_machine();
    VTimeReading now = vtime_read();
    const Counters *counters;
    LockstepPort *port;
    unsigned i;

    put(probe,
        ",\"time_ns\":%" PRId64 ",\"instructions\":%" PRId64
        ",\"idle_ns\":%" PRId64 ",\"stalled_ns\":%" PRId64
        ",\"user_ns\":%" PRId64 ",\"ports\":{",
        now.time_ns, now.instructions, now.idle_ns, now.stalled_ns,
        now.user_ns);
    for (i = 0; node && (port = lockstep_port(node, i)); i++) {
        put(probe, i ? "," : "");
        put_port(probe, port);
    }
    put(probe, "}");
    put_cpus(probe);
    if (cycles_on) {
        put_cycles(probe, now.cycle_units);
    }
    put(probe, ",\"cores\":{");
    for (i = 0; (counters = counters_of(i)); i++) {
        put(probe, i ? "," : "");
        put_counters(probe, counters);
    }
    put(probe, "}");
}

static void log_mark(Probe *probe)
{
    put(probe, "{\"kind\":\"mark\",\"name\":\"%s\"", probe->name);
    put_reading(probe);
    end_line(probe);
    profile_mark(probe->name);
}

static void log_data(Probe *probe, uint32_t length)
{
    g_autofree char *text = NULL;

    if (!probe->data || length > probe->data->len) {
        qemu_log_mask(LOG_GUEST_ERROR,
                      "probe: %u bytes of data ended, %u "
                      "were written\n",
                      length, probe->data ? probe->data->len : 0);
        return;
    }
    text = g_base64_encode(probe->data->data, length);
    put(probe,
        "{\"kind\":\"data\",\"name\":\"%s\",\"time_ns\":%" PRId64
        ",\"bytes\":%u,\"base64\":\"%s\"",
        probe->data_name, vtime_read().time_ns, length, text);
    end_line(probe);
    g_clear_pointer(&probe->data, g_byte_array_unref);
}

/* ---- registers ---- */

/* Names go into JSON as they are, so only harmless characters are let in */
static char clean(uint8_t c)
{
    return !c || g_ascii_isalnum(c) || strchr("._-", c) ? c : '_';
}

static void write_name(Probe *probe, hwaddr offset, uint32_t value)
{
    unsigned i;

    for (i = 0; i < 4; i++) {
        probe->name[offset + i] = clean(value >> (8 * i));
    }
    probe->name[sizeof(probe->name) - 1] = '\0';
}

static void begin_data(Probe *probe)
{
    g_clear_pointer(&probe->data, g_byte_array_unref);
    probe->data = g_byte_array_new();
    pstrcpy(probe->data_name, sizeof(probe->data_name), probe->name);
}

static void append_data(Probe *probe, uint32_t value)
{
    uint32_t bytes = cpu_to_le32(value);

    if (probe->data && probe->data->len < PROBE_DATA_MAX) {
        g_byte_array_append(probe->data, (uint8_t *)&bytes, sizeof(bytes));
    }
}

static void latch_clocks(Probe *probe)
{
    VTimeReading now = vtime_read();

    probe->clocks[0] = now.time_ns;
    probe->clocks[1] = now.instructions;
    probe->clocks[2] = now.idle_ns;
    probe->clocks[3] = now.stalled_ns;
    probe->clocks[4] = now.user_ns;
}

/* Four more bytes, the lowest first; 0 behind the end */
static uint32_t next_of_job(Probe *probe)
{
    size_t left = probe->job_length - probe->job_read;
    size_t length = MIN(left, sizeof(uint32_t));
    uint32_t word = 0;

    memcpy(&word, probe->job + probe->job_read, length);
    probe->job_read += length;
    return le32_to_cpu(word);
}

static uint64_t probe_read(void *opaque, hwaddr offset, unsigned size)
{
    Probe *probe = opaque;

    if (offset == PROBE_REG_MAGIC) {
        return PROBE_MAGIC;
    }
    if (offset == PROBE_REG_VERSION) {
        return PROBE_VERSION;
    }
    if (offset == PROBE_REG_JOB_LENGTH) {
        return probe->job_length;
    }
    if (offset == PROBE_REG_JOB) {
        return next_of_job(probe);
    }
    if (offset < PROBE_REG_TIME || offset >= PROBE_REG_CLOCKS_END) {
        return 0;
    }
    if (offset == PROBE_REG_TIME) {
        latch_clocks(probe);
    }
    return extract64(probe->clocks[(offset - PROBE_REG_TIME) / 8],
                     offset % 8 * 8, 32);
}

static void probe_write(void *opaque, hwaddr offset, uint64_t value,
                        unsigned size)
{
    Probe *probe = opaque;

    if (offset >= PROBE_REG_NAME && offset < PROBE_REG_NAME + PROBE_NAME_SIZE) {
        write_name(probe, offset - PROBE_REG_NAME, value);
        return;
    }
    switch (offset) {
    case PROBE_REG_MARK:
        log_mark(probe);
        break;
    case PROBE_REG_DATA_BEGIN:
        begin_data(probe);
        break;
    case PROBE_REG_DATA:
        append_data(probe, value);
        break;
    case PROBE_REG_DATA_END:
        log_data(probe, value);
        break;
    case PROBE_REG_READY:
        snapshot_guest_is_ready();
        break;
    case PROBE_REG_STALL:
        vtime_stall(MIN(value, PROBE_STALL_MAX));
        break;
    default:
        qemu_log_mask(LOG_GUEST_ERROR,
                      "probe: write to offset 0x%" HWADDR_PRIx "\n", offset);
    }
}

static const MemoryRegionOps probe_ops = {
    .read = probe_read,
    .write = probe_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 4 },
};

/* ---- the device ---- */

static void probe_shutdown(Notifier *notifier, void *data)
{
    Probe *probe = container_of(notifier, Probe, shutdown);

    probe->powered_off = *(ShutdownCause *)data ==
                         SHUTDOWN_CAUSE_GUEST_SHUTDOWN;
}

static void probe_stopped(void *opaque, bool running, RunState state)
{
    Probe *probe = opaque;

    if (!running && probe->powered_off) {
        put(probe, "{\"kind\":\"end\"");
        put_reading(probe);
        end_line(probe);
        probe->powered_off = false;
    }
}

static bool knows_kernel(const Probe *probe)
{
    const ProfileKernel *kernel = &probe->kernel;

    return probe->profile_window && kernel->preempt_count && kernel->pid &&
           kernel->comm && kernel->hardirq_mask && kernel->softirq_mask;
}

static bool read_job(Probe *probe, Error **errp)
{
    g_autoptr(GError) error = NULL;

    if (probe->job_path && !g_file_get_contents(probe->job_path, &probe->job,
                                                &probe->job_length, &error)) {
        error_setg(errp, "firesteel-probe: %s", error->message);
        return false;
    }
    return true;
}

static void set_up_snapshots(const Probe *probe)
{
    if (probe->save) {
        snapshot_save_to(probe->save);
    }
    if (probe->resume) {
        snapshot_resume_from(probe->resume);
    }
}

static void probe_realize(PCIDevice *pci, Error **errp)
{
    Probe *probe = FIRESTEEL_PROBE(pci);

    if (!probe->path || !vtime_has_rate()) {
        error_setg(errp, "firesteel-probe needs log=FILE and -icount rate=N");
        return;
    }
    if (probe->profile && !knows_kernel(probe)) {
        error_setg(errp, "firesteel-probe: profile=FILE needs profile-window, "
                         "task-preempt-count, task-pid, task-comm, "
                         "hardirq-mask and softirq-mask");
        return;
    }
    if (!read_job(probe, errp)) {
        return;
    }
    probe->log = fopen(probe->path, "w");
    if (!probe->log) {
        error_setg_errno(errp, errno, "firesteel-probe: cannot write %s",
                         probe->path);
        return;
    }
    put(probe, "{\"kind\":\"start\",\"version\":%d", PROBE_LOG_VERSION);
    end_line(probe);
    if (probe->profile) {
        profile_set_up(probe->profile, probe->profile_window, &probe->kernel);
    }
    set_up_snapshots(probe);
    memory_region_init_io(&probe->bar, OBJECT(probe), &probe_ops, probe,
                          "firesteel-probe", PROBE_BAR_SIZE);
    pci_register_bar(pci, 0, PCI_BASE_ADDRESS_SPACE_MEMORY, &probe->bar);
    probe->shutdown.notify = probe_shutdown;
    qemu_register_shutdown_notifier(&probe->shutdown);
    qemu_add_vm_change_state_handler(probe_stopped, probe);
}

static const Property probe_properties[] = {
    DEFINE_PROP_STRING("log", Probe, path),
    DEFINE_PROP_STRING("job", Probe, job_path),
    DEFINE_PROP_STRING("save", Probe, save),
    DEFINE_PROP_STRING("resume", Probe, resume),
    DEFINE_PROP_STRING("profile", Probe, profile),
    DEFINE_PROP_STRING("profile-window", Probe, profile_window),
    DEFINE_PROP_UINT32("task-preempt-count", Probe, kernel.preempt_count, 0),
    DEFINE_PROP_UINT32("task-pid", Probe, kernel.pid, 0),
    DEFINE_PROP_UINT32("task-comm", Probe, kernel.comm, 0),
    DEFINE_PROP_UINT32("hardirq-mask", Probe, kernel.hardirq_mask, 0),
    DEFINE_PROP_UINT32("softirq-mask", Probe, kernel.softirq_mask, 0),
};

/* What else there is, the guest writes before it uses it */
static const VMStateField probe_fields[] = {
    VMSTATE_PCI_DEVICE(parent, Probe),
    VMSTATE_END_OF_LIST(),
};

static const VMStateDescription probe_vmstate = {
    .name = TYPE_FIRESTEEL_PROBE,
    .fields = probe_fields,
};

static void probe_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);

    pc->realize = probe_realize;
    pc->vendor_id = PROBE_VENDOR;
    pc->device_id = PROBE_DEVICE;
    pc->class_id = PCI_CLASS_OTHERS;
    dc->vmsd = &probe_vmstate;
    dc->desc = "Marks and results of a guest in exact virtual time";
    dc->hotpluggable = false;
    device_class_set_props(dc, probe_properties);
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
}

static const TypeInfo probe_type = {
    .name = TYPE_FIRESTEEL_PROBE,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(Probe),
    .class_init = probe_class_init,
    .interfaces =
        (InterfaceInfo[]) {
            { INTERFACE_CONVENTIONAL_PCI_DEVICE },
            {},
        },
};

static void probe_register(void)
{
    type_register_static(&probe_type);
}
type_init(probe_register)
