/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A window of Silex cores, see silex.h. */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "hw/core/cpu.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "hw/firesteel/counters.h"
#include "hw/firesteel/silex.h"
#include "hw/firesteel/trace.h"
#include "hw/firesteel/vtime.h"

/*
 * The cores' DMA reaches memory and the operand RAM of its own window, and
 * nothing else: a list that points at registers is a bus error.
 */
static const MemTxAttrs memory_only = { .memory = 1 };

static uint64_t time_now(void *opaque)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* ---- what the model asks for ---- */

static int outcome(MemTxResult result)
{
    return result == MEMTX_OK ? 0 : -1;
}

/* Whether all of it is this window; then @offset is where in it */
static bool is_own(SilexWindow *window, uint64_t address, size_t size,
                   bool write, hwaddr *offset)
{
    hwaddr length = size;
    MemoryRegion *region;

    RCU_READ_LOCK_GUARD();
    region = address_space_translate(window->memory, address, offset, &length,
                                     write, memory_only);
    return region == &window->registers && length >= size;
}

static int dma_read(void *opaque, uint64_t address, void *data, size_t size)
{
    SilexWindow *window = opaque;
    hwaddr offset;

    if (is_own(window, address, size, false, &offset)) {
        return silex_model_dma_read(window->model, offset, data, size);
    }
    return outcome(dma_memory_read(window->memory, address, data, size,
                                   memory_only));
}

static int dma_write(void *opaque, uint64_t address, const void *data,
                     size_t size)
{
    SilexWindow *window = opaque;
    hwaddr offset;

    if (is_own(window, address, size, true, &offset)) {
        return silex_model_dma_write(window->model, offset, data, size);
    }
    return outcome(dma_memory_write(window->memory, address, data, size,
                                    memory_only));
}

static DMADirection direction(bool write)
{
    return write ? DMA_DIRECTION_FROM_DEVICE : DMA_DIRECTION_TO_DEVICE;
}

/* Mapping what is no memory would go through a copy and hide the error */
static bool is_memory(SilexWindow *window, uint64_t address, hwaddr *length,
                      bool write)
{
    MemoryRegion *region;
    hwaddr offset;

    RCU_READ_LOCK_GUARD();
    region = address_space_translate(window->memory, address, &offset, length,
                                     write, memory_only);
    return memory_region_is_ram(region) &&
           memory_access_is_direct(region, write, memory_only);
}

static void *dma_map(void *opaque, uint64_t address, size_t *size, bool write)
{
    SilexWindow *window = opaque;
    hwaddr length = *size;
    void *pointer;

    if (!is_memory(window, address, &length, write)) {
        return NULL;
    }
    pointer = dma_memory_map(window->memory, address, &length, direction(write),
                             memory_only);
    *size = length;
    return pointer;
}

static void dma_unmap(void *opaque, void *pointer, size_t size, bool write,
                      size_t written)
{
    SilexWindow *window = opaque;

    dma_memory_unmap(window->memory, pointer, size, direction(write),
                     write ? written : size);
}

static void wake_at(void *opaque, uint64_t when)
{
    SilexWindow *window = opaque;

    if (when > INT64_MAX) {
        timer_del(window->timer);
    } else {
        timer_mod(window->timer, when);
    }
}

static void interrupt(void *opaque, unsigned line, bool level)
{
    SilexWindow *window = opaque;

    trace_silex_interrupt(window->name, time_now(window), line, level);
    window->lines[line] = level;
    window->changed(window, line);
}

static void event(void *opaque, const char *what, uint64_t value)
{
    SilexWindow *window = opaque;

    trace_silex_event(window->name, time_now(window), what, value);
    if (!strcmp(what, "rule-broken")) {
        warn_report_once("%s: a rule of all public drivers is broken: %s",
                         window->name, silex_model_breach(window->model));
    }
}

static void timer_due(void *opaque)
{
    SilexWindow *window = opaque;

    silex_model_advance(window->model);
}

/* ---- registers ---- */

/* An access reaches the core when the processor has waited for it */
static void charge_access(SilexWindow *window)
{
    uint64_t ns = silex_model_access_ns(window->model);

    window->used = true;
    if (ns && current_cpu && vtime_has_rate()) {
        vtime_stall(ns);
    }
}

