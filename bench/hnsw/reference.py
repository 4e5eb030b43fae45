"""hnswlib for Python, one thread: does what lines of JSON on stdin say, and answers each with a line of JSON."""

import json
import platform
import sys
import time
from importlib.metadata import version

import hnswlib
import numpy


class Reference:
    def build(self, file, dimensions, m, efConstruction, seed):
        self.index = None
        self.vectors = numpy.fromfile(file, dtype=numpy.float32).reshape(-1, dimensions)
        started = time.process_time()
        self.index = hnswlib.Index(space="ip", dim=dimensions)
        self.index.init_index(len(self.vectors), M=m, ef_construction=efConstruction, random_seed=seed)
        self.index.set_num_threads(1)
        self.index.add_items(self.vectors, num_threads=1)
        return time.process_time() - started

    def search(self, rows, k, efSearch):
        self.index.set_ef(efSearch)
        found = [self.index.knn_query(self.vectors[row], k=k, num_threads=1) for row in rows]
        return [{"distances": distances[0].tolist()} for _, distances in found]

    def time(self, rows, k, efSearch, rounds):
        self.index.set_ef(efSearch)
        queries = [self.vectors[row] for row in rows]
        started = time.process_time()
        for _ in range(rounds):
            for query in queries:
                self.index.knn_query(query, k=k, num_threads=1)
        return (time.process_time() - started) * 1e6 / (rounds * len(queries))

    def load(self, file):
        self.index.save_index(file)
        started = time.perf_counter()
        hnswlib.Index(space="ip", dim=self.index.dim).load_index(file)
        return (time.perf_counter() - started) * 1e3


def say(answer):
    print(json.dumps(answer), flush=True)


reference = Reference()
say({"python": platform.python_version(), "hnswlib": version("hnswlib"), "numpy": numpy.__version__})
for line in sys.stdin:
    given = json.loads(line)
    say(getattr(reference, given.pop("task"))(**given))
