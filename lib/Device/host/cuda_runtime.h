//===- cuda_runtime.h - Nothing beyond kgen_host.h is needed --------------===//
#include "kgen_host.h"