static uint64_t registers_read(void *opaque, hwaddr offset, unsigned size)
{
    SilexWindow *window = opaque;
    uint32_t value;

    charge_access(window);
    value = silex_model_read_part(window->model, offset, size);
    trace_silex_read(window->name, time_now(window), offset, value);
    return value;
}

static void registers_write(void *opaque, hwaddr offset, uint64_t value,
                            unsigned size)
{
    SilexWindow *window = opaque;

    charge_access(window);
    trace_silex_write(window->name, time_now(window), offset, value);
    silex_model_write_part(window->model, offset, value, size);
}

static const MemoryRegionOps registers_ops = {
    .read = registers_read,
    .write = registers_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

/* ---- statistics ---- */

static bool read_counter(void *opaque, unsigned index, const char **name,
                         uint64_t *value)
{
    SilexWindow *window = opaque;
    struct silex_counter counter;

    if (!silex_statistics_counter(silex_model_statistics(window->model), index,
                                  &counter)) {
        return false;
    }
    *name = counter.name;
    *value = counter.value;
    return true;
}

/* ---- the device's part ---- */

void silex_window_init(SilexWindow *window)
{
    silex_config_default(&window->config);
}

static void set_property(Object *object, Visitor *visitor, const char *key,
                         void *opaque, Error **errp)
{
    SilexWindow *window = (void *)((char *)object + (uintptr_t)opaque);
    char error[SILEX_MODEL_ERROR_SIZE];
    g_autofree char *value = NULL;

    if (DEVICE(object)->realized) {
        error_setg(errp, "%s: the cores are chosen before they are made", key);
    } else if (visit_type_str(visitor, key, &value, errp) &&
               silex_config_set(&window->config, key, value, error,
                                sizeof(error)) != 0) {
        error_setg(errp, "%s", error);
    }
}

void silex_window_class_init(ObjectClass *klass, size_t offset)
{
    const char *key;
    unsigned i;

    for (i = 0; (key = silex_config_key(i)); i++) {
        object_class_property_add(klass, key, "str", NULL, set_property, NULL,
                                  (void *)(uintptr_t)offset);
    }
}

static char *name_of(const DeviceState *device)
{
    static unsigned nameless;

    return device->id ? g_strdup(device->id)
                      : g_strdup_printf("cores%u", nameless++);
}

static bool register_counters(SilexWindow *window, Error **errp)
{
    if (!counters_register(window->name, read_counter, window)) {
        error_setg(errp, "there is another device `%s` that counts",
                   window->name);
        return false;
    }
    return true;
}

static struct silex_model *new_model(SilexWindow *window, Error **errp)
{
    const struct silex_host host = {
        .opaque = window,
        .read = dma_read,
        .write = dma_write,
        .map = dma_map,
        .unmap = dma_unmap,
        .now = time_now,
        .wake_at = wake_at,
        .interrupt = interrupt,
        .event = event,
    };
    char error[SILEX_MODEL_ERROR_SIZE];
    struct silex_model *model = silex_model_new(&window->config, &host, error);

    if (!model) {
        error_setg(errp, "%s", error);
    }
    return model;
}

bool silex_window_realize(SilexWindow *window, DeviceState *device,
                          AddressSpace *memory, SilexLineChanged *changed,
                          Error **errp)
{
    window->device = device;
    window->name = name_of(device);
    window->memory = memory;
    window->changed = changed;
    window->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, timer_due, window);
    window->model = new_model(window, errp);
    if (!window->model || !register_counters(window, errp)) {
        silex_window_unrealize(window);
        return false;
    }
    memory_region_init_io(&window->registers, OBJECT(device), &registers_ops,
                          window, "silex", SILEX_WINDOW_SIZE);
    return true;
}

void silex_window_unrealize(SilexWindow *window)
{
    timer_free(window->timer);
    silex_model_free(window->model);
    g_free(window->name);
}

void silex_window_reset(SilexWindow *window)
{
    silex_model_reset(window->model);
}

int silex_window_at_rest(const SilexWindow *window)
{
    return window->used ? -EBUSY : 0;
}
