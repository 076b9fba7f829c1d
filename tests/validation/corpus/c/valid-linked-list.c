#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

struct node *push(struct node *head, int value)
{
    struct node *n = malloc(sizeof(*n));
    if (!n)
        return NULL;
    *n = (struct node){value, head};
    return n;
}

void release(struct node *n)
{
    while (n != NULL) {
        struct node *next = n->next;
        free(n), n = next;
    }
}
