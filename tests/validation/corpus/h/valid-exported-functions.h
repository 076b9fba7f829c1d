#ifndef LINK_H
#define LINK_H
#include "export.h"

#define LINK_SLOW 1 /* Waits for each
                     * answer; don't use it. */
#define LINK_FAST 2

typedef struct link link_t;

LINK_API link_t *link_open(const char *host, int port);
LINK_API const char *link_error(link_t *link);
LINK_API int link_send(link_t *link, const void *data, int size) LINK_NONNULL(1, 2);
extern LINK_API char *link_name;
LINK_EXPORT(void) link_close(link_t *link);
LINK_EXPORT( int )
link_poll( link_t*  link,
           int      timeout );

#endif
