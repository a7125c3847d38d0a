#!/usr/bin/env bash
# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What of kgen in PyTorch needs a card, in about 300 s on a card with PyTorch, the transformers package and nvcc: Mamba in fp32 at its published size beside
# float64, tiny models of ten classes in fp32 and bf16, weights that are offloaded (card_offload.py), and packages in the layout of Hugging Face kernels, loaded and run.
#   scripts/check_exports.py make EXPORTS softmax layer_norm      # first, anywhere
#   scripts/card_pytorch.sh EXPORTS OUT                     # KGEN_BIN and KGEN_RUNTIME as for check_models.py
set -u
cd "$(dirname "$0")/.."
exports=$1 out=$2
mkdir -p "$out"
python3 scripts/check_models.py --types fp32 --no-inductor --workers 1 --limit 400 --each 400 --out "$out/mamba" mamba >"$out/mamba.txt" 2>&1 &
mamba=$!
python3 scripts/check_models.py --more --no-inductor --workers 6 --limit 100 --out "$out/more" rwkv recurrent_gemma mamba2 gemma3 deepseek_v3 bart deberta_v2 swin \
  efficientnet hubert >"$out/more.txt" 2>&1 &
more=$!
python3 scripts/check_exports.py check "$exports" softmax layer_norm >"$out/exports.txt" 2>&1
failed=$?
wait $more || failed=1
wait $mamba || failed=1
# Alone, as it reads how much of the card is taken.
python3 scripts/card_offload.py >"$out/offload.txt" 2>"$out/offload.log" || failed=1
tail -n 30 "$out/offload.txt" "$out/exports.txt" "$out/more.txt" "$out/mamba.txt"
exit $failed
