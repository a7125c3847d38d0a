# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who gets which op: cards that are dealt out, so that every op, and every choice of its attributes, comes up about evenly.

With independent draws one op of two hundred is missing from every other run of as many calls. Here a deck holds each line of the
table as often as it weighs, decks are dealt one after the other, and a graph's hand is known from the seed and its number alone:
how many calls the graphs before it have is told by a table of lengths, of which each block of graphs has every one once.
"""
import functools
import itertools
import random
from dataclasses import dataclass

# How many calls the graphs of a block have, in an order of its own: about 1 and an exponential number of mean 3.5.
LENGTHS = (1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 9, 11, 14)
# Calls behind the aimed one: an aimed graph is large as it is.
AIMED_LENGTHS = (0, 1, 1, 2, 2, 3, 3, 3)


@dataclass(frozen=True)
class Card:
    """A line of the table; how many cards of the same line were dealt before, over all graphs."""

    line: str
    number: int


@functools.lru_cache(maxsize=64)
def _deck(key, number, names, weights):
    """Deck NUMBER: every one of NAMES as often as it weighs, shuffled."""
    cards = []
    for name, weight in zip(names, weights):
        cards += [Card(name, number * weight + copy) for copy in range(weight)]
    random.Random(f"{key}:deck:{number}").shuffle(cards)
    # The copies of a line in the order in which they are dealt.
    seen = {}
    for card in cards:
        seen.setdefault(card.line, []).append(card.number)
    following = {line: iter(sorted(numbers)) for line, numbers in seen.items()}
    return [Card(card.line, next(following[card.line])) for card in cards]


def card(key, place, names, weights):
    """The card at PLACE of the endless row of decks that KEY stands for. WEIGHTS: by name; 1 if there is none."""
    names = tuple(names)
    weights = tuple(weights.get(name, 1) for name in names)
    deck, place = divmod(place, sum(weights))
    return _deck(key, deck, names, weights)[place]


def hand(key, index, lengths, names, weights):
    """The cards of graph INDEX, where each block of as many graphs as there are LENGTHS has each of them once."""
    block, place = divmod(index, len(lengths))
    order = random.Random(f"{key}:block:{block}").sample(lengths, len(lengths))
    first = block * sum(lengths) + sum(order[:place])
    return [card(key, first + i, names, weights) for i in range(order[place])]


def aimed_before(seed, index, share):
    """How many of the graphs before INDEX are aimed: a SHARE of any row of them, but for one."""
    return int((index + random.Random(f"aim:{seed}").random()) * share)


class Rotation:
    """Choices of a card's attributes: each choice goes through what there is to choose in an order of its own, one after the other of
    the cards of that line, and then again in another order."""

    def __init__(self, key, dealt):
        self._key, self._number = f"{key}:{dealt.line}", dealt.number
        self._choices = itertools.count()

    def place(self, count):
        """One of COUNT places."""
        turn, place = divmod(self._number, count)
        order = list(range(count))
        random.Random(f"{self._key}:{next(self._choices)}:{count}:{turn}").shuffle(order)
        return order[place]
