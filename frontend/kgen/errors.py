# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an importer may say no with: one sentence, with the place."""


class ImportRefused(Exception):
    """The input cannot become a graph. The message is one sentence without a full stop."""

    def __init__(self, message, place=None):
        super().__init__(f"{place}: {message}" if place else message)
