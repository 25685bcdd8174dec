#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Compare logits of the whole model with libllama's, bit for bit, over a covering set of shapes, prompts, chunks and oracle threads.

usage: check_logits.py [LIBDIR] [--shapes NAME ...] [--threads N ...]

Each line is one run on both sides: prompt lengths, the same prompt in chunks, decoding step by step past 256 and 512 cached tokens.
Savante's `kv_splits` is the oracle's thread count. Exit 1 where a bit differs. Takes a few minutes on 2 cores: more oracle threads
than cores cost it tenths of a second a token."""
import argparse
import sys
import time
import zlib
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from synth import SHAPES, synth  # noqa: E402

from savante.check import compare  # noqa: E402
from savante.llama import Llama  # noqa: E402
from savante.qwen3 import Model  # noqa: E402

COVER = {
    "1 layer, 1 head of 128, tied": SHAPES["one"],
    "2 layers, 4/2 heads of 64, untied": SHAPES["s64"],
    "2 layers, 8/4 heads of 64, YaRN": {**SHAPES["s64"], "n_head": 8, "n_head_kv": 4, "tied": True, "yarn": True},
    "2 layers, 4/2 heads of 128, YaRN": SHAPES["s128"],
    "3 layers, 4 heads of 128 on 384, YaRN": SHAPES["wide-heads"],
    "28 layers, 4/2 heads of 128, untied, YaRN": {**SHAPES["deep"], "tied": False},
}
PROMPTS = [[n] for n in (1, 2, 63, 64, 65, 150, 512, 513, 700)]
CHUNKS = [[64, 1, 40]]
STEPS = [[254] + [1] * 4, [510] + [1] * 4]  # across 256 | 257 and 512 | 513 cached tokens
N_CTX = 1024


def model_file(name, shape):
    "The synthetic model of a shape, made once."
    path = ROOT / ".models" / f"cover-{zlib.crc32(repr((name, sorted(shape.items()))).encode()):08x}.gguf"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        synth(path, **shape, seed=zlib.crc32(name.encode()))
    return path


def ids_for(n, n_vocab): return np.random.default_rng(n).integers(0, n_vocab, n).astype(np.int32)


def compare_run(model, llama, chunks, every_row):
    "Feed the same chunks to both; the comparison of all logits."
    ids = ids_for(sum(chunks), model.config.n_vocab)
    model.reset(), llama.clear()
    got, want, at = [], [], 0
    for n in chunks:
        part = ids[at:at + n]
        got.append(np.atleast_2d(model.forward(part, all=every_row)))
        want.append(np.atleast_2d(llama.decode(part.tolist(), all=every_row)))
        at += n
    return compare(np.concatenate(got), np.concatenate(want))


def runs(deep, threads):
    "(chunks, whether every row's logits are compared): all of them at one thread, what depends on threads at more."
    if deep: return [([65], True), ([254, 1, 1, 1], False)] if threads <= 2 else [([257], False)]
    if threads == 1: return [(c, rows) for c in PROMPTS + CHUNKS for rows in (True, False)] + [(c, False) for c in STEPS]
    return [(c, False) for c in [[150], [513]] + CHUNKS + STEPS]


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    ap.add_argument("libdir", nargs="?", help="the oracle's folder; else LIBDIR or what get_oracle.py fetched")
    ap.add_argument("--shapes", nargs="*", help="only shapes whose description contains one of these")
    ap.add_argument("--threads", type=int, nargs="*", default=[1, 2, 3, 4], help="oracle threads")
    a = ap.parse_args()
    start, n_runs, n_logits, bad = time.perf_counter(), 0, 0, 0
    for name, shape in COVER.items():
        if a.shapes and not any(s in name for s in a.shapes): continue
        path = model_file(name, shape)
        for threads in a.threads:
            with Llama(path, a.libdir, n_ctx=N_CTX, n_threads=threads, n_threads_batch=2) as llama:
                model = Model.open(path, n_ctx=N_CTX, kv_splits=threads)
                for chunks, every_row in runs(shape["n_layer"] > 8, threads):
                    report = compare_run(model, llama, chunks, every_row)
                    n_runs, n_logits, bad = n_runs + 1, n_logits + report.n, bad + (not report.equal)
                    what = "+".join(map(str, chunks)) + (" every row" if every_row else "")
                    print(f"{name:42s} {threads} oracle threads  {what:24s} {report}", flush=True)
    print(f"{n_runs} runs, {n_logits:,} logits, {bad} runs differ; {time.perf_counter() - start:.0f} s")
    sys.exit(bad > 0 or n_runs == 0)


if __name__ == "__main__":
    try: main()
    except (ValueError, OSError, RuntimeError) as e: sys.exit(f"{Path(__file__).name}: {e}")
