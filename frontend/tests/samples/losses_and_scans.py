# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sample in the benchmark's form: losses that the importer takes apart, and running sums forwards and backwards."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, y):
        log_p, q = F.log_softmax(x, dim=1), F.softmax(y, dim=1)
        losses = [F.smooth_l1_loss(x, y), F.smooth_l1_loss(x, y, beta=0.3), F.l1_loss(x, y), F.mse_loss(x, y, reduction="sum"),
                  F.kl_div(log_p, q, reduction="batchmean"), F.kl_div(log_p, log_p, log_target=True, reduction="sum")]
        scans = torch.cumsum(x.flip(1), dim=1).flip(1) + torch.cumsum(x * y, dim=0)
        return torch.stack(losses), scans * torch.cumprod(1 + 0.01 * y, dim=1)


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn(16, 70), torch.randn(16, 70)]
