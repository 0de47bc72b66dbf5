/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the cost model tells apart: classes of instructions, and events that
 * cost a processor time besides.  Their names are those of board/processors/.
 */
#ifndef FIRESTEEL_CYCLES_CLASSES_H
#define FIRESTEEL_CYCLES_CLASSES_H

/*
 * X(NAME, "name"): what an instruction of the class costs each time.
 *
 * "...-register": on top of the instruction, for each register that it
 * transfers (of 64 bits in NEON's file).  "...-double" and "...-quad": 64 and
 * 128 bits wide.  "dependent-...": on top, if the next instruction needs the
 * result of one of the class.
 */
#define CYCLES_INSTRUCTIONS(X)                                                 \
    /* moves, shifts, sums; sums with a shifted operand; by a register */      \
    X(INTEGER, "integer")                                                      \
    X(SHIFTED, "shifted-operand")                                              \
    X(REGISTER_SHIFT, "register-shift")                                        \
    /* products of 32 bits, of 64 */                                           \
    X(MULTIPLY, "multiply")                                                    \
    X(MULTIPLY_LONG, "multiply-long")                                          \
    X(DIVIDE, "divide")                                                        \
    /* one register; two or more */                                            \
    X(LOAD, "load")                                                            \
    X(STORE, "store")                                                          \
    X(LOAD_MULTIPLE, "load-multiple")                                          \
    X(LOAD_REGISTER, "load-multiple-register")                                 \
    X(STORE_MULTIPLE, "store-multiple")                                        \
    X(STORE_REGISTER, "store-multiple-register")                               \
    /* direct, taken or not; direct with a link; to a register, returns too */ \
    X(BRANCH, "branch")                                                        \
    X(CALL, "call")                                                            \
    X(INDIRECT_BRANCH, "indirect-branch")                                      \
    X(NEON_D, "neon-double")                                                   \
    X(NEON_Q, "neon-quad")                                                     \
    X(NEON_MULTIPLY_D, "neon-multiply-double")                                 \
    X(NEON_MULTIPLY_Q, "neon-multiply-quad")                                   \
    X(NEON_PERMUTE_D, "neon-permute-double")                                   \
    X(NEON_PERMUTE_Q, "neon-permute-quad")                                     \
    X(NEON_SHIFT_D, "neon-shift-double")                                       \
    X(NEON_SHIFT_Q, "neon-shift-quad")                                         \
    X(NEON_LOAD, "neon-load")                                                  \
    X(NEON_LOAD_REGISTER, "neon-load-register")                                \
    X(NEON_STORE, "neon-store")                                                \
    X(NEON_STORE_REGISTER, "neon-store-register")                              \
    /* between the register files */                                           \
    X(NEON_MOVE, "neon-core-move")                                             \
    X(FLOAT, "float")                                                          \
    X(FLOAT_DIVIDE, "float-divide")                                            \
    X(BARRIER, "barrier")                                                      \
    /* a system register; to write the processor's state is one, too */        \
    X(SYSTEM_READ, "system-read")                                              \
    X(SYSTEM_WRITE, "system-write")                                            \
    /* of a line, in all levels */                                             \
    X(MAINTENANCE, "cache-maintenance")                                        \
    X(SUPERVISOR_CALL, "supervisor-call")                                      \
    X(EXCEPTION_RETURN, "exception-return")                                    \
    X(OTHER, "other")                                                          \
    X(DEPENDENT_INTEGER, "dependent-integer")                                  \
    X(DEPENDENT_LOAD, "dependent-load")                                        \
    X(DEPENDENT_MULTIPLY, "dependent-multiply")

/*
 * X(NAME, "name"): what an event costs each time.
 *
 * "...-next": the line before it is in the cache.  "uncached-...": of normal
 * memory that no cache keeps.
 */
