/* A region of memory that is freed as a whole. */
#include <stdlib.h>
#include <string.h>

#include "arena.h"

#define ALIGNMENT 16
#define ROUND_UP(n) (((n) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1))

typedef struct block {
    struct block *next;
    size_t used;
    size_t size;
    char data[];
} block_t;

struct arena {
    block_t *first;
    size_t block_size;
};

static block_t *block_new(size_t size) {
    block_t *block = malloc(sizeof(block_t) + size);
    if (!block) return NULL;
    block->next = NULL;
    block->used = 0;
    block->size = size;
    return block;
}

/* Makes an arena whose blocks hold block_size bytes. */
arena_t *arena_new(size_t block_size) {
    arena_t *arena = malloc(sizeof(arena_t));
    if (!arena) return NULL;
    arena->first = block_new(block_size);
    arena->block_size = block_size;
    return arena;
}

/* Bytes that live as long as the arena does; NULL where there is no memory left. */
void *arena_alloc(arena_t *arena, size_t size) {
    size_t rounded = ROUND_UP(size);
    block_t *block = arena->first;
    while (block && block->size - block->used < rounded) block = block->next;
    if (!block) {
        size_t wanted = rounded > arena->block_size ? rounded : arena->block_size;
        block = block_new(wanted);
        if (!block) return NULL;
        block->next = arena->first;
        arena->first = block;
    }
    void *result = block->data + block->used;
    block->used += rounded;
    return result;
}

char *arena_strdup(arena_t *arena, const char *text) {
    size_t length = strlen(text) + 1;
    char *copy = arena_alloc(arena, length);
    if (copy) memcpy(copy, text, length);
    return copy;
}

void arena_free(arena_t *arena) {
    block_t *block = arena->first;
    while (block) {
        block_t *next = block->next;
        free(block);
        block = next;
    }
    free(arena);
}
