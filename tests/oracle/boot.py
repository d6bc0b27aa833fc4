"""Runs a program with waits fast-forwarded and its connections led to the failing server.

`python boot.py PROGRAM.py`: every sleep returns at once and moves a virtual clock. Host names lead to the server; nothing
else than loopback can be reached. What was seen is written to $ORACLE_OUT as JSON: connects to the refusing port, sleeps.
"""
import asyncio
import asyncio.tasks
import json
import os
import runpy
import socket
import sys
import threading
import time
import traceback

PORT = int(os.environ["ORACLE_PORT"])
REFUSING = int(os.environ["ORACLE_REFUSING"])
TARGET = REFUSING if os.environ["ORACLE_MODE"] == "refuse" else PORT
CAP = int(os.environ["ORACLE_CAP"])
LOOPBACK = ("127.0.0.1", "::1", "localhost")
TOLD = "BASE_URL" in open(sys.argv[1]).read()
seen = {"connects": 0, "sleeps": [], "error": None, "stopped": False}
clock = {"ahead": 0.0}


def finish(status):
    with open(os.environ["ORACLE_OUT"], "w") as out:
        json.dump({**seen, "sleeps": seen["sleeps"][:200]}, out)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def note(seconds):
    try:
        seconds = float(seconds)
    except (TypeError, ValueError):
        return
    if seconds > 0:
        seen["sleeps"].append(round(seconds, 3))
        clock["ahead"] += seconds
        if len(seen["sleeps"]) > 50 * CAP:
            seen["stopped"] = True
            finish(97)


real_sleep, real_mono, real_time, real_perf = time.sleep, time.monotonic, time.time, time.perf_counter


def sleep(seconds):
    note(seconds)
    real_sleep(0)


time.sleep = sleep
time.monotonic = lambda: real_mono() + clock["ahead"]
time.time = lambda: real_time() + clock["ahead"]
time.perf_counter = lambda: real_perf() + clock["ahead"]
real_async_sleep = asyncio.sleep


async def async_sleep(delay, result=None):
    note(delay)
    await real_async_sleep(0)
    return result


asyncio.sleep = asyncio.tasks.sleep = async_sleep
real_wait = threading.Event.wait


def wait(self, timeout=None):
    # An event used as a sleep that can be broken off: only where a retry helper asks.
    caller = sys._getframe(1).f_globals.get("__name__", "")
    if timeout and caller.startswith(("tenacity", "stamina", "retry", "failsafe")):
        note(timeout)
        return self.is_set()
    return real_wait(self, timeout)


threading.Event.wait = wait
real_lookup, real_connect, real_connect_ex = socket.getaddrinfo, socket.socket.connect, socket.socket.connect_ex


def lookup(host, port, *args, **named):
    name = host.decode() if isinstance(host, (bytes, bytearray)) else host
    if name in LOOPBACK or name in (None, "", "0.0.0.0", "::"):
        return real_lookup(host, port, *args, **named)
    if TOLD:
        # Its call goes where it was told to: what else it looks up (a list of agents for its user agent) is not the call.
        raise socket.gaierror(socket.EAI_NONAME, f"oracle: {name} is not the server")
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", int(port or 80)))]


def led(address):
    if isinstance(address, tuple):
        if address[0] not in LOOPBACK:
            raise OSError(f"oracle: only loopback can be reached, not {address}")
        if address[1] in (80, 443):
            address = (address[0], TARGET, *address[2:])
        if address[1] == REFUSING:
            seen["connects"] += 1
            if seen["connects"] >= CAP:
                seen["stopped"] = True
                finish(97)
    return address


socket.getaddrinfo = lookup
socket.socket.connect = lambda self, address: real_connect(self, led(address))
socket.socket.connect_ex = lambda self, address: real_connect_ex(self, led(address))

program = sys.argv[1]
sys.argv = [program]
sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
status = 0
try:
    runpy.run_path(program, run_name="__main__")
except SystemExit as stop:
    status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
except BaseException as error:
    kind = type(error)
    seen["error"] = f"{kind.__module__}.{kind.__qualname__}: {error}"[:300]
    traceback.print_exc()
    status = 1
finish(status)
