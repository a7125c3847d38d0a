//===- KernelLibrary.h - Verified kernels that seed searches --------------===//
//
// A folder of JSON files, one for each graph, device and precision class: the
// fastest kernel that a search verified there. Off unless `--library` names a
// folder, so that a search depends on nothing that it does not record.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Propose/Proposer.h"
#include "kgen/Trajectory/FileSystem.h"

#include <memory>
#include <optional>
#include <string>

namespace kgen {

/// What decides whether a kernel can be used again.
struct LibraryKey {
  std::string graph;     ///< level 1, canonical
  std::string device;    ///< "host", or the card's model
  std::string precision; ///< class
};

/// How a kernel was made; it is lowered and verified again before it counts.
struct LibraryEntry {
  Idea idea;
  Materialization materialization;
  double timeUs = 0;
  std::string run; ///< where it was found
};

class KernelLibrary {
public:
  KernelLibrary(FileSystem &fs, std::string folder) : fs(fs), folder(std::move(folder)) {}

  /// The entry for KEY, or none. An entry that cannot be read is an Error that names the file.
  llvm::Expected<std::optional<LibraryEntry>> find(const LibraryKey &key);
  /// Keeps ENTRY unless a faster one is there.
  llvm::Error store(const LibraryKey &key, const LibraryEntry &entry);

private:
  std::string fileOf(const LibraryKey &key) const;

  FileSystem &fs;
  std::string folder;
};

/// Passes everything on to INNER, after ENTRY as the first idea about round 0. Being an answer like
/// any other it is recorded with the run.
std::unique_ptr<Proposer> createSeededProposer(std::unique_ptr<Proposer> inner, LibraryEntry entry);

} // namespace kgen
