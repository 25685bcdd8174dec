__version__ = "0.1.0"
__all__ = ["Qwen3"]


def __getattr__(name):  # `import savante` stays quick: the engine is imported when it is first asked for
    if name == "Qwen3":
        from .chat import Qwen3
        return Qwen3
    raise AttributeError(f"module 'savante' has no attribute {name!r}")


def __dir__(): return [*globals(), *__all__]
