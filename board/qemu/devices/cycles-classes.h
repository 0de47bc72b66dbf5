/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the cost model tells apart: classes of instructions, and events that cost a processor
 * time besides.  Their names are those of board/processors/.
 */
#ifndef FIRESTEEL_CYCLES_CLASSES_H
#define FIRESTEEL_CYCLES_CLASSES_H

/* X(NAME, "name"): what an instruction of the class costs each time */
#define CYCLES_INSTRUCTIONS(X) \
    X(INTEGER, "integer")                /* moves, sums, logic */ \
    X(SHIFTED, "shifted-operand")        /* the same, an operand shifted by a constant */ \
    X(REGISTER_SHIFT, "register-shift")  /* the same, shifted by a register */ \
    X(MULTIPLY, "multiply")              /* 32 bits of a product */ \
    X(MULTIPLY_LONG, "multiply-long")    /* 64 bits of a product */ \
    X(DIVIDE, "divide") \
    X(LOAD, "load")                      /* one register */ \
    X(STORE, "store") \
    X(LOAD_MULTIPLE, "load-multiple")    /* two registers or more; and a register: */ \
    X(LOAD_REGISTER, "load-multiple-register") \
    X(STORE_MULTIPLE, "store-multiple") \
    X(STORE_REGISTER, "store-multiple-register") \
    X(BRANCH, "branch")                  /* taken or not */ \
    X(CALL, "call")                      /* with a link, direct */ \
    X(INDIRECT_BRANCH, "indirect-branch") /* returns too */ \
    X(NEON_D, "neon-double")             /* 64 bits wide */ \
    X(NEON_Q, "neon-quad")               /* 128 bits wide */ \
    X(NEON_MULTIPLY_D, "neon-multiply-double") \
    X(NEON_MULTIPLY_Q, "neon-multiply-quad") \
    X(NEON_PERMUTE_D, "neon-permute-double") \
    X(NEON_PERMUTE_Q, "neon-permute-quad") \
    X(NEON_SHIFT_D, "neon-shift-double") \
    X(NEON_SHIFT_Q, "neon-shift-quad") \
    X(NEON_LOAD, "neon-load")            /* and a register of 64 bits: */ \
    X(NEON_LOAD_REGISTER, "neon-load-register") \
    X(NEON_STORE, "neon-store") \
    X(NEON_STORE_REGISTER, "neon-store-register") \
    X(NEON_MOVE, "neon-core-move")       /* between the register files */ \
    X(FLOAT, "float") \
    X(FLOAT_DIVIDE, "float-divide") \
    X(BARRIER, "barrier") \
    X(SYSTEM, "system-register") \
    X(MAINTENANCE, "cache-maintenance")  /* of a line, by address, in all levels */ \
    X(SUPERVISOR_CALL, "supervisor-call") \
    X(EXCEPTION_RETURN, "exception-return") \
    X(OTHER, "other") \
    X(DEPENDENT_INTEGER, "dependent-integer")   /* more, if the next instruction needs the result */ \
    X(DEPENDENT_LOAD, "dependent-load") \
    X(DEPENDENT_MULTIPLY, "dependent-multiply")

/* X(NAME, "name"): what an event costs each time */
#define CYCLES_EVENTS(X) \
    X(EXCEPTION, "exception")            /* taken, of any kind */ \
    X(FETCH_L2, "fetch-level-2")         /* a line of code from the second level */ \
    X(FETCH_MEMORY, "fetch-memory") \
    X(FETCH_MEMORY_NEXT, "fetch-memory-next") /* the line before it was there */ \
    X(LOAD_L2, "load-level-2") \
    X(LOAD_L2_NEXT, "load-level-2-next") \
    X(LOAD_MEMORY, "load-memory") \
    X(LOAD_MEMORY_NEXT, "load-memory-next") \
    X(STORE_L2, "store-level-2") \
    X(STORE_MEMORY, "store-memory") \
    X(STORE_MEMORY_NEXT, "store-memory-next") \
    X(TRANSLATION, "translation")        /* a walk of the page table */ \
    X(UNCACHED_LOAD, "uncached-load")    /* of normal memory that is not cached */ \
    X(UNCACHED_STORE, "uncached-store")

#define CYCLES_CLASSES(X) CYCLES_INSTRUCTIONS(X) CYCLES_EVENTS(X)

enum {
#define X(NAME, name) CYCLES_##NAME,
    CYCLES_CLASSES(X)
#undef X
    CYCLES_CLASS_COUNT
};

/* The number of classes of instructions: they come first */
enum {
#define X(NAME, name) CYCLES_INSTRUCTION_##NAME,
    CYCLES_INSTRUCTIONS(X)
#undef X
    CYCLES_INSTRUCTION_COUNT
};

#endif
