// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the guest's kernel keeps what a profile reads from outside: compiled with that kernel's own
 * headers and never run.  The section .firesteel.layout has it, name and value; the lab reads that
 * from the module's file.
 */
#include <linux/module.h>
#include <linux/pgtable.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#define LAYOUT_NAME_SIZE 28

/*
 * Where the linear map begins.  Debian's arm64 kernel is for addresses of up to 52 bits; no board's
 * processor has more than 48.
 */
#ifdef CONFIG_ARM64
#define LINEAR_MAP _PAGE_OFFSET(VA_BITS_MIN)
#else
#define LINEAR_MAP PAGE_OFFSET
#endif

struct layout_entry {
	char name[LAYOUT_NAME_SIZE];
	unsigned long value;
};

static const struct layout_entry layout[] __used __section(".firesteel.layout") = {
	{ "task.preempt_count", offsetof(struct task_struct, thread_info.preempt_count) },
	{ "task.pid", offsetof(struct task_struct, pid) },
	{ "task.comm", offsetof(struct task_struct, comm) },
	{ "hardirq_mask", HARDIRQ_MASK },
	{ "softirq_mask", SOFTIRQ_OFFSET },
	{ "page_offset", LINEAR_MAP },
	{ "modules_begin", MODULES_VADDR },
	{ "modules_end", MODULES_END },
	{ "module.size", sizeof(struct module) },
	{ "module.state", offsetof(struct module, state) },
	{ "module.list", offsetof(struct module, list) },
	{ "module.name", offsetof(struct module, name) },
	{ "module.name_size", MODULE_NAME_LEN },
	{ "module.text_base", offsetof(struct module, mem[MOD_TEXT].base) },
	{ "module.text_size", offsetof(struct module, mem[MOD_TEXT].size) },
	{ "module.kallsyms", offsetof(struct module, kallsyms) },
	{ "kallsyms.symtab", offsetof(struct mod_kallsyms, symtab) },
	{ "kallsyms.num_symtab", offsetof(struct mod_kallsyms, num_symtab) },
	{ "kallsyms.strtab", offsetof(struct mod_kallsyms, strtab) },
};

MODULE_DESCRIPTION("The layout of this kernel's structures; to be read, not loaded");
MODULE_LICENSE("GPL");
