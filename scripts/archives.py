# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Archives of published run folders."""
import tarfile


def unpack(archive, folder):
    """Unpacks ARCHIVE into FOLDER. Pythons before 3.11.4 (Debian 12's) have no filters of what an archive holds; ours are our own."""
    with tarfile.open(archive) as tar:
        tar.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
