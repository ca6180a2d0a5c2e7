"""Python's garbage collector in processes that make and drop documents by the thousand."""

import gc

# New objects before it looks for cycles: all of a share's documents, rows and statements, which have none and go when
# they are done with. By its own measure, 700, it looks at some of them a hundred times, for longer than their work.
NEW_OBJECTS = 50_000
# Lookings at the new before one at the middle-aged, and of those before one at everything.
GENERATIONS = (20, 20)


def spare_loaded_code() -> None:
    """Have the collector leave alone what is here now, and look at the rest seldom. For the start of a worker."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, *GENERATIONS)
