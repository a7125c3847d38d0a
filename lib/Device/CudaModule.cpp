//===- CudaModule.cpp - A candidate's machine code on a card --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CudaModule.h"

#include "TrustedKernels.h"
#include "kgen/Runtime/LaunchForms.h"
#include "kgen/Toolchain/Cache.h"

#include "llvm/Object/ELF.h"

#include <algorithm>
#include <utility>

using namespace kgen;
using namespace kgen::device;

static llvm::Error reject(const std::string &why) {
  return llvm::make_error<CandidateError>(candidate::Verdict::Reject, why);
}

/// The variables of CUBIN, by the names of its symbol table.
static std::vector<std::string> variableNames(llvm::StringRef cubin) {
  std::vector<std::string> out;
  auto file = llvm::object::ELF64LEFile::create(cubin);
  if (!file)
    return llvm::consumeError(file.takeError()), out;
  auto sections = file->sections();
  if (!sections)
    return llvm::consumeError(sections.takeError()), out;
  for (const auto &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_SYMTAB)
      continue;
    auto symbols = file->symbols(&section);
    auto strings = file->getStringTableForSymtab(section);
    if (!symbols || !strings) {
      if (!symbols)
        llvm::consumeError(symbols.takeError());
      if (!strings)
        llvm::consumeError(strings.takeError());
      continue;
    }
    for (const auto &symbol : *symbols)
      if (symbol.getType() == llvm::ELF::STT_OBJECT && symbol.st_size > 0) {
        auto name = symbol.getName(*strings);
        if (name)
          out.push_back(name->str());
        else
          llvm::consumeError(name.takeError());
      }
  }
  return out;
}

CudaModule::CudaModule(const cuda::Driver &driver, cuda::DeviceId id) : driver(driver) {
  driver.deviceGetAttribute(&maxShared, cuda::SharedPerBlockOptin, id);
  driver.deviceGetAttribute(&multiprocessors, cuda::MultiprocessorCount, id);
}

CudaModule::~CudaModule() {
  for (Image &image : images)
    if (image.module)
      driver.moduleUnload(image.module);
}

llvm::Error CudaModule::load(llvm::StringRef artifact, const candidate::LaunchPlan &plan) {
  for (const std::string &file : splitArtifacts(artifact)) {
    auto cubin = toolchain::readWholeFile(file);
    if (!cubin)
      return cubin.takeError();
    std::vector<std::string> names = variableNames(*cubin);
    images.push_back({std::move(*cubin), std::move(names), nullptr});
  }
  if (images.size() != std::max<size_t>(plan.modules.size(), 1))
    return llvm::createStringError("%zu files of machine code for %zu modules", images.size(), plan.modules.size());
  for (const candidate::Launch &launch : plan.launches) {
    launches.push_back(&launch);
    const std::string &image = images[launch.module].bytes;
    waits.push_back(runtime::waitsForLaunches(image.data(), image.size(), launch.kernel.c_str()));
  }
  return lookUp();
}

llvm::Error CudaModule::reload() {
  functions.clear();
  for (Image &image : images)
    if (int error = driver.moduleUnload(std::exchange(image.module, nullptr)))
      return llvm::createStringError("cuModuleUnload: %s", driver.describe(error));
  return lookUp();
}

std::vector<DigestJob> CudaModule::variables() const {
  std::vector<DigestJob> out;
  for (const Image &image : images)
    for (const std::string &name : image.names) {
      cuda::Pointer at;
      size_t bytes;
      // A name that the driver does not know belongs to no memory of its own.
      if (driver.moduleGetGlobal(&at, &bytes, image.module, name.c_str()) == 0 && bytes > 0)
        out.push_back({at, bytes, 0, std::nullopt});
    }
  return out;
}

std::vector<bool> CudaModule::keepsVariables() const {
  std::vector<bool> out;
  for (const Image &image : images)
    out.push_back(runtime::keepsVariables(image.bytes.data(), image.bytes.size()));
  return out;
}

