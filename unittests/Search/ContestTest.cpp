//===- ContestTest.cpp - Who of a round may be its best -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <deque>
#include <random>

using namespace kgen::search;

namespace {

/// Seconds that one look takes on a card: about those of conv_relu_maxpool on an H200 (docs/results/h200-cards.md).
struct Looks {
  double measure = 0.4, compare = 0.5, sanitize = 2.5;
};

/// A round on cards that are none, on a clock that is none: whoever is free takes the next job, as the pool gives it.
struct Site {
  std::vector<double> us;    ///< of each candidate on the reference
  std::vector<double> speed; ///< of each card, the first one is the reference; times are divided by it
  double bestUs = 1000;      ///< of round 0
  Looks looks;
  std::vector<bool> races; ///< which the sanitizer objects to; may be empty

  double seconds = 0;
  int retimed = 0, checked = 0, compared = 0;
  std::string best = "round 0";
  double busy = 0; ///< seconds of all cards together

  void run() {
    struct Job {
      int candidate;
      std::optional<Contest::Step> step;
    };
    struct Lane {
      std::optional<Job> job;
      double end = 0;
    };
    Contest contest(us.size(), best, bestUs);
    std::vector<Lane> lanes(speed.size());
    std::deque<Job> urgent, queue;
    for (int i = 0; i < int(us.size()); ++i)
      queue.push_back({i, std::nullopt});
    auto timeOf = [&](const std::string &id) { return id == "round 0" ? 1000 : us[std::stoi(id)]; };
    double bestSoFar = bestUs, leaderUs = 0;
    for (;;) {
      for (Contest::Step &step : contest.takeSteps())
        urgent.push_back({std::stoi(step.id), step});
      for (size_t l = 0; l < lanes.size(); ++l) {
        if (lanes[l].job)
          continue;
        auto next =
            llvm::find_if(urgent, [&](const Job &job) { return job.step->kind != Contest::Kind::Retime || l == 0; });
        if (next != urgent.end()) {
          lanes[l].job = *next;
          urgent.erase(next);
        } else if (!queue.empty()) {
          lanes[l].job = queue.front();
          queue.pop_front();
        } else {
          continue;
        }
        double takes = looks.measure;
        if (const auto &step = lanes[l].job->step)
          takes = step->kind == Contest::Kind::Check     ? looks.sanitize
                  : step->kind == Contest::Kind::Compare ? looks.compare
                                                         : looks.measure + looks.compare;
        lanes[l].end = seconds + takes;
        busy += takes;
      }
      Lane *first = nullptr;
      for (Lane &lane : lanes)
        if (lane.job && (!first || lane.end < first->end))
          first = &lane;
      if (!first)
        break;
      seconds = first->end;
      const Job job = *first->job;
      const double here = speed[first - lanes.data()];
      first->job.reset();
      if (!job.step) {
        contest.measured(std::to_string(job.candidate), us[job.candidate] / here);
        continue;
      }
      switch (job.step->kind) {
      case Contest::Kind::Retime:
        ++retimed;
        leaderUs = us[job.candidate];
        contest.retimed(leaderUs < bestSoFar ? Contest::Outcome::Best : Contest::Outcome::Lost, leaderUs);
        break;
      case Contest::Kind::Check:
        ++checked;
        contest.checked(races.empty() || !races[job.candidate]);
        break;
      case Contest::Kind::Compare:
        ++compared;
        contest.compared(job.step->id, timeOf(job.step->rival) / us[job.candidate]);
        break;
      }
      if (contest.leaderIsKnown() && contest.settleLeader() == Contest::Outcome::Best) {
        best = job.step->id;
        bestSoFar = leaderUs;
      }
    }
    EXPECT_TRUE(contest.isOver());
  }
};

std::vector<double> drawTimes(int count, unsigned seed, double low = 100, double high = 900) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> times(low, high);
  std::vector<double> us;
  for (int i = 0; i < count; ++i)
    us.push_back(times(random));
  return us;
}

std::string fastestOf(const std::vector<double> &us) {
  return std::to_string(std::min_element(us.begin(), us.end()) - us.begin());
}

TEST(Contest, FourCardsTakeAQuarterOfTheTime) {
  // Of one card: what measuring one after the other takes, where each new best is compared and checked at once.
  auto inTurn = [](const std::vector<double> &us) {
    const Looks looks;
    double best = 1000, seconds = 0;
    for (double time : us) {
      seconds += looks.measure;
      if (time < best) {
        seconds += looks.compare + looks.sanitize;
        best = time;
      }
    }
    return seconds;
  };
  double one = 0, alone = 0;
  std::map<int, double> seconds;
  constexpr int rounds = 200, candidates = 64;
  for (int seed = 0; seed < rounds; ++seed) {
    const std::vector<double> us = drawTimes(candidates, seed);
    one += inTurn(us);
    for (int cards : {1, 2, 4}) {
      Site site{us, std::vector<double>(cards, 1)};
      site.run();
      EXPECT_EQ(site.best, fastestOf(us)) << seed;
      // Nobody waits but at the end, for the looks at the last two leaders.
      EXPECT_LE(site.seconds, site.busy / cards + 2 * site.looks.sanitize) << seed;
      seconds[cards] += site.seconds;
      alone += cards == 4 ? site.busy : 0;
    }
  }
  auto perMinute = [&](double all) { return 60 * rounds * candidates / all; };
  llvm::outs() << llvm::formatv("a minute: one by one {0:f0}; by the contest 1 card {1:f0}, 2 cards {2:f0}, 4 cards "
                                "{3:f0}; 4 cards are busy {4:f1} % of it\n",
                                perMinute(one), perMinute(seconds[1]), perMinute(seconds[2]), perMinute(seconds[4]),
                                25 * alone / seconds[4]);
  llvm::outs().flush();
  EXPECT_GT(one / seconds[4], 3.6);
  EXPECT_GT(one / seconds[2], 1.8);
}

