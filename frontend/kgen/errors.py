"""What the importer says when it cannot go on."""


class ImportRefused(Exception):
    """One sentence, with the place, that a user can act on."""
