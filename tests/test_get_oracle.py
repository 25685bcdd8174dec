"What `testing/get_oracle.py` refuses. Written by hand."
import importlib.util, io, tarfile
from pathlib import Path
import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "testing" / "get_oracle.py"
spec = importlib.util.spec_from_file_location("get_oracle", SCRIPT)
get_oracle = importlib.util.module_from_spec(spec)
spec.loader.exec_module(get_oracle)


def archive(path, names):
    with tarfile.open(path, "w:gz") as tar:
        for name in names:
            info = tarfile.TarInfo(f"package/bins/linux-x64/{name}")
            info.size = 4
            tar.addfile(info, io.BytesIO(b"fake"))
    return path


def test_a_library_that_is_not_the_pinned_one_is_refused(tmp_path):
    with pytest.raises(get_oracle.OracleError, match="libggml-base.so is not the pinned build"):
        get_oracle.unpack(archive(tmp_path / "a.tgz", get_oracle.LIBS), tmp_path)


def test_a_package_that_lacks_a_library_is_refused(tmp_path):
    empty = archive(tmp_path / "a.tgz", [])
    with pytest.raises(get_oracle.OracleError, match="holds no libggml-base.so"): get_oracle.unpack(empty, tmp_path)


def test_libdir_is_checked_before_it_is_believed(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("LIBDIR", str(tmp_path))
    with pytest.raises(get_oracle.OracleError, match="holds no libggml-base.so"): get_oracle.find()
    for name in ("libggml-base.so", "libggml-cpu-haswell.so", "libllama.so"): (tmp_path / name).write_bytes(b"another build")
    assert get_oracle.find() == tmp_path and "not the pinned build" in capsys.readouterr().err


@pytest.mark.parametrize("machine,npm,why", [("aarch64", "/bin/npm", "aarch64: use the recorded"), ("x86_64", None, "npm is missing")])
def test_what_is_missing_is_said_in_one_line(tmp_path, monkeypatch, machine, npm, why):
    monkeypatch.setattr(get_oracle.sys, "platform", "linux")
    monkeypatch.setattr(get_oracle.platform, "machine", lambda: machine)
    monkeypatch.setattr(get_oracle.shutil, "which", lambda name: npm)
    with pytest.raises(get_oracle.OracleError, match=why): get_oracle.fetch(tmp_path / "new")
    assert not (tmp_path / "new").exists()
