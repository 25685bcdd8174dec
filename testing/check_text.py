#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Compare greedy text with libllama's: 100 tokens on ten prompts, with one thread and with two, each twice.

usage: check_text.py [MODEL] [LIBDIR]      (MODEL: the one that ships)

Beyond the end of the turn both sides go on, so that 100 tokens are compared; `chat` must give the text up to there. Exit 1 where anything differs."""
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from savante import Qwen3  # noqa: E402
from savante.llama import Llama  # noqa: E402

PROMPTS = ["What is 7 + 5?", "What is the capital of France?", "What is the opposite of hot?", "What does a cow say?", "Spell the word cat.",
           "Count from 3 to 9.", "Which is larger, 41 or 14?", "Who are you?", "Tell me a story about a girl named Anna and a ball.", "Привет, 你好, 🙂!"]
N = 100


def greedy(model, ids):
    "`N` ids, each the first maximum of the logits, whatever they mean."
    model.reset()
    out, logits = [], model.forward(ids)
    for _ in range(N):
        out.append(int(np.argmax(logits)))
        if len(out) < N: logits = model.forward(out[-1:])
    return out


def main(argv):
    path = Path(argv[0]) if argv else Path(__file__).resolve().parent.parent / "savante" / "data" / "tiny.gguf"
    bad = 0
    with Llama(path, *argv[1:2], n_ctx=1024) as llama:
        models = {f"{n} thread{'s'[:n - 1]}": Qwen3.load(path, n_ctx=1024, n_threads=n) for n in (1, 2)}
        for prompt in PROMPTS:
            text = f"<|im_start|>user\n{prompt}<|im_end|>\n<|im_start|>assistant\n"
            llama.clear()
            ids = llama.tokenize(text)
            want = llama.greedy(ids, N)
            for name, m in models.items():
                for run in (1, 2):
                    same = m.tokenizer.encode(text) == ids and greedy(m, ids) == want
                    ends = next((i for i, t in enumerate(want) if t in m.tokenizer.eog_ids), N)
                    said = "".join(m.chat([{"role": "user", "content": prompt}], max_tokens=N))
                    same = same and said == m.tokenizer.decode(want[:ends])
                    bad += not same
                    print(f"{'same' if same else 'DIFFERENT'}  {name}, run {run}: {prompt!r} -> {said!r}, {N} ids", flush=True)
    print(f"{len(PROMPTS)} prompts, {bad} runs differ")
    sys.exit(bad > 0)


if __name__ == "__main__":
    try: main(sys.argv[1:])
    except (ValueError, OSError, RuntimeError) as e: sys.exit(f"{Path(__file__).name}: {e}")
