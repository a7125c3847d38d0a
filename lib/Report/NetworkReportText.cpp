//===- NetworkReportText.cpp - A network's search, for a reader -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Html.h"
#include "kgen/Report/NetworkReport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace kgen::report {

static std::string number(const char *form, double value) {
  std::string text;
  raw_string_ostream(text) << format(form, value);
  return text;
}

static std::string timeOrDash(double us) { return us > 0 ? printTime(us) : "-"; }
static std::string gainOf(const NetworkTaskRow &row) {
  return row.bestUs > 0 && row.genericUs > 0 ? number("%.2f x", row.genericUs / row.bestUs) : "-";
}
static std::string megabytes(int64_t bytes) { return number("%.3g MB", double(bytes) / 1e6); }

/// Tasks by their share, the largest first.
static std::vector<const NetworkTaskRow *> byShare(const NetworkReport &report) {
  std::vector<const NetworkTaskRow *> rows;
  for (const NetworkTaskRow &row : report.tasks)
    rows.push_back(&row);
  stable_sort(rows, [](const NetworkTaskRow *a, const NetworkTaskRow *b) { return a->share > b->share; });
  return rows;
}

/// "4", or "1 prepared" where weights alone decide it, or both.
static std::string countOf(const NetworkTaskRow &row) {
  std::string text = row.count || !row.prepares ? std::to_string(row.count) : "";
  if (row.prepares)
    text += (text.empty() ? "" : " + ") + std::to_string(row.prepares) + " prepared";
  return text;
}

/// What the time of a network is, where there is more than one.
static std::string counted(const NetworkReport &report) {
  if (report.prepareLaunches == 0)
    return "";
  return "times are of runs on prepared weights; " + std::to_string(report.prepareLaunches) +
         " launches prepare them when they change" +
         (report.prepareUs > 0 ? ", with which the best takes " + printTime(report.bestUs + report.prepareUs) : "");
}

/// The branch that stands in the network, and what it is.
static std::string branchOf(const NetworkTaskRow &row) {
  std::string text = row.bestId + (row.inNetworkOnly ? " (not measured alone)" : "");
  return text + (row.settings.empty() ? "" : ", " + row.settings);
}

/// "-" where the kernel that the network has was not measured alone.
static std::string shareOf(const NetworkTaskRow &row) { return row.inNetworkOnly ? "-" : number("%.1f %%", row.share); }

/// How the network of ROUND differs from the one before it beside the best kernels.
static std::string describePartition(const NetworkRound &round) {
  std::string text = round.partition;
  if (round.firsts)
    text += (text.empty() ? "" : "; ") + std::to_string(round.firsts) + " of its kernels not measured alone";
  return text;
}

/// What is to say of ROUND beside its times.
static std::string describe(const NetworkRound &round) {
  std::string text = describePartition(round);
  return (text.empty() ? "" : "  " + text) + (round.detail.empty() ? "" : "  " + round.detail);
}

static std::string freshOf(const NetworkRound &round) {
  return round.prepareUs > 0 ? printTime(round.timeUs + round.prepareUs) : timeOrDash(round.timeUs);
}
static std::string graphOf(const NetworkRound &round, const NetworkReport &report) {
  return StringRef(report.device).starts_with("host") ? "n/a" : timeOrDash(round.graphUs);
}

static std::string summary(const NetworkReport &report) {
  std::string text = "network " + report.problem + ", precision class " + report.precision + ", device " +
                     report.device + ": " + std::to_string(report.steps) + " tasks, " +
                     std::to_string(report.tasks.size()) + " different, " + std::to_string(report.launches) +
                     " launches; " + megabytes(report.arenaBytes) + " of arena, " + megabytes(report.valueBytes) +
                     " without sharing";
  if (report.preparedBytes)
    text += "; " + megabytes(report.preparedBytes) + " prepared";
  return text;
}

static std::string ending(const NetworkReport &report) {
  std::string text = "the search ";
  text += report.stopReason ? "ended: " + trajectory::stopReasonWords(*report.stopReason).str()
                            : std::string("goes on, or was cut short");
  return text + number("; %.0f s", report.seconds);
}

