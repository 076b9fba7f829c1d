#include <stdlib.h>

void drop(struct node *head) {
    while (head) {
        struct node *next = head->next;
        free(head)
        head = next;
    }
}
