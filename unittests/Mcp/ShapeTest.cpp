//===- ShapeTest.cpp - One declaration, a schema and a check ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Mcp/Shape.h"

#include "gtest/gtest.h"

using namespace kgen::mcp;

namespace {

Shape example() {
  return Shape::record({
      need("run", "the run's name", Shape::matching("^[a-z]+$", "small letters", 4)),
      may("rounds", "how many", Shape::whole(0, 10)),
      may("share", "of the floor", Shape::real(0, 1)),
      may("size", "of the graph", Shape::choice({"small", "full"})),
      may("quick", "whether", Shape::flag()),
      may("files", "by name", Shape::list(Shape::text(3), 2)),
      may("counts", "by word", Shape::map(Shape::number())),
  });
}

std::string faultOf(const char *json) { return example().findFault(Json::parse(json), "the call"); }

TEST(Shape, PrintsItsSchema) {
  Json schema = example().schema();
  EXPECT_EQ(schema["type"], "object");
  EXPECT_EQ(schema["required"], Json::parse(R"(["run"])"));
  EXPECT_EQ(schema["additionalProperties"], false);
  const Json &members = schema["properties"];
  EXPECT_EQ(members["run"].dump(),
            R"({"type":"string","maxLength":4,"pattern":"^[a-z]+$","description":"the run's name"})");
  EXPECT_EQ(members["rounds"].dump(), R"({"type":"integer","minimum":0,"maximum":10,"description":"how many"})");
  EXPECT_EQ(members["share"].dump(), R"({"type":"number","minimum":0.0,"maximum":1.0,"description":"of the floor"})");
  EXPECT_EQ(members["size"].dump(), R"({"type":"string","enum":["small","full"],"description":"of the graph"})");
  EXPECT_EQ(members["quick"].dump(), R"({"type":"boolean","description":"whether"})");
  EXPECT_EQ(members["files"].dump(),
            R"({"type":"array","items":{"type":"string","maxLength":3},"maxItems":2,"description":"by name"})");
  EXPECT_EQ(members["counts"].dump(),
            R"({"type":"object","additionalProperties":{"type":"number"},"description":"by word"})");
}

TEST(Shape, TakesWhatItsSchemaSays) {
  EXPECT_EQ(faultOf(R"({"run": "a"})"), "");
  EXPECT_EQ(faultOf(R"({"run": "abcd", "rounds": 10, "share": 1, "size": "full", "quick": true, "files": ["äöü", ""],
                        "counts": {"x": 1.5}})"),
            "");
  EXPECT_EQ(faultOf(R"({"run": "a", "rounds": 3.0})"), ""); // an integer, says JSON Schema
}

TEST(Shape, SaysWhatIsWrongInOneSentence) {
  EXPECT_EQ(faultOf(R"({})"), "the call lacks \"run\": the run's name");
  EXPECT_EQ(faultOf(R"([])"), "the call is array, expected an object");
  EXPECT_EQ(faultOf(R"({"run": 5})"), "run is 5, expected a text");
  EXPECT_EQ(faultOf(R"({"run": "abcde"})"), "run has 5 characters, expected at most 4");
  EXPECT_EQ(faultOf(R"({"run": "A"})"), "run is \"A\", expected small letters");
  EXPECT_EQ(faultOf(R"({"run": "a\n"})"), "run is \"a\\n\", expected small letters");
  EXPECT_EQ(faultOf(R"({"run": "a\u0000"})"), "run is \"a\\u0000\", expected small letters");
  EXPECT_EQ(faultOf(R"({"run": "a", "walk": 1})"),
            "the call has \"walk\", expected only run, rounds, share, size, quick, files, counts");
  EXPECT_EQ(faultOf(R"({"run": "a", "rounds": 11})"), "rounds is 11, expected a whole number from 0 to 10");
  EXPECT_EQ(faultOf(R"({"run": "a", "rounds": 1e300})"), "rounds is 1e+300, expected a whole number from 0 to 10");
  EXPECT_EQ(faultOf(R"({"run": "a", "rounds": 1.5})"), "rounds is 1.5, expected a whole number from 0 to 10");
  EXPECT_EQ(faultOf(R"({"run": "a", "share": -0.1})"), "share is -0.1, expected a number from 0.0 to 1.0");
  EXPECT_EQ(faultOf(R"({"run": "a", "size": "big"})"), "size is \"big\", expected one of small, full");
  EXPECT_EQ(faultOf(R"({"run": "a", "quick": 1})"), "quick is 1, expected true or false");
  EXPECT_EQ(faultOf(R"({"run": "a", "files": ["a", "b", "c"]})"), "files has 3 elements, expected at most 2");
  EXPECT_EQ(faultOf(R"({"run": "a", "files": ["a", null]})"), "files[1] is null, expected a text");
  EXPECT_EQ(faultOf(R"({"run": "a", "counts": {"x": "y"}})"), "counts.x is \"y\", expected a number");
  std::string far = faultOf((R"({"run": ")" + std::string(1000, 'x') + "\"}").c_str());
  EXPECT_EQ(far, "run has 1000 characters, expected at most 4");
}

} // namespace
