"""The server under test, and what is done to it. A fault that is not possible here answers why."""
import os
import resource
import shlex
import signal
import socket
import subprocess
import threading
import time
from contextlib import suppress
from urllib.request import ProxyHandler, build_opener


class Relay:
    """Passes bytes on to a port. While `mute`, answers are swallowed."""
    def __init__(self, to):
        self.to, self.mute, self.open, self.listener = to, False, [], socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            caller = self.listener.accept()[0]
            try:
                server = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                caller.close()
                continue
            self.open += [caller, server]
            threading.Thread(target=self.pass_on, args=(caller, server, False), daemon=True).start()
            threading.Thread(target=self.pass_on, args=(server, caller, True), daemon=True).start()

    def pass_on(self, source, target, is_answer):
        try:
            while data := source.recv(65536):
                if not (self.mute and is_answer):
                    target.sendall(data)
        except OSError:
            pass
        self.sever(source, target)

    def cut(self):
        self.sever(*self.open)
        self.open, self.mute = [], False

    def sever(self, *ends):
        for end in ends:
            with suppress(OSError):  # it is closed already
                end.shutdown(socket.SHUT_RDWR)  # as `close` alone does not while another thread waits for bytes
            end.close()


class Server:
    def __init__(self, command, directory, log):
        self.command, self.directory, self.log = command, directory, open(log, "ab")
        free = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        self.direct = {side: one.getsockname()[1] for side, one in zip(("rest", "rpc"), free)}
        for one in free:
            one.close()
        self.relays = {side: Relay(port) for side, port in self.direct.items()}
        self.relayed = {side: relay.port for side, relay in self.relays.items()}
        self.ports = dict(self.direct)  # the callers'
        self.clock_file = f"{directory}.clock" if "{clock}" in command else None
        self.set_clock(0)

    def start(self):
        words = shlex.split(self.command.format(dir=self.directory, clock=self.clock_file, **self.direct))
        out = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}  # a pipe, since `full` limits files
        self.process = subprocess.Popen(words, start_new_session=True, **out)
        threading.Thread(target=self.keep, args=(self.process.stdout,), daemon=True).start()
        self.wait()

    def keep(self, lines):
        for line in lines:
            self.log.write(line)
            self.log.flush()

    def wait(self):
        """Until it says that it is ready."""
        until = time.monotonic() + 120
        while time.monotonic() < until and self.process.poll() is None:
            try:
                return build_opener(ProxyHandler({})).open(f"http://127.0.0.1:{self.direct['rest']}/readyz", timeout=5).read()
            except OSError:
                time.sleep(0.05)
        raise SystemExit(f"The server is not ready; its last words are in {self.log.name}")

    def end(self):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def pids(self):
        found = [pid for pid in os.listdir("/proc") if pid.isdigit()]
        return [int(pid) for pid in found if os.getsid(int(pid)) == self.process.pid]

    def suffer(self, fault, after, random):
        time.sleep(after)
        return getattr(self, fault)(random)

    def kill(self, random):
        self.end()
        self.start()

    def term(self, random):
        self.process.terminate()
        code = self.process.wait(90)
        self.start()
        return f"ended with {code}" if code else None

    def stop(self, random):
        os.killpg(self.process.pid, signal.SIGSTOP)
        time.sleep(random.uniform(0.2, 2))
        os.killpg(self.process.pid, signal.SIGCONT)

    def cut(self, random):
        """Requests arrive and answers do not, then all connections break."""
        for relay in self.relays.values():
            relay.mute = True
        time.sleep(random.uniform(0.05, 0.5))
        for relay in self.relays.values():
            relay.cut()

    def full(self, random):
        """No file of the store can grow, as on a full disk."""
        if not os.path.exists(self.directory):
            return "not done: no {dir} in --serve"
        size = max(os.path.getsize(os.path.join(self.directory, name)) for name in os.listdir(self.directory))
        self.limit(size)
        time.sleep(random.uniform(0.5, 1.5))
        self.limit(resource.RLIM_INFINITY)

    def limit(self, size):
        for pid in self.pids():
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def disk(self, random):
        """The next sync, or the next write, of each thread fails with EIO."""
        calls = random.choice(["fdatasync,fsync,msync", "pwrite64,pwritev"])
        pids = [word for pid in self.pids() for word in ("-p", str(pid))]
        inject = ["-e", f"trace={calls}", "-e", f"inject={calls}:error=EIO:when=1"]
        try:
            tracer = subprocess.Popen(["strace", "-f", "-qq", "-o", "/dev/null", *inject, *pids], stderr=subprocess.DEVNULL)
        except OSError as error:
            return f"not done: {error}"
        time.sleep(random.uniform(1, 3))
        tracer.terminate()
        return None if tracer.wait() in (0, -15, 143) else "not done: strace may not trace"

    def clock(self, random):
        """The system clock, as the server sees it, jumps by 25 hours and back."""
        if not self.clock_file:
            return "not done: no {clock} in --serve"
        self.set_clock(random.choice([-90_000_000, 90_000_000]))
        time.sleep(random.uniform(0.5, 2))
        self.set_clock(0)

    def set_clock(self, ms):
        if self.clock_file:
            with open(f"{self.clock_file}.new", "w", encoding="utf-8") as file:
                file.write(str(ms))
            os.replace(f"{self.clock_file}.new", self.clock_file)
