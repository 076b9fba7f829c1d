#ifndef BUFFER_H
#define BUFFER_H

#include <stddef.h>

typedef struct buffer buffer;

buffer *buffer_new(size_t capacity);
void buffer_free(buffer *b);

#endif /* BUFFER_H */
