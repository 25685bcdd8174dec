"""The report card: how many held-out questions of each family a model answers word for word, greedy, run by Savante.

usage: python testing/report_card.py [MODEL] [-n N] [--seed S] [--engine savante|llama] [--wrong] [--json]
       MODEL: a GGUF file or a name Qwen3.load knows (tiny). --wrong lists the answers that differ. Exit 1 when a family misses its mark.
"""
import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "testing")]
from tiny_data import chatml, exam  # noqa: E402

MARK = dict(spell=.80)          # what a family has to reach; the others .90, all together .95
END = "<|im_end|>"


def savante_engine(model):
    "A function question -> answer, by Savante."
    from savante import Qwen3
    m = Qwen3.load(model)
    return lambda q, n: "".join(m.chat([dict(role="user", content=q)], max_tokens=n, temperature=0))


def llama_engine(model):
    "The same by the shipped libllama."
    from savante.llama import Llama
    m = Llama(ROOT / "savante" / "data" / "tiny.gguf" if model == "tiny" else model, n_ctx=1024)
    end, = m.tokenize(END)
    pieces = [m.piece(i) for i in range(m.n_vocab)]
    def answer(question, n):
        m.clear()
        ids, out = m.tokenize(chatml(question)), b""
        for _ in range(n):
            new, = m.greedy(ids, 1)
            if new == end: break
            out, ids = out + pieces[new], [new]
        return out.decode("utf-8", "replace")
    return answer


def llama_template(template, messages):
    "What libllama's C function makes of a chat: it knows ChatML and a few more by their looks, without Jinja."
    import ctypes as C

    from savante.oracle import find_libdir
    libs = [next(find_libdir().glob(f"{name}.*so*")) for name in ("libggml-base", "libggml", "libllama")]
    call = [C.CDLL(str(lib), mode=C.RTLD_GLOBAL) for lib in libs][-1].llama_chat_apply_template
    text = [s.encode() for m in messages for s in (m["role"], m["content"])]
    call.argtypes, room = [C.c_char_p, C.c_void_p, C.c_size_t, C.c_bool, C.c_char_p, C.c_int], C.create_string_buffer(1 << 16)
    n = call(template.encode(), C.cast((C.c_char_p * len(text))(*text), C.c_void_p), len(messages), True, room, len(room))
    if n < 0: raise ValueError("libllama does not know this template")
    return room.raw[:n].decode()


def grade(answer, questions):
    "family -> [right, asked], and what went wrong."
    score, wrong = {}, []
    for family, question, want in questions:
        got = answer(question, 80)
        s = score.setdefault(family, [0, 0])
        s[0] += got == want; s[1] += 1
        if got != want: wrong.append((family, question, want, got))
    return score, wrong


def passed(score):
    "Does every family reach its mark, and do all together?"
    right, asked = (sum(s[i] for s in score.values()) for i in (0, 1))
    return right >= .95 * asked and all(r >= MARK.get(f, .90) * n for f, (r, n) in score.items())


def card(score):
    "The table, as text."
    rows = [(f, *s) for f, s in score.items()] + [("all", *(sum(s[i] for s in score.values()) for i in (0, 1)))]
    return "\n".join([f"{'family':10s} right asked", *(f"{f:10s} {r:5d} {n:5d} {r / n:6.1%}" for f, r, n in rows)])


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("model", nargs="?", default="tiny", metavar="MODEL")
    ap.add_argument("-n", type=int, default=60, help="questions a family (60; some families have fewer)")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--engine", choices=["savante", "llama"], default="savante")
    ap.add_argument("--wrong", action="store_true")
    ap.add_argument("--json", action="store_true")
    args = ap.parse_args()
    answer = dict(savante=savante_engine, llama=llama_engine)[args.engine](args.model)
    score, wrong = grade(answer, exam(args.n, args.seed))
    print(json.dumps(dict(score=score, wrong=wrong)) if args.json else card(score))
    if args.wrong and not args.json:
        for family, question, want, got in wrong: print(f"{family}: {question} -> {got!r}, not {want!r}")
    sys.exit(not passed(score))


if __name__ == "__main__": main()
