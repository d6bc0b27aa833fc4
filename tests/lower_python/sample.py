"""A bit of everything, to be cut into pieces."""
from __future__ import annotations

import asyncio
import os.path as p
from typing import TYPE_CHECKING, Callable, Generic

from . import settings
from .client import Client as Http, errors

if TYPE_CHECKING:
    from .types import Response

__all__ = ["Service", "fetch"]

RETRIES = int(os.getenv("RETRIES", "3")) or 5  # squall: ignore[a] reason


@retry(stop=stop_after_attempt(3) | stop_after_delay(10), wait=wait_exponential(multiplier=1, max=10))
async def fetch(url: str, /, *args: int, timeout: float = 1.5, **options) -> "Response | None":
    """Docstring with 'quotes' and {braces}."""
    for attempt in range(1, RETRIES + 1):
        try:
            async with Http(url, **options) as http, lock:
                response = await http.get(f"/{url!r:>{timeout}}", params={"a": 1, **options}, headers=[*args])
            if not 200 <= response.status_code < 300:
                raise errors.HttpError("bad " "status", response) from None
            return response
        except (errors.HttpError, asyncio.TimeoutError) as e:
            delay = min(2 ** attempt, 30) if attempt else 0
            await asyncio.sleep(delay)
            continue
        except* OSError:
            break
        else:
            pass
        finally:
            counter["x", 1:2] += 1
    else:
        return None
    while True:
        if (n := next(it, None)) is None: break
        elif n % 2: yield n
        else: del n, self.x[0]


class Service(Base[T], Generic[T], metaclass=Meta):
    retries: ClassVar[int] = 3
    client: Http | None = None
    handlers = {name: lambda *a, k=name: k for name in ("a", "b") if name}

    def __init__(self, client: Http = Depends(get), *, on_error: Callable[[int], None] = print):
        super().__init__(client)
        self.client, (self.a, *self.rest) = client, [x for xs in client for x in xs]

    @property
    def name(self): return self._name

    @name.setter
    def name(self, value):
        global counter
        def inner():
            nonlocal value
            value = counter
        self._name = inner

    @staticmethod
    def dispatch(command, *others):
        match command, others:
            case ["go", str() as where] if where: return where
            case {"k": [1, -2, *rest], **kw} | Point(x=0, y=None): return rest
            case mod.CONST | "a" "b" | 1.5: print(kw)
            case _: raise

    type = "ünïcödé\n\x41"


def generic[T: (int, str)](x: T, *xs: T) -> list[T]:
    with (open("a") as a, open("b") as b):
        assert a, "message"
    yield from (x async for x in xs)
    print >>sys.stderr, "old"
    return not a and b or ~x