#define CYCLES_EVENTS(X)                                                \
    /* taken, of any kind */                                            \
    X(EXCEPTION, "exception")                                           \
    /* a line of code, of data, from the second level or from memory */ \
    X(FETCH_L2, "fetch-level-2")                                        \
    X(FETCH_L2_NEXT, "fetch-level-2-next")                              \
    X(FETCH_MEMORY, "fetch-memory")                                     \
    X(FETCH_MEMORY_NEXT, "fetch-memory-next")                           \
    X(LOAD_L2, "load-level-2")                                          \
    X(LOAD_L2_NEXT, "load-level-2-next")                                \
    X(LOAD_MEMORY, "load-memory")                                       \
    X(LOAD_MEMORY_NEXT, "load-memory-next")                             \
    X(STORE_L2, "store-level-2")                                        \
    X(STORE_MEMORY, "store-memory")                                     \
    X(STORE_MEMORY_NEXT, "store-memory-next")                           \
    /* a walk of the page table */                                      \
    X(TRANSLATION, "translation")                                       \
    X(UNCACHED_LOAD, "uncached-load")                                   \
    X(UNCACHED_STORE, "uncached-store")

/*
 * X(NAME, "name"): what an event costs that a CPU which is alone does not know.
 */
#define CYCLES_SHARING(X)                                                  \
    /* a line comes from another CPU's first level, to be read, written */ \
    X(LOAD_OTHER, "load-other")                                            \
    X(STORE_OTHER, "store-other")                                          \
    /* a line is written that others have, too, who lose it */             \
    X(STORE_SHARED, "store-shared")

/*
 * X(NAME, "name"): what instructions of 64-bit ARM cost besides those above.
 *
 * They come last, so that the others keep their numbers.
 */
#define CYCLES_A64(X)                                                      \
    /* the upper half of a product of 64-bit numbers */                    \
    X(MULTIPLY_HIGH, "multiply-high")                                      \
    X(AES, "aes")                                                          \
    /* of 64 bits */                                                       \
    X(POLYNOMIAL, "polynomial-multiply")                                   \
    /* SHA-1 and SHA-256: rounds; the words that go into them */           \
    X(SHA_HASH, "sha-hash")                                                \
    X(SHA_SCHEDULE, "sha-schedule")                                        \
    /* DC ZVA */                                                           \
    X(ZERO_LINE, "line-clearing")                                          \
    /* half a cycle in which later instructions wait for a sum or shift */ \
    /* as an operand, as an address; for what was loaded; a product */     \
    X(WAIT_INTEGER, "wait-integer")                                        \
    X(WAIT_ADDRESS, "wait-address")                                        \
    X(WAIT_LOAD, "wait-load")                                              \
    X(WAIT_MULTIPLY, "wait-multiply")                                      \
    /* for a calculation on vectors, a vector that was loaded, a round */  \
    /* of AES, a hash or a product of polynomials */                       \
    X(WAIT_NEON, "wait-neon")                                              \
    X(WAIT_NEON_LOAD, "wait-neon-load")                                    \
    X(WAIT_AES, "wait-aes")                                                \
    X(WAIT_HASH, "wait-hash")                                              \
    /* the next instruction needs all of the vector unit, too; or */       \
    /* memory */                                                           \
    X(UNPAIRED_NEON, "unpaired-neon")                                      \
    X(UNPAIRED_MEMORY, "unpaired-memory")

#define CYCLES_CLASSES(X) \
    CYCLES_INSTRUCTIONS(X) CYCLES_EVENTS(X) CYCLES_SHARING(X) CYCLES_A64(X)

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

/* The number of classes that a CPU which is alone knows */
enum {
#define X(NAME, name) CYCLES_ALONE_##NAME,
    CYCLES_INSTRUCTIONS(X)
    CYCLES_EVENTS(X)
#undef X
        CYCLES_ALONE_COUNT
};

/* The first class that only 64-bit ARM knows */
#define CYCLES_A64_FIRST CYCLES_MULTIPLY_HIGH

/*
 * What an instruction costs: a class once, another @times, and a third once and
 * @more times; @also: CYCLES_CLASS_COUNT for none
 */
typedef struct CyclesCost {
    uint8_t class, each, times, also, more;
} CyclesCost;

#endif
