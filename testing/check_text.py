#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Compare greedy text with libllama's: ten prompts, with one thread and with two, each twice.

usage: check_text.py [MODEL] [LIBDIR] [--tokens 100] [--synthetic]      (MODEL: the one that ships)

Both sides go on beyond the end of a turn, so that all tokens are compared; `chat` must give the text up to there. `--synthetic` adds two
models of random weights: three layers, wide heads, the vocabulary of the one that ships, and Qwen3's own vocabulary of 151,936, whose texts
are noise in many scripts. Exit 1 where anything differs."""
import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from synth import SHAPES, synth  # noqa: E402
from tokenizer_oracle import VocabularyMissing, qwen3_vocab  # noqa: E402

from savante import Qwen3  # noqa: E402
from savante.llama import Llama  # noqa: E402

TINY = ROOT / "savante" / "data" / "tiny.gguf"
PROMPTS = [
    "What is 7 + 5?", "What is the capital of France?", "What is the opposite of hot?", "What does a cow say?", "Spell the word cat.",
    "Count from 3 to 9.", "Which is larger, 41 or 14?", "Who are you?", "Tell me a story about a girl named Anna and a ball.",
    "Привет, 你好, 🙂!",
]


def synthetic(name, vocab):
    "A synthetic model that has words. Its output is its own: where the embedding serves twice, random weights repeat the last token."
    path = ROOT / ".models" / f"text-{name}.gguf"
    return path if path.exists() else synth(path, **{**SHAPES[name], "n_vocab": None, "tied": False}, vocab=vocab, seed=6)


def greedy(model, ids, n):
    "`n` ids, each the first maximum of the logits, whatever they mean."
    model.reset()
    out, logits = [], model.forward(ids)
    for _ in range(n):
        out.append(int(np.argmax(logits)))
        if len(out) < n: logits = model.forward(out[-1:])
    return out


def check(path, libdir, n):
    "How many runs on one model differ."
    bad = 0
    with Llama(path, libdir, n_ctx=1024) as llama:
        models = {f"{k} thread{'s'[:k - 1]}": Qwen3.load(path, n_ctx=1024, n_threads=k) for k in (1, 2)}
        for prompt in PROMPTS:
            text = f"<|im_start|>user\n{prompt}<|im_end|>\n<|im_start|>assistant\n"
            llama.clear()
            ids = llama.tokenize(text)
            want = llama.greedy(ids, n)
            for name, m in models.items():
                ends = next((i for i, t in enumerate(want) if t in m.tokenizer.eog_ids), n)
                written = b"".join(llama.piece(i, special=False) for i in want[:ends]).decode("utf-8", "replace")
                for run in (1, 2):
                    same = m.tokenizer.encode(text) == ids and greedy(m, ids, n) == want
                    said = "".join(m.chat([{"role": "user", "content": prompt}], max_tokens=n))
                    same = same and said == written
                    bad += not same
                    what = f"{name}, run {run}: {prompt!r} -> {said!r:.100}, {n} ids, {len(set(want))} distinct"
                    print(f"{'same' if same else 'DIFFERENT'}  {what}", flush=True)
    return bad


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    ap.add_argument("model", nargs="?", default=TINY, help="a GGUF file with a vocabulary")
    ap.add_argument("libdir", nargs="?", help="the oracle's folder; else LIBDIR or what get_oracle.py fetched")
    ap.add_argument("--tokens", type=int, default=100, help="how many each prompt is continued by")
    ap.add_argument("--synthetic", action="store_true", help="two synthetic models, too")
    a = ap.parse_args()
    paths, bad = [Path(a.model)], 0
    if a.synthetic: paths += [synthetic("wide-heads", TINY), synthetic("w512", qwen3_vocab())]
    for path in paths:
        print(f"{path.name}: {a.tokens} tokens")
        bad += check(path, a.libdir, a.tokens)
    print(f"{len(paths)} models, {len(PROMPTS)} prompts each, {a.tokens} tokens: {bad} runs differ")
    sys.exit(bad > 0)


if __name__ == "__main__":
    try: main()
    except (ValueError, OSError, RuntimeError, VocabularyMissing) as e: sys.exit(f"{Path(__file__).name}: {e}")