std::string printNetworkText(const NetworkReport &report) {
  std::string out;
  raw_string_ostream os(out);
  os << summary(report) << "\n";
  if (std::string words = counted(report); !words.empty())
    os << words << "\n";
  os << "\n";
  size_t width = 12;
  size_t counts = 6;
  for (const NetworkTaskRow &row : report.tasks) {
    width = std::max(width, row.name.size() + 2);
    counts = std::max(counts, countOf(row).size() + 2);
  }
  os << left_justify("task", width) << right_justify("count", counts) << right_justify("share", 8)
     << right_justify("round 0", 12) << right_justify("best", 12) << right_justify("gain", 10)
     << right_justify("floor", 12) << right_justify("rounds", 8) << "  best branch\n";
  for (const NetworkTaskRow *row : byShare(report))
    os << left_justify(row->name, width) << right_justify(countOf(*row), counts) << right_justify(shareOf(*row), 8)
       << right_justify(timeOrDash(row->genericUs), 12) << right_justify(timeOrDash(row->bestUs), 12)
       << right_justify(gainOf(*row), 10) << right_justify(timeOrDash(row->floorUs), 12)
       << right_justify(std::to_string(row->rounds), 8) << "  " << branchOf(*row) << "\n";
  if (report.otherTasks)
    os << report.otherTasks << " tasks of other partitions were searched, too\n";
  os << "\n"
     << left_justify("network", 16) << left_justify("verdict", 10) << right_justify("total", 12)
     << right_justify("fresh", 12) << right_justify("as a graph", 12) << "\n";
  for (const NetworkRound &round : report.rounds)
    os << left_justify(round.id, 16) << left_justify(round.verdict, 10) << right_justify(timeOrDash(round.timeUs), 12)
       << right_justify(freshOf(round), 12) << right_justify(graphOf(round, report), 12) << describe(round) << "\n";
  for (const auto &[mode, us] : report.baselines)
    os << left_justify("PyTorch " + mode, 26) << right_justify(printTime(us), 12) << "\n";
  if (!report.sanitizer.empty())
    os << "compute-sanitizer: " << report.sanitizer << "\n";
  for (const std::string &warning : report.warnings)
    os << "warning: " << warning << "\n";
  os << ending(report) << "\n";
  return out;
}

std::string printNetworkMarkdown(const NetworkReport &report) {
  std::string out;
  raw_string_ostream os(out);
  os << "# " << report.problem << "\n\n" << summary(report) << ".\n\n";
  if (std::string words = counted(report); !words.empty())
    os << words << ".\n\n";
  os << "| task | count | share | round 0 | best | gain | floor | rounds | branches | best branch |\n"
     << "|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n";
  for (const NetworkTaskRow *row : byShare(report))
    os << "| " << row->name << " | " << countOf(*row) << " | " << shareOf(*row) << " | " << timeOrDash(row->genericUs)
       << " | " << timeOrDash(row->bestUs) << " | " << gainOf(*row) << " | " << timeOrDash(row->floorUs) << " | "
       << row->rounds << " | " << row->branches << " | " << branchOf(*row) << " |\n";
  if (report.otherTasks)
    os << "\n" << report.otherTasks << " tasks of other partitions were searched, too.\n";
  os << "\n| network | verdict | total | fresh | as a graph | partition |\n|---|---|---:|---:|---:|---|\n";
  for (const NetworkRound &round : report.rounds)
    os << "| " << round.id << " | " << round.verdict << (round.detail.empty() ? "" : ": " + round.detail) << " | "
       << timeOrDash(round.timeUs) << " | " << freshOf(round) << " | " << graphOf(round, report) << " | "
       << describePartition(round) << " |\n";
  for (const auto &[mode, us] : report.baselines)
    os << "| PyTorch " << mode << " | | " << printTime(us) << " | | | |\n";
  os << "\n";
  if (!report.sanitizer.empty())
    os << "compute-sanitizer: " << report.sanitizer << ".\n\n";
  for (const std::string &warning : report.warnings)
    os << "- warning: " << warning << "\n";
  os << (report.warnings.empty() ? "" : "\n") << ending(report) << ".\n";
  return out;
}

std::string printNetworkJson(const NetworkReport &report) {
  using trajectory::Json;
  Json root = {{"problem", report.problem},
               {"size", report.size},
               {"device", report.device},
               {"precision", report.precision},
               {"stop_reason", report.stopReason ? trajectory::stopReasonWords(*report.stopReason).str() : ""},
               {"seconds", report.seconds},
               {"steps", report.steps},
               {"launches", report.launches},
               {"arena_bytes", report.arenaBytes},
               {"value_bytes", report.valueBytes},
               {"best", report.bestId},
               {"best_us", report.bestUs},
               {"counted", report.prepareLaunches ? "prepared" : "all"},
               {"fresh_us", report.bestUs + report.prepareUs},
               {"graph_us", report.graphUs},
               {"prepare_launches", report.prepareLaunches},
               {"prepared_bytes", report.preparedBytes},
               {"generic_us", report.genericUs},
               {"floor_us", report.floorUs},
               {"baselines", report.baselines},
               {"sanitizer", report.sanitizer},
               {"warnings", report.warnings},
               {"tasks", Json::array()},
               {"rounds", Json::array()}};
  for (const NetworkTaskRow &row : report.tasks)
    root["tasks"].push_back({{"name", row.name},
                             {"count", row.count},
                             {"prepares", row.prepares},
                             {"precision", row.precision},
                             {"share", row.share},
                             {"generic_us", row.genericUs},
                             {"best_us", row.bestUs},
                             {"floor_us", row.floorUs},
                             {"rounds", row.rounds},
                             {"branches", row.branches},
                             {"best", row.bestId},
                             {"measured", row.inNetworkOnly ? "in the network only" : "alone"},
                             {"idea", row.idea},
                             {"settings", row.settings}});
  for (const NetworkRound &round : report.rounds)
    root["rounds"].push_back({{"id", round.id},
                              {"round", round.round},
                              {"verdict", round.verdict},
                              {"detail", round.detail},
                              {"partition", round.partition},
                              {"first_kernels", round.firsts},
                              {"time_us", round.timeUs},
                              {"fresh_us", round.timeUs + round.prepareUs},
                              {"graph_us", round.graphUs},
                              {"seconds", round.seconds}});
  return root.dump(1) + "\n";
}

