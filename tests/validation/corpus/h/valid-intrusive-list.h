/* Intrusive list, kernel style. */
#ifndef LIST_H
#define LIST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct list_head { struct list_head *next, *prev; };

#define container_of(ptr, type, member) \
    ((type *)((char *)(ptr) - offsetof(type, member)))
#define list_for_each(pos, head) \
    for (pos = (head)->next; pos != (head); pos = pos->next)

static inline void list_add(struct list_head *restrict item, struct list_head *head)
{
    item->next = head->next;
    item->prev = head;
    head->next->prev = item;
    head->next = item;
}

static inline int list_len(const struct list_head *head)
{
    int n = 0;
    const struct list_head *pos;
    list_for_each(pos, head)
        n++;
    return n;
}

extern int (*handlers[8])(struct list_head *, void (*)(int));
int sum(int n, int a[n][*], volatile const char *const *names);
typedef struct { int x, y; } point;
typedef enum { OFF, ON = 1 } state;
union u { float f; unsigned u; };

#ifdef __cplusplus
}
#endif
#endif /* LIST_H */
