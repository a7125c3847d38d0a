//===- Digest.h - A keyed sum that tells buffers apart --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computed by our own kernel on a card and here for bytes at hand, with the
// same result. The key is drawn after the candidate was written and is never
// in its reach before it has run, so no candidate can aim at a collision.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace kgen::device {

/// The sum over the 8-byte words w[i] of BYTES (the last one filled up with zeros) of
/// mix((w[i] ^ key) + i * step), mix and step as in trusted_kernels.cu; modulo 2^64.
uint64_t digestBytes(const void *bytes, size_t size, uint64_t key, unsigned threads = 1);

/// The odd multiplier that goes with KEY.
uint64_t digestStep(uint64_t key);

} // namespace kgen::device
