#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Damaged and odd GGUF files by the thousand: each must be opened, or refused in one line. Nothing else may happen.

usage: fuzz_gguf.py [--files 100000] [--seed S] [--seconds N] [--only I] [--keep FILE]

A file begins as one of four sound ones (the header of the model that ships, a small model with words, one without, one made field by
field of odd values), then one to four things happen to it: bits flip, a length, count, type or offset becomes a boundary value, bytes
vanish or come in, sections are doubled, dropped or swapped, the end is cut off. A child with a memory limit opens each with
`savante.gguf.open_model`; what opens is run for one token, and its tokenizer and chat template are tried. File I of seed S is the same on
any machine: `--only I` runs it alone, `--keep` writes it. Exit 1 for anything but a model or a ValueError of one printable line: another
exception, a crash, 20 seconds, 512 MB."""
import argparse
import linecache
import mmap
import multiprocessing
import os
import random
import re
import resource
import struct
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
TINY = ROOT / "savante" / "data" / "tiny.gguf"
MEMORY, PATIENCE = 512 << 20, 20

U8, I8, U16, I16, U32, I32, F32, BOOL, STR, ARR, U64, I64, F64 = range(13)
FORMATS = {U8: "<B", I8: "<b", U16: "<H", I16: "<h", U32: "<I", I32: "<i", F32: "<f", BOOL: "<B", U64: "<Q", I64: "<q", F64: "<d"}
BOUNDS = [0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 1000, 4096, 65535, 65536, 2**20, 2**24, 2**30, 2**31 - 1,
    2**31,
          2**32 - 1, 2**32, 2**40, 2**48, 2**62, 2**63 - 1, 2**63, 2**64 - 32, 2**64 - 1]
NUMBERS = [0, 1, -1, 2, 3, 31, 32, 64, 96, 127, 128, 129, 255, 256, 512, 4096, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1,
           0.5, 1e-6, 1e6, 1e38, -0.0, float("nan"), float("inf"), -float("inf")]
TEXTS = [b"", b"qwen3", b"qwen2", b"llama", b"gpt2", b"none", b"no_vocab", b"yarn", b"linear", b"longrope", b"\xff\xfe", b"a\nb",
         b"\x1b[2J\r\n", b"\0", "\u2028\u202e🙂".encode(), b"x" * 300, b"{{ x", b"{{ ''.__class__ }}", b"[PAD0]", b"Q1_0"]
MORE_KEYS = [b"x.y", b"", b"a\nb", b"\xff", b"split.count", b"qwen3.nextn_predict_layers", b"qwen3.attention.causal",
    b"qwen3.rope.scale_linear",
             b"general.alignment", b"qwen3.vocab_size"]
KINDS = [*range(0, 45), 142, 255, 2**31, 2**32 - 1]


def number(kind, value):
    "A number of a GGUF type, wrapped or cut where it does not fit."
    if kind in (F32, F64):
        try: return struct.pack(FORMATS[kind], value)
        except OverflowError: return struct.pack(FORMATS[kind], float("inf"))
    size = struct.calcsize(FORMATS[kind])
    whole = int(value) if value == value and abs(value) != float("inf") else 0
    return (whole % (1 << 8 * size)).to_bytes(size, "little")


def text(raw): return struct.pack("<Q", len(raw)) + raw


def packed(kind, value):
    "The bytes of a value; an array is (type of its elements, list)."
    if kind == STR: return text(value)
    if kind == ARR: return struct.pack("<IQ", value[0], len(value[1])) + b"".join(packed(value[0], v) for v in value[1])
    return number(kind, value) if kind in FORMATS else b""


class Sections:
    "A GGUF file in pieces: what stands before the data, and how much data there is."
    def __init__(self, head, pairs, tensors, size, data=b""):
        self.head, self.pairs, self.tensors, self.size, self.data = bytearray(head), pairs, tensors, size, data
    def copy(self): return Sections(self.head, list(self.pairs), list(self.tensors), self.size, self.data)
    def header(self): return bytes(self.head) + b"".join(self.pairs) + b"".join(self.tensors)


def file_of(kv, tensors, version=3, alignment=32):
    "A file of pairs (key, type, value) and tensors (name, dims, type, bytes): offsets, paddings and counts as they should be."
    pairs = [text(k) + struct.pack("<I", kind) + packed(kind, v) for k, kind, v in kv]
    table, at = [], 0
    for name, dims, kind, nbytes in tensors:
        table.append(text(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *(d % 2**64 for d in dims), kind, at % 2**64))
        at += -(-nbytes // alignment) * alignment
    s = Sections(b"GGUF" + struct.pack("<IQQ", version, len(table), len(pairs)), pairs, table, 0)
    s.size = -(-len(s.header()) // alignment) * alignment + min(at, 1 << 40)
    return s


def qwen3(words, n_layer=1, d=128, heads=2, kv_heads=1, hd=64, ff=128, n_vocab=260, tied=True):
    "A small model: pairs and tensors for `file_of`."
    kv = [(b"general.architecture", STR, b"qwen3"), (b"general.name", STR, b"small"), (b"general.alignment", U32, 32)]
    sizes = {"block_count": n_layer, "context_length": 64, "embedding_length": d, "feed_forward_length": ff, "attention.head_count": heads,
             "attention.head_count_kv": kv_heads, "attention.key_length": hd, "attention.value_length": hd}
    kv += [(key.encode(), U32, v) for key, v in sizes.items()]
    kv += [(b"attention.layer_norm_rms_epsilon", F32, 1e-6), (b"rope.freq_base", F32, 1e6), (b"rope.dimension_count", U32, hd)]
    if words:
        kv += [(b"rope.scaling.type", STR, b"yarn"), (b"rope.scaling.factor", F32, 4.), (b"rope.scaling.original_context_length", U32, 32)]
    kv = kv[:3] + [(b"qwen3." + key, kind, v) for key, kind, v in kv[3:]]
    if words:
        letters = [chr(b if 33 <= b < 127 or 161 <= b < 173 or b > 173 else 256 + b).encode() for b in range(256)]
        tokens = letters + [b"ab", b"abc", b"<|im_end|>", b"<think>"]
        kv += [(b"tokenizer.ggml.model", STR, b"gpt2"), (b"tokenizer.ggml.pre", STR, b"qwen2"),
               (b"tokenizer.ggml.tokens", ARR, (STR, tokens)), (b"tokenizer.ggml.merges", ARR, (STR, [b"a b", b"ab c"])),
               (b"tokenizer.ggml.token_type", ARR, (I32, [1] * 258 + [3, 4])),
               (b"tokenizer.ggml.eos_token_id", U32, 258), (b"tokenizer.ggml.add_bos_token", BOOL, 0),
               (b"tokenizer.chat_template", STR, b"{% for m in messages %}{{ m.content }}{% endfor %}")]
    else: kv += [(b"tokenizer.ggml.model", STR, b"none"), (b"qwen3.vocab_size", U32, n_vocab)]
    q, k = heads * hd, kv_heads * hd
    shapes = {"token_embd": [d, n_vocab], "output_norm": [d]} | ({} if tied else {"output": [d, n_vocab]})
    for i in range(n_layer):
        layer = dict(attn_norm=[d], attn_q=[d, q], attn_k=[d, k], attn_v=[d, k], attn_q_norm=[hd], attn_k_norm=[hd], attn_output=[q, d],
                     ffn_norm=[d], ffn_gate=[d, ff], ffn_up=[d, ff], ffn_down=[ff, d])
        shapes |= {f"blk.{i}.{name}": shape for name, shape in layer.items()}
    stored = lambda s: (41, s[0] // 128 * 18 * s[1]) if len(s) == 2 else (0, 4 * s[0])
    return kv, [(f"{name}.weight".encode(), s, *stored(s)) for name, s in shapes.items()]


def odd(rng):
    "A model made field by field, where a few fields are something else."
    kv, tensors = qwen3(rng.random() < .5, n_layer=rng.choice([1, 1, 2]), tied=rng.random() < .7)
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        i = rng.randrange(len(kv))
        key, kind, value = kv[i]
        what = rng.randrange(8)
        if what < 2 and kind in FORMATS: kv[i] = key, kind, rng.choice(NUMBERS)
        elif what < 3: kv[i] = key, rng.choice(list(FORMATS)), rng.choice(NUMBERS) if kind not in FORMATS or rng.random() < .5 else value
        elif what < 4: kv[i] = key, STR, rng.choice(TEXTS)
        elif what < 5:
            new = rng.choice([*FORMATS, STR, STR])
            kv[i] = key, ARR, (new, [rng.choice(TEXTS if new == STR else NUMBERS) for _ in range(rng.choice([0, 1, 2, 260]))])
        elif what < 6 and kind == ARR:
            items = list(value[1])
            for _ in range(rng.randrange(1, 4) * bool(items)):
                items[rng.randrange(len(items))] = rng.choice(items if rng.random() < .3 else TEXTS if value[0] == STR else NUMBERS)
            kv[i] = key, ARR, (value[0], items[:rng.choice([len(items), len(items) - 1, len(items) // 2])])
        elif what < 7: del kv[i]
        else: kv.insert(i, (rng.choice([*MORE_KEYS, key]), rng.choice([U32, F32, BOOL, I64]), rng.choice(NUMBERS)))
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        i = rng.randrange(len(tensors))
        name, dims, kind, nbytes = tensors[i]
        what = rng.randrange(6)
        if what < 1: tensors[i] = name, dims, rng.choice(KINDS), nbytes
        elif what < 2: tensors[i] = name, [rng.choice([*BOUNDS, d, d, 2 * d]) for d in dims], kind, nbytes
        elif what < 3: tensors[i] = name, (dims + [1, 1, 1, 1, 1])[:rng.randrange(6)], kind, nbytes
        elif what < 4: tensors[i] = rng.choice([*TEXTS, name, b"rope_freqs.weight", b"output.weight"]), dims, kind, nbytes
        elif what < 5: del tensors[i]
        else: tensors[i] = name, dims, kind, rng.choice([nbytes // 2, nbytes * 2, nbytes + 32, nbytes * 8 // 9])
    return file_of(kv, tensors, rng.choice([3, 3, 3, 3, 2]), rng.choice([32, 32, 32, 32, 64, 16]))


def of_file(path):
    "The sections of a sound file, by a walk of our own."
    raw = path.read_bytes()
    n_tensors, n_kv = struct.unpack_from("<QQ", raw, 8)
    at = 24
    def skip(kind):
        nonlocal at
        if kind == STR: at += 8 + struct.unpack_from("<Q", raw, at)[0]
        elif kind == ARR:
            of, n = struct.unpack_from("<IQ", raw, at)
            at += 12
            for _ in range(n): skip(of)
        else: at += struct.calcsize(FORMATS[kind])
    def section(tensor):
        nonlocal at
        start = at
        skip(STR)
        kind = struct.unpack_from("<I", raw, at)[0]
        at += 4
        if tensor: at += 8 * kind + 12
        else: skip(kind)
        return raw[start:at]
    pairs = [section(False) for _ in range(n_kv)]
    tensors = [section(True) for _ in range(n_tensors)]
    return Sections(raw[:24], pairs, tensors, len(raw))


def boundary(rng, raw, at, size, spare):
    "`raw` with a number of `size` bytes at `at` near where limits are."
    old = int.from_bytes(raw[at:at + size], "little")
    near = old + rng.choice([-32, -8, -2, -1, 1, 2, 8, 32])
    new = rng.choice([rng.choice(BOUNDS), rng.choice(BOUNDS), near, near, 2 * old, spare, spare + 1, rng.getrandbits(8 * size)])
    return raw[:at] + (new % (1 << 8 * size)).to_bytes(size, "little") + raw[at + size:]


def damage_section(rng, raw, tensor, spare):
    "A length, type, count or dimension of a pair or of a tensor's entry becomes another."
    n = 8 + struct.unpack_from("<Q", raw)[0]
    if n + 12 > len(raw): return boundary(rng, raw, 0, 8, spare) # for the second time: its length is what is wrong already
    if tensor:
        dims = min(struct.unpack_from("<I", raw, n)[0], 4)
        size = n + 4 + 8 * rng.randrange(max(dims, 1)), 8
        return boundary(rng, raw, *rng.choice([(0, 8), (n, 4), (len(raw) - 8, 8), (len(raw) - 12, 4), size, size]), spare)
    kind = struct.unpack_from("<I", raw, n)[0]
    places = [(0, 8), (n, 4), (n, 1), (n + 4, min(8, len(raw) - n - 4))]
    if kind == STR: places.append((n + 4, 8))
    if kind == ARR:
        places += [(n + 4, 4), (n + 8, 8)]
        if raw[n + 4] == STR: places += [(n + 16, 8)]
    return boundary(rng, raw, *rng.choice(places), spare)


def mutate(rng, s):
    "Something happens to the sections; the bytes before the data, and the size of the file."
    end, flips, cut = s.size, [], None
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 4])):
        what, part = rng.randrange(12), rng.choice([s.pairs, s.pairs, s.tensors])
        i = rng.randrange(len(part)) if part else None
        spare = s.size - len(s.head)
        if what == 0: s.head = bytearray(boundary(rng, bytes(s.head), *rng.choice([(0, 4), (4, 4), (8, 8), (16, 8)]), spare))
        elif what <= 3 and part: part[i] = damage_section(rng, part[i], part is s.tensors, spare)
        elif what == 4 and part:
            part.insert(rng.randrange(len(part)), part[i])
            if rng.random() < .7: s.head[8 if part is s.tensors else 16] = (s.head[8 if part is s.tensors else 16] + 1) % 256
        elif what == 5 and part:
            del part[i]
            if rng.random() < .7: s.head[8 if part is s.tensors else 16] = (s.head[8 if part is s.tensors else 16] - 1) % 256
        elif what == 6 and part:
            j = rng.randrange(len(part))
            part[i], part[j] = part[j], part[i]
        elif what == 7: s.pairs, s.tensors = (s.tensors, s.pairs) if rng.random() < .3 else (s.pairs, s.tensors)
        elif what == 8: cut = rng.choice([rng.random(), 1 - rng.random() / 100, rng.random() ** 4])
        elif what == 9: end = rng.choice([end - 1, end - 32, end - rng.randrange(1, 4096), end + 1, end + 4096, rng.randrange(end + 1)])
        else: flips.append(what)
    raw = bytearray(s.header())
    for what in flips:
        at = rng.randrange(len(raw)) if raw else 0
        if what == 10:
            for _ in range(rng.choice([1, 1, 2, 8, 64])): raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        else: raw[at:at + rng.randrange(9)] = rng.randbytes(rng.randrange(9))
    if cut is not None: raw, end = raw[:int(cut * len(raw))], 0
    return bytes(raw), max(end, len(raw))


BASES = []


def made(seed, i):
    "File `i` of a seed: bytes, and the size that zeros fill up to."
    if not BASES: BASES.extend([of_file(TINY), file_of(*qwen3(True)), file_of(*qwen3(False, tied=False))])
    rng = random.Random(f"{seed}/{i}")
    kind = rng.randrange(8)
    if kind < 3: # as it was made: what is wrong with it, the values are
        s = odd(rng)
        return (s.header(), s.size) if kind < 2 else mutate(rng, s)
    return mutate(rng, BASES[0 if kind == 3 else 1 + kind % 2].copy())


def kind_of(message):
    "A message without what is particular to one file."
    return re.sub(r"\d+", "N", re.sub(r"b?'[^']*'|\[[^]]*\]", "…", message))[:110]


def frames(e):
    "Where an error came from: function, file and line, outermost first."
    out, at = [], e.__traceback__
    while at:
        out.append((at.tb_frame.f_code.co_name, at.tb_frame.f_code.co_filename, at.tb_lineno))
        at = at.tb_next
    return out


def on_purpose(e):
    "The message of an error, if it is one printable line, and some `raise` said it; numpy's and Python's own say nothing to a user."
    name, file, line = frames(e)[-1]
    message, said = str(e), name == "need" or "raise" in linecache.getline(file, line)
    said = said and message.isprintable() and 0 < len(message) < 500
    if not said: raise AssertionError(f"not a line for a user: {message[:600]!r}") from e
    return message


def attempt(path, stage):
    "What happens to a file: an outcome, and the message that came with it."
    from savante.chat import Qwen3
    from savante.gguf import GGUFError, GGUFFile, open_model
    from savante.qwen3 import Model
    from savante.tokenizer import Tokenizer
    try: file = open_model(path)
    except GGUFError as e:
        if not any(name == "check_qwen3" for name, *_ in frames(e.__context__ or e)): return "refused, damaged", on_purpose(e)
        stage("words alone") # `savante tokenize` wants no more than a vocabulary
        try:
            tok = Tokenizer.from_gguf(path)
            tok.decode([*tok.encode("ab c<|im_end|>"), *range(tok.n_vocab)])
        except ValueError as words: return "refused, no Qwen3 to run", on_purpose(e) and on_purpose(words) and str(e)
        return "refused, no Qwen3 to run, but with words", on_purpose(e)
    if type(file) is not GGUFFile: raise TypeError(f"open_model returned {file!r}")
    stage("run")
    try:
        if Model(file, n_ctx=4, n_threads=1).forward([1]).ndim != 1: raise TypeError("forward returned no row")
    except ValueError as e: return "opened, refused to run", on_purpose(e)
    stage("words")
    if file.kv["tokenizer.ggml.model"] != "gpt2": return "opened and run", ""
    try:
        model = Qwen3.load(path, n_ctx=4, n_threads=1)
        model.tokenizer.decode([*model.tokenizer.encode("ab c<|im_end|>"), *range(model.config.n_vocab)])
        model.template.render([{"role": "user", "content": "Hi"}])
    except ValueError as e: return "opened and run, words refused", on_purpose(e)
    return "opened and run, with words", ""


def worker(pipe, shared, seed, first, last, deadline):
    "The child: files `first` to `last`; counts go through the pipe, the number at work through shared memory."
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
    path, at = folder / "f.gguf", struct.Struct("<qd")
    try:
        made(seed, 0)
        for base in BASES: # warms up, and shows that the files were sound before
            path.write_bytes(base.header())
            os.truncate(path, base.size)
            if "opened and run" not in (outcome := attempt(path, [].append))[0]: raise AssertionError(f"a sound file: {outcome}")
        used = int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))
        counts, messages, slowest = Counter(), Counter(), (0, -1)
        for i in range(first, last):
            raw, size = made(seed, i)
            with open(path, "wb") as f:
                f.write(raw)
                f.truncate(size)
            began = time.monotonic()
            at.pack_into(shared, 0, i, began)
            where = ["open"]
            try:
                outcome, message = attempt(path, where.append)
            except BaseException as e: # a MemoryError, an overflow, an exit: nothing of that kind may come out
                outcome, message = f"FAILED in {where[-1]}", ""
                pipe.send(("failed", i, f"{where[-1]}: {type(e).__name__}: {e!s:.300} ({frames(e.__cause__ or e)[-1]})"))
            slowest = max(slowest, (time.monotonic() - began, i))
            counts[outcome] += 1
            if message: messages[outcome, kind_of(message.removeprefix(f"{path}: "))] += 1
            if i % 500 == 499 or i == last - 1 or time.time() > deadline:
                pipe.send(("counts", i, counts, messages, slowest))
                counts, messages = Counter(), Counter()
                if time.time() > deadline: break
        at.pack_into(shared, 0, last, -1.)
        pipe.send(("done", 0))
    except BaseException as e: pipe.send(("broken", 0, f"{type(e).__name__}: {e}"))
    finally:
        for f in folder.iterdir(): f.unlink()
        folder.rmdir()


def watch(seed, first, last, deadline):
    "Run children until all files are done; counts, messages, failures, slowest."
    counts, messages, failures, slowest = Counter(), Counter(), [], (0, -1)
    context, shared = multiprocessing.get_context("fork"), mmap.mmap(-1, 16)
    while first < last and time.time() < deadline and len(failures) < 20:
        struct.pack_into("<qd", shared, 0, first, -1.)
        ours, theirs = context.Pipe()
        child = context.Process(target=worker, args=(theirs, shared, seed, first, last, deadline))
        child.start()
        theirs.close()
        done, why = False, None
        while not done:
            i, began = struct.unpack_from("<qd", shared)
            try:
                if not ours.poll(1):
                    if began >= 0 and time.monotonic() - began > PATIENCE:
                        why = f"takes more than {PATIENCE} s"
                        child.kill()
                    continue
                kind, at, *rest = ours.recv()
            except EOFError: break
            if kind == "broken": sys.exit(f"fuzz_gguf: {rest[0]}")
            elif kind == "failed": failures.append((at, rest[0]))
            elif kind == "counts":
                counts.update(rest[0]); messages.update(rest[1])
                slowest = max(slowest, rest[2])
                first = at + 1
                print(f"\r{first:,} files", end="", file=sys.stderr, flush=True)
            else: done = True
        child.join()
        if not done: # it died on a file: note it, go on behind
            i = struct.unpack_from("<qd", shared)[0]
            failures.append((i, why or f"the process ended (exit code {child.exitcode})"))
            counts["FAILED: no answer"] += 1
            counts["no failure, kind not counted because a later file ended the process"] += i - first
            first = i + 1
        elif time.time() > deadline: break
    print(file=sys.stderr)
    return counts, messages, failures, slowest


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    ap.add_argument("--files", type=int, default=100_000)
    ap.add_argument("--seed", type=int, default=41)
    ap.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many")
    ap.add_argument("--only", type=int, help="this file alone")
    ap.add_argument("--keep", type=Path, help="write the file that --only names")
    a = ap.parse_args()
    first, last = (0, a.files) if a.only is None else (a.only, a.only + 1)
    if a.keep and a.only is not None:
        raw, size = made(a.seed, a.only)
        a.keep.write_bytes(raw)
        os.truncate(a.keep, size)
        print(f"{a.keep}: {size:,} bytes, {len(raw):,} of them not just zeros")
    began = time.time()
    counts, messages, failures, slowest = watch(a.seed, first, last, began + a.seconds)
    took = time.time() - began
    for outcome, n in counts.most_common(): print(f"{n:8,}  {outcome}")
    print("the most frequent messages:")
    for (_, message), n in messages.most_common(10): print(f"{n:8,}  {message}")
    print("behind a file that opens:")
    for (_, message), n in [m for m in messages.most_common() if "opened" in m[0][0]][:5]: print(f"{n:8,}  {message}")
    for i, why in failures: print(f"FAILED  --seed {a.seed} --only {i}: {why}")
    n = sum(counts.values())
    print(f"{n:,} files of seed {a.seed}, {len(messages)} kinds of message, {n / took:,.0f} files a second, "
          f"the slowest took {slowest[0]:.2f} s (--only {slowest[1]}): {len(failures)} failures")
    sys.exit(bool(failures) or n == 0)


if __name__ == "__main__": main()