std::string printNetworkHtml(const NetworkReport &report) {
  std::string out;
  raw_string_ostream os(out);
  os << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
     << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
     << "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
     << "<title>" << html::escape(report.problem) << "</title><style>" << html::style << "</style></head><body><main>\n"
     << "<h1>" << html::escape(report.problem) << "</h1>\n<p class=\"faint\">" << html::escape(summary(report))
     << "</p>\n<ul class=\"numbers\">";
  auto one = [&](const std::string &value, StringRef what) {
    os << "<li><b>" << value << "</b><span>" << what << "</span></li>";
  };
  one(html::time(report.bestUs), "best network");
  if (report.bestUs > 0 && report.genericUs > 0)
    one(number("%.2f×", report.genericUs / report.bestUs), "faster than round 0");
  for (const auto &[mode, us] : report.baselines)
    one(html::time(us), html::escape("PyTorch " + mode));
  if (report.prepareUs > 0)
    one(html::time(report.bestUs + report.prepareUs), "with weights prepared anew");
  if (report.graphUs > 0)
    one(html::time(report.graphUs), "as one CUDA graph");
  one(std::to_string(report.launches), "launches");
  one(megabytes(report.arenaBytes), "arena");
  os << "</ul>\n";
  if (std::string words = counted(report); !words.empty())
    os << "<p>" << html::escape(words) << "</p>\n";
  os << "<h2>Tasks</h2>\n<div class=\"wide\"><table><thead><tr><th>task</th><th class=\"n\">count</th>"
     << "<th class=\"n\">share</th><th class=\"n\">round 0</th><th class=\"n\">best</th><th class=\"n\">gain</th>"
     << "<th class=\"n\">floor</th><th class=\"n\">rounds</th><th>best branch</th><th>idea</th></tr></thead><tbody>\n";
  for (const NetworkTaskRow *row : byShare(report))
    os << "<tr><td class=\"id\">" << html::escape(row->name) << "</td><td class=\"n\">" << countOf(*row)
       << "</td><td class=\"n\">" << shareOf(*row) << "</td><td class=\"n\">" << html::time(row->genericUs)
       << "</td><td class=\"n\">" << html::time(row->bestUs) << "</td><td class=\"n\">" << gainOf(*row)
       << "</td><td class=\"n\">" << html::time(row->floorUs) << "</td><td class=\"n\">" << row->rounds
       << "</td><td class=\"id\">" << html::escape(row->bestId + (row->inNetworkOnly ? " (not measured alone)" : ""))
       << "</td><td class=\"idea\">" << html::escape(row->idea)
       << (row->settings.empty() ? "" : "<br><code>" + html::escape(row->settings) + "</code>") << "</td></tr>\n";
  os << "</tbody></table></div>\n";
  if (report.otherTasks)
    os << "<p class=\"faint\">" << report.otherTasks << " tasks of other partitions were searched, too</p>\n";
  os << "<h2>The network by round</h2>\n<div class=\"wide\"><table><thead><tr><th>network</th>"
     << "<th>verdict</th><th class=\"n\">total</th><th class=\"n\">fresh</th><th class=\"n\">as a graph</th><th "
        "class=\"n\">after</th></tr></thead><tbody>\n";
  for (const NetworkRound &round : report.rounds)
    os << "<tr" << (round.id == report.bestId ? " class=\"best\"" : "") << "><td class=\"id\">"
       << html::escape(round.id) << "</td><td><span class=\"" << (round.verdict == "PASS" ? "PASS" : "other") << "\">"
       << html::escape(round.verdict) << "</span> " << html::escape(describe(round)) << "</td><td class=\"n\">"
       << html::time(round.timeUs) << "</td><td class=\"n\">" << freshOf(round) << "</td><td class=\"n\">"
       << graphOf(round, report) << "</td><td class=\"n\">" << number("%.0f s", round.seconds) << "</td></tr>\n";
  os << "</tbody></table></div>\n";
  if (!report.warnings.empty()) {
    os << "<h2>Warnings</h2>\n<ul>";
    for (const std::string &warning : report.warnings)
      os << "<li>" << html::escape(warning) << "</li>";
    os << "</ul>\n";
  }
  os << "<p class=\"faint\">" << html::escape(ending(report)) << "</p>\n</main></body></html>\n";
  return out;
}

} // namespace kgen::report
