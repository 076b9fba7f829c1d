#ifndef POINTS_H
#define POINTS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct points points_t;
points_t *points_new(int count)
void points_free(points_t *points);

#ifdef __cplusplus
}
#endif

#endif
