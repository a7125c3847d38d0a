//===- Html.cpp - Text for a page -------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Html.h"

#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Report/RunReport.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

std::string kgen::report::html::escape(StringRef text) {
  std::string out;
  for (char c : candidate::printable(text)) {
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default:
      out += c;
    }
  }
  return out;
}

std::string kgen::report::html::time(double us) {
  if (us <= 0)
    return "–";
  std::string text = printTime(us);
  if (StringRef(text).ends_with(" us"))
    text.replace(text.size() - 2, 2, "µs");
  return text;
}

std::string kgen::report::html::percent(double value) {
  if (value <= 0)
    return "–";
  std::string text;
  raw_string_ostream(text) << format(value < 10 ? "%.1f %%" : "%.0f %%", value);
  return text;
}

const char *const kgen::report::html::style = R"css(
:root { color-scheme: light dark; --ground: #fcfcfb; --panel: #f2f2ef; --text: #1d1d1b; --faint: #6b6b66; --line: #d9d9d3; --accent: #1a6b52;
  --good: #1a6b52; --bad: #a8321f; --code: #f4f4f1; --r0: #8a8a84; --r1: #2f6fab; --r2: #b3651b; --r3: #7a4fa3; --r4: #1a7f6b; --r5: #a33a5f; }
@media (prefers-color-scheme: dark) { :root { --ground: #161715; --panel: #20211f; --text: #e6e6e1; --faint: #9a9a93; --line: #363733; --accent: #6fcfae;
  --good: #6fcfae; --bad: #ee8a76; --code: #1d1e1c; --r0: #8f8f88; --r1: #7fb4e6; --r2: #e6a45e; --r3: #c09ae6; --r4: #62cdb8; --r5: #e88aa8; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; }
main { max-width: 74rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; margin: 0 0 .15rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.2rem 0 .4rem; }
p { margin: .4rem 0; max-width: 60rem; }
.faint { color: var(--faint); }
.numbers { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1.1rem 0; padding: 0; list-style: none; }
.numbers li { background: var(--panel); border-radius: .5rem; padding: .55rem .9rem; min-width: 7.5rem; flex: 1 1 auto; }
.numbers b { display: block; font-size: 1.3rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.numbers span { color: var(--faint); font-size: .85rem; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: .4rem; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; }
th, td { padding: .35rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tr:last-child > th, tr:last-child > td { border-bottom: 0; }
thead th { background: var(--panel); font-weight: 600; white-space: nowrap; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.id { white-space: nowrap; }
td.idea { min-width: 20rem; }
tr.round th { background: var(--panel); font-weight: 600; }
tr.round th span { font-weight: 400; color: var(--faint); }
tr.best td { background: color-mix(in srgb, var(--accent) 12%, transparent); }
tr.same td { color: var(--faint); }
.facts th { width: 11rem; font-weight: 600; color: var(--faint); }
.facts td { overflow-wrap: anywhere; }
.PASS { color: var(--good); font-weight: 600; }
.other { color: var(--bad); font-weight: 600; }
code, pre { font: .84rem/1.45 ui-monospace, "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .4rem; padding: .8rem; overflow: auto; max-height: 44rem; margin: .5rem 0; tab-size: 2; }
details > summary { cursor: pointer; }
details > summary:hover { color: var(--accent); }
td details { margin-top: .15rem; color: var(--faint); }
a { color: var(--accent); }
ul.tree, ul.tree ul { list-style: none; margin: 0; padding-left: 1.1rem; border-left: 1px solid var(--line); }
ul.tree { border-left: 0; padding-left: 0; font-size: .9rem; }
ul.tree li { padding: .12rem 0; }
ul.tree li.way > .node { font-weight: 600; }
ul.tree .same { color: var(--faint); }
svg { display: block; width: 100%; height: auto; }
.drawing { overflow-x: auto; }
.drawing svg { min-width: 34rem; }
.small svg { max-width: 34rem; min-width: 22rem; }
svg text { fill: var(--faint); font: 12px system-ui, "Segoe UI", Roboto, Arial, "DejaVu Sans", sans-serif; }
svg .grid { stroke: var(--line); }
svg .level { stroke: var(--faint); stroke-dasharray: 5 4; }
svg .so-far { stroke: var(--accent); stroke-width: 2; fill: none; }
svg .best { stroke: var(--text); stroke-width: 1.5; }
.r0 { fill: var(--r0); } .r1 { fill: var(--r1); } .r2 { fill: var(--r2); } .r3 { fill: var(--r3); } .r4 { fill: var(--r4); } .r5 { fill: var(--r5); }
@media (max-width: 48rem) {
  .branches thead { display: none; }
  .branches tr { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .4rem .6rem; border-bottom: 1px solid var(--line); }
  .branches tr.best { background: color-mix(in srgb, var(--accent) 12%, transparent); }
  .branches th, .branches td, .branches tr.best td { border: 0; padding: .05rem 0; background: none; text-align: left; }
  .branches td br { display: none; }
  .branches td.n span { padding-left: .4rem; }
  .branches td.idea { flex-basis: 100%; min-width: 0; }
  .branches td.idea br { display: inline; }
  .branches td[data-of]::after { content: " " attr(data-of); color: var(--faint); }
}
@media (max-width: 40rem) { main { padding: 1rem .8rem 3rem; } .facts th { width: 7rem; } }
@media print { pre { max-height: none; } }
)css";
