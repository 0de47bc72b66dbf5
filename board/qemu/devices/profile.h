/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile: how many times which instructions were executed between two
 * marks of the probe, exactly, by whom, and in what kind of interrupt.
 *
 * It reads the guest's memory and registers and changes nothing: the board
 * goes the same way, to the instruction, with a profile or without one.  When
 * there is none, no code of it is generated.  docs/profiles.md tells more.
 */
#ifndef FIRESTEEL_PROFILE_H
#define FIRESTEEL_PROFILE_H

/*
 * What has to be known of the guest's Linux, whose pointer to the running
 * task is in TPIDRURO while it is in the kernel, or in SP_EL0 if it is of 64
 * bits
 */
typedef struct ProfileKernel {
    uint32_t preempt_count;     /* offset in struct task_struct, as */
    uint32_t pid;               /* the next two */
    uint32_t comm;
    uint32_t hardirq_mask;      /* bits of preempt_count: in an interrupt */
    uint32_t softirq_mask;      /* in a soft interrupt */
} ProfileKernel;

/* Is there to be a profile?  Says whether the translator shall call its hook. */
bool profile_wanted(void);

/*
 * Make a profile of the window between the marks WINDOW.begin and WINDOW.end.
 * @path gets it, and @path with ".ram" behind it the guest's memory as it was
 * at the window's end, pages of zeros being holes.  Once, before the CPU runs.
 */
void profile_set_up(const char *path, const char *window,
                    const ProfileKernel *kernel);

/* The guest has made a mark; on the vCPU thread, in the handler of its write */
void profile_mark(const char *name);

#endif
