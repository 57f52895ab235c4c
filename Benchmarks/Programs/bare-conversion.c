// Only libyuv's conversion of YUYV pictures of 1280x720, repeatedly: the floor for the cost of capturing.
//
//   bare-conversion COUNT
#include <libyuv/convert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { width = 1280, height = 720 };

int main(int count, char **arguments) {
    uint8_t *source = aligned_alloc(4096, width * height * 2), *target = aligned_alloc(4096, width * height * 3 / 2);
    for (int i = 0; i < width * height * 2; i++) source[i] = (uint8_t)(i * 2654435761u >> 24);
    uint8_t *u = target + width * height, *v = u + width * height / 4;
    for (int left = count > 1 ? atoi(arguments[1]) : 1; left > 0; left--)
        YUY2ToI420(source, 2 * width, target, width, u, width / 2, v, width / 2, width, height);
    printf("%d\n", target[12345]);
    return 0;
}