TEST(Contest, TakesTheSecondsThatItShould) {
  // 40 candidates on 4 cards, the fifth the fastest by far: 10 x 0.4 s of measuring for each. After half of them, at
  // 2 s, the reference has 0.9 s with it and another card 2.5 s. Together (40 x 0.4 + 0.9 + 2.5) / 4 = 4.85, in steps
  // of 0.4 s, and nobody waits at the end.
  std::vector<double> us(40, 500);
  us[4] = 100;
  Site site{us, {1, 1, 1, 1}};
  site.run();
  EXPECT_EQ(site.best, "4");
  EXPECT_EQ(site.retimed, 1);
  EXPECT_EQ(site.checked, 1);
  EXPECT_EQ(site.compared, 0);
  EXPECT_NEAR(site.seconds, 4.9, 0.21);
  // The last one the fastest: it is seen after 4 s, and nothing is left to do beside it but what the first leader
  // costs.
  std::swap(us[4], us[39]);
  us[0] = 400;
  Site late{us, {1, 1, 1, 1}};
  late.run();
  EXPECT_EQ(late.best, "39");
  EXPECT_EQ(late.retimed, 2);
  EXPECT_NEAR(late.seconds, 4.9 + 2.5, 0.41);
}

TEST(Contest, AFasterCardDoesNotWin) {
  // The card beside the reference is 3 % faster, and nobody is faster than the best.
  std::vector<double> us(16, 1001);
  Site site{us, {1, 1.03}};
  site.run();
  EXPECT_EQ(site.best, "round 0");
  EXPECT_LE(site.retimed, 6);
  EXPECT_LE(site.compared, 12);
  // It finds one 2 % faster than all others, which is slower.
  us.assign(16, 500);
  us[1] = 504;
  Site other{us, {1, 1.03}};
  other.run();
  EXPECT_NE(other.best, "1");
}

TEST(Contest, ThoseAboutAsFastMeetOnAnyCard) {
  // All within 1 %: the first leader, then who won beside it.
  std::vector<double> us;
  for (int i = 0; i < 16; ++i)
    us.push_back(500 - 0.2 * i);
  Site site{us, {1, 1, 1, 1}};
  site.run();
  EXPECT_EQ(site.best, "15");
  EXPECT_GT(site.compared, 2);
  EXPECT_LE(site.compared, 12);
  EXPECT_EQ(site.retimed, 2);
  // 4 x 0.4 s of measuring, and what the sanitizer takes for two leaders. Most comparisons lie beside it.
  EXPECT_LT(site.seconds, 1.6 + 2 * 2.5 + 2 * 0.5 + 0.01);
}

TEST(Contest, WhoRacesDoesNotWinAndSaysNothingOfOthers) {
  std::vector<double> us(16, 500);
  us[3] = 100;
  us[9] = 100.5; // about as fast, and right
  us[12] = 101;
  Site site{us, {1, 1, 1, 1}};
  site.races.assign(16, false);
  site.races[3] = true;
  site.run();
  EXPECT_EQ(site.best, "9");
}

TEST(Contest, SmallRoundsAndWhatEarlierProcessesMeasured) {
  Contest contest(2, "b0", 1000);
  contest.measured("x", 300, /*wasExpected=*/false);
  contest.measured("y", 400);
  EXPECT_TRUE(contest.takeSteps().empty()) << "one more is measured";
  EXPECT_FALSE(contest.isOver());
  contest.failed();
  auto steps = contest.takeSteps();
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].id, "x");
  EXPECT_EQ(steps[0].kind, Contest::Kind::Retime);
  EXPECT_EQ(steps[1].kind, Contest::Kind::Check);
  EXPECT_TRUE(contest.takeSteps().empty()) << "each step is named once";
  contest.checked(true);
  EXPECT_FALSE(contest.leaderIsKnown());
  contest.retimed(Contest::Outcome::Best, 310);
  ASSERT_TRUE(contest.leaderIsKnown());
  EXPECT_EQ(contest.settleLeader(), Contest::Outcome::Best);
  EXPECT_TRUE(contest.takeSteps().empty());
  EXPECT_TRUE(contest.isOver());
  EXPECT_EQ(contest.getPassedOver(), std::vector<std::string>{"y"});
}

} // namespace