llvm::Error CudaModule::lookUp() {
  // A cubin for another architecture fails here, with the driver's words.
  for (Image &image : images)
    if (int error = driver.moduleLoadData(&image.module, image.bytes.data()))
      return reject(std::string("the driver refuses the machine code: ") + driver.describe(error));
  for (const candidate::Launch *one : launches) {
    cuda::Function function;
    // C++ names would be mangled, hence the contract's extern "C".
    if (driver.moduleGetFunction(&function, images[one->module].module, one->kernel.c_str()))
      return reject("the plan launches " + one->kernel + ", which kernel.cu does not define as extern \"C\"");
    if (llvm::Error error = checkKernel(function, *one))
      return error;
    functions.push_back(function);
  }
  return llvm::Error::success();
}

llvm::Error CudaModule::checkKernel(cuda::Function function, const candidate::Launch &launch) {
  if (llvm::Error error = checkParameters(function, launch))
    return error;
  int local = 0;
  driver.functionGetAttribute(&local, cuda::LocalBytes, function);
  mostLocal = std::max(mostLocal, size_t(local));
  if (mostLocal > TrustedKernels::mostLocalBytes)
    return reject(launch.kernel + " keeps " + std::to_string(local) + " bytes of local memory for each thread, " +
                  std::to_string(TrustedKernels::mostLocalBytes) + " can be cleared between runs");
  int staticShared = 0;
  driver.functionGetAttribute(&staticShared, cuda::StaticShared, function);
  if (staticShared + launch.sharedBytes > maxShared)
    return reject(launch.kernel + " needs " + std::to_string(staticShared + launch.sharedBytes) +
                  " bytes of shared memory, the card gives a block at most " + std::to_string(maxShared));
  if (int error = runtime::allowLaunch(driver, function, runtime::LaunchShape::of(launch), unsigned(staticShared)))
    return reject(launch.kernel + ": " + driver.describe(error));
  return checkResidency(function, launch);
}

/// Blocks that wait for each other have to be resident together.
llvm::Error CudaModule::checkResidency(cuda::Function function, const candidate::Launch &launch) const {
  if (!launch.cooperative)
    return llvm::Error::success();
  int perMultiprocessor = 0;
  int64_t blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  if (int error =
          driver.maxActiveBlocks(&perMultiprocessor, function, int(launch.block[0] * launch.block[1] * launch.block[2]),
                                 size_t(launch.sharedBytes)))
    return reject(launch.kernel + ": " + driver.describe(error));
  int64_t resident = int64_t(perMultiprocessor) * multiprocessors;
  if (blocks > resident)
    return reject(launch.kernel + " is cooperative and has " + std::to_string(blocks) +
                  " blocks, the card holds at most " + std::to_string(resident) + " of them at once");
  return llvm::Error::success();
}

/// A launch with too few parameters would make the driver read past our array.
llvm::Error CudaModule::checkParameters(cuda::Function function, const candidate::Launch &launch) const {
  if (!driver.functionGetParamInfo)
    return llvm::Error::success();
  size_t offset, size, count = 0;
  while (driver.functionGetParamInfo(function, count, &offset, &size) == 0) {
    if (count < launch.arguments.size()) {
      const candidate::LaunchArgument &argument = launch.arguments[count];
      size_t passed = candidate::parameterBytes(argument);
      if (size != passed)
        return reject("parameter " + std::to_string(count) + " of " + launch.kernel + " has " + std::to_string(size) +
                      " bytes, the plan passes " + std::to_string(passed));
    }
    ++count;
  }
  if (count != launch.arguments.size())
    return reject(launch.kernel + " takes " + std::to_string(count) + " parameters, the plan passes " +
                  std::to_string(launch.arguments.size()));
  return llvm::Error::success();
}

llvm::Error CudaModule::launch(size_t index, llvm::ArrayRef<void *> values, cuda::Stream stream, bool follows) const {
  const candidate::Launch &launch = *launches[index];
  int error = runtime::launchKernel(driver, functions[index], runtime::LaunchShape::of(launch), stream,
                                    const_cast<void **>(values.data()), follows && waits[index]);
  if (error == runtime::driverLacksIt)
    return llvm::make_error<CandidateError>(candidate::Verdict::Unsupported,
                                            "this driver has no clusters and no cooperative launches by attribute");
  if (error)
    return reject("the driver refuses the launch of " + launch.kernel + ": " + driver.describe(error));
  return llvm::Error::success();
}
