"""asyncio without sockets: its loop waits by sleeping, which costs no real time
unless the clock was granted."""

import sys
import time
import types


class NothingToWaitFor(RuntimeError):
    """Every task waits, and nothing can wake one."""


def load_asyncio():
    """Imports asyncio, which insists on modules the sandbox does not have."""
    stand_ins = ["socket", "fcntl", "_socket"]
    for name in stand_ins:
        sys.modules[name] = _StandIn(name)
    try:
        import asyncio
    finally:
        for name in stand_ins:
            del sys.modules[name]
    return asyncio


class _StandIn(types.ModuleType):
    class socket:
        pass

    error = OSError

    def __getattr__(self, name):
        if name.isupper():
            return 0
        raise AttributeError(name)


asyncio = load_asyncio()


class Selector:
    def select(self, timeout=None):
        if timeout is None:
            raise NothingToWaitFor("every task of the event loop waits, and nothing in the sandbox can wake one")
        if timeout > 0:
            time.sleep(timeout)
        return []

    def get_map(self):
        return {}

    def close(self):
        pass


class Loop(asyncio.base_events.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self._selector = Selector()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass

    def run_in_executor(self, executor, function, *args):
        """There are no threads: the function runs here and now."""
        future = self.create_future()
        try:
            future.set_result(function(*args))
        except Exception as exc:
            future.set_exception(exc)
        return future

    def close(self):
        if self.is_running():
            raise RuntimeError("Cannot close a running event loop")
        super().close()


class Policy(asyncio.events.BaseDefaultEventLoopPolicy):
    _loop_factory = Loop


asyncio.DefaultEventLoopPolicy = Policy
asyncio.SelectorEventLoop = Loop
asyncio.set_event_loop_policy(Policy())
