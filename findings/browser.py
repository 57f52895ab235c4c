"""Two browsers without windows, as plain as they can be driven: no package besides Python's own is needed."""

import json
import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PAGE = "<!DOCTYPE html><title>page</title><body></body>"


def new_home():
    home = Path(tempfile.mkdtemp())
    (home / "page.html").write_text(PAGE)
    return home


class Chromium:
    """Speaks the DevTools protocol over two pipes, which the browser has as descriptors 3 and 4."""

    def __init__(self, root):
        home, program = new_home(), f"{root}/usr/lib/chromium/chromium"
        read_end, self.commands = os.pipe()
        self.answers, write_end = os.pipe()
        command = [
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
            "--disable-background-networking", "--disable-component-update", f"--user-data-dir={home}",
            "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream",
            "--disable-features=WebRtcHideLocalIpsWithMdns", "--remote-debugging-pipe", "about:blank",
        ]
        wrapper = f'exec 3<&{read_end} 4>&{write_end}; exec "$@"'
        subprocess.Popen(
            ["bash", "-c", wrapper, "bash", *command], pass_fds=[read_end, write_end], stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(home)})
        os.close(write_end)
        self.rest, self.count, self.session = b"", 0, None
        self.version = self.command("Browser.getVersion")["product"]
        target = self.command("Target.createTarget", url=f"file://{home}/page.html")["targetId"]
        self.session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        while self.run("return document.readyState + document.title") != "completepage":
            time.sleep(0.05)

    def command(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                data = os.read(self.answers, 65536)
                if not data:
                    raise SystemExit("the browser has ended")
                self.rest += data
            text, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(answer["error"])
                return answer["result"]

    def run(self, body):
        """Runs the body of an asynchronous function in the page, and gives back what it returns."""
        expression = "(async () => {" + body + "\n})()"
        answer = self.command("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")


class Firefox:
    """Speaks Marionette: over TCP on loopback, a length, a colon and a JSON array each way."""

    PREFERENCES = {
        "media.navigator.streams.fake": True, "media.navigator.permission.disabled": True,
        "media.peerconnection.ice.loopback": True, "media.peerconnection.ice.obfuscate_host_addresses": False,
        "media.gmp-manager.updateEnabled": False, "app.update.enabled": False, "marionette.port": 0,
        "toolkit.telemetry.enabled": False, "datareporting.policy.dataSubmissionEnabled": False,
    }

    def __init__(self, root):
        home = new_home()
        lines = [f'user_pref("{name}", {json.dumps(value)});\n' for name, value in self.PREFERENCES.items()]
        (home / "user.js").write_text("".join(lines))
        subprocess.Popen(
            [f"{root}/usr/lib/firefox-esr/firefox-esr", "--headless", "--no-remote", "--marionette",
             "--profile", str(home), "about:blank"],
            env={**os.environ, "HOME": str(home), "MOZ_CRASHREPORTER_DISABLE": "1"},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = home / "MarionetteActivePort"
        while not port.exists() or not port.read_text():
            time.sleep(0.05)
        self.socket = socket.create_connection(("127.0.0.1", int(port.read_text())))
        self.rest, self.count = b"", 0
        self.receive()
        session = self.command("WebDriver:NewSession", {})["capabilities"]
        self.version = f"Firefox/{session['browserVersion']}"
        self.command("WebDriver:SetTimeouts", {"script": 50_000})
        self.command("WebDriver:Navigate", {"url": f"file://{home}/page.html"})

    def receive(self):
        while True:
            length, colon, text = self.rest.partition(b":")
            if colon and len(text) >= int(length):
                self.rest = text[int(length):]
                return json.loads(text[:int(length)])
            data = self.socket.recv(65536)
            if not data:
                raise SystemExit("the browser has ended")
            self.rest += data

    def command(self, name, parameters):
        self.count += 1
        text = json.dumps([0, self.count, name, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, result = self.receive()
        if error:
            raise RuntimeError(error)
        return result

    def run(self, body):
        """Runs the body of an asynchronous function in the page, and gives back what it returns."""
        script = ("const done = arguments[arguments.length - 1]; (async () => {" + body
                  + "\n})().then(value => done({value}), error => done({error: String(error)}))")
        answer = self.command("WebDriver:ExecuteAsyncScript", {"script": script, "args": []})["value"]
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer.get("value")
