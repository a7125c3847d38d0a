/* A CUDA driver that is there and of no use: it hangs, or ends its process. */
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void begin() {
#ifdef HANG
  pause();
#else
  abort();
#endif
}
