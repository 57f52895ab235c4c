import Foundation
import RillTestSupport
import RillTransport
import Testing

/// `rill relay`, as people run it.
@Suite struct RelayCommandTests {
    private let folder = TemporaryFolder()

    private func socket() throws -> UDPSocket { try UDPSocket(boundTo: UDPAddress(.loopback, port: 0)) }

    /// A port of this machine that is free at present.
    private func freePort() throws -> UInt16 { try socket().localAddress.port }

    @Test func `Wrong arguments are rejected with the expected ones`() throws {
        let cases: [(words: [String], reason: String)] = [
            ([], "in pairs"), (["--listen", "5004"], "in pairs: there are 1 of --listen and 0 of --to"),
            (["--listen", "70000", "--to", "127.0.0.1:5006"], "--listen 70000: expected a port"),
            (["--listen", "x", "--to", "127.0.0.1:5006"], "--listen x: expected a port"),
            (["--listen", "5004", "--to", "127.0.0.1"], "--to 127.0.0.1: expected HOST:PORT"),
            (["--listen", "5004", "--to", "127.0.0.1:0"], "expected HOST:PORT"),
            (["--listen", "5004", "--to", "a:1", "--network", "loss=2"], "loss"),
            (["--listen", "5004", "--to", "a:1", "--network", "lost=2%"], "no setting of a link"),
            (
                ["--listen", "1", "--to", "a:1"] + ["loss=1%", "loss=2%"].flatMap { ["--network", $0] },
                "once for all pairs or once for each"
            ),
            (["--listen", "5004", "--to", "a:1", "--network", "cross=110k"], "no bottleneck to share"),
            (["--listen", "5004", "--to", "a:1", "--shared-queue", "forward"], "no queue to share"),
            (
                ["--listen", "1", "--to", "a:1", "--listen", "2", "--to", "a:2", "--shared-queue", "both"]
                    + ["rate=1M,delay=1ms", "rate=2M"].flatMap { ["--network", $0] },
                "--network of pair 2 differs"
            ),
            (
                [
                    "--listen", "1", "--to", "a:1", "--shared-queue", "return", "--network", "rate=1M",
                    "--return-network", "delay=1ms",
                ], "--return-network has no rate"
            ),
            (["--listen", "5004", "--to", "a:1", "--shared-queue", "all"], "forward"),
            (["--listen", "5004", "--to", "a:1", "--log", "x.txt"], "must end in .csv"),
            (["--listen", "5004", "--to", "a:1", "--report", "x.csv"], "must end in .html"),
            (["--listen", "5004", "--to", "a:1", "--duration", "0s"], "greater than zero"),
        ]
        for (words, reason) in cases {
            let outcome = try rillProgram().run(["relay"] + words)
            #expect(outcome.status == 64 && outcome.errors.contains(reason), "\(words): \(outcome.errors)")
        }
    }

    @Test func `System errors are reported, and nothing is written`() throws {
        let taken = try socket()
        let port = "\(taken.localAddress.port)"
        let log = folder.path("relay.csv")
        let busy = try rill("relay", "--listen", port, "--to", "127.0.0.1:9", "--log", log)
        #expect(busy.status == 1 && busy.errors.contains("cannot bind"), "\(busy.errors)")
        #expect(busy.errors.contains("choose another port") && !FileManager.default.fileExists(atPath: log))
        let host = try rill("relay", "--listen", "0", "--to", "no-such-host.invalid:9")
        #expect(host.status == 1 && host.errors.contains("no-such-host.invalid: no address found"), "\(host.errors)")
        let free = "\(try freePort())"
        let loop = try rill("relay", "--listen", free, "--to", "127.0.0.1:\(free)")
        #expect(loop.status == 1 && loop.errors.contains("leads back to a port of this relay"), "\(loop.errors)")
        let silent = try rill("relay", "--listen", "0", "--to", "127.0.0.1:9", "--duration", "200ms")
        #expect(silent.status == 3 && silent.errors.contains("no datagram arrived"), "\(silent.errors)")
    }

    @Test func `A bare port is local, and an open one is reported as such`() throws {
        func said(_ listen: String, to: String = "127.0.0.1:9") throws -> String {
            try rill("relay", "--listen", listen, "--to", to, "--duration", "50ms").errors
        }
        let own = try said("0")
        #expect(own.contains("listening on 127.0.0.1:") && !own.contains("anybody"), "\(own)")
        #expect(try said("0", to: "[::1]:9").contains("listening on [::1]:"))
        // Also where the address is elsewhere.
        #expect(try said("0", to: "192.0.2.1:9").contains("listening on 127.0.0.1:"))
        let open = try said("0.0.0.0:0")
        #expect(open.contains("listening on 0.0.0.0:") && open.contains("anybody who reaches"), "\(open)")
    }

    @Test func `Ctrl-C ends it cleanly: table, log and page show the results`() throws {
        let (near, far, port) = (try socket(), try socket(), try freePort())
        let (log, page) = (folder.path("relay.csv"), folder.path("relay.html"))
        let target = "127.0.0.1:\(far.localAddress.port)"
        let relay = try rillProgram().start(
            [
                "relay", "--listen", "\(port)", "--to", target, "--network", "loss=20%,delay=10ms,seed=3", "--log", log,
                "--report", page,
            ], limit: 60)
        let lost = try talk(near, far, port, count: 200)
        relay.interrupt()
        let outcome = try relay.wait()
        #expect(outcome.status == 0, "\(outcome.errors)")
        for line in [
            "listening on 127.0.0.1:\(port) for \(target)", "forward loss=20%,delay=10ms,seed=3", "1 s  forward",
        ] {
            #expect(outcome.errors.contains(line), "\(outcome.errors)")
        }
        let words = outcome.text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(words.contains(["datagrams", "in", "200", "0"]), "\(outcome.text)")
        #expect(words.contains(["randomly", "\(lost)", "0"]) && lost > 10, "\(outcome.text)")
        let lines = String(decoding: try read(log), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 201 && lines.count { $0.contains(",lost,random,") } == lost)
        let pair = try #require((try report(onPage: page)["report"] as? [String: Any])?["pairs"] as? [[String: Any]])[0]
        let directions = try #require(pair["directions"] as? [[String: Any]])
        #expect(directions.map { $0["sent"] as? Int } == [200, 0])
        #expect(directions[0]["network"] as? String == "loss=20%,delay=10ms,seed=3")
        let delays = try #require(directions[0]["actualDelay"] as? [String: Any])
        let buckets = try #require(delays["buckets"] as? [[String: Any]])
        #expect(buckets.reduce(0) { $0 + ($1["count"] as? Int ?? 0) } == 200 - lost)
    }

    @Test func `Two pairs are two relays, and JSON has the seed of each direction`() throws {
        let (near, far, ports) = (try socket(), [try socket(), try socket()], [try freePort(), try freePort()])
        var words = ["relay", "--nat", "--json", "--duration", "3s", "--return-network", "delay=1ms"]
        for (port, socket) in zip(ports, far) {
            words += ["--listen", "\(port)", "--to", "127.0.0.1:\(socket.localAddress.port)"]
        }
        for delay in [5, 50] { words += ["--network", "delay=\(delay)ms,loss=30%,seed=5"] }
        let relay = try rillProgram().start(words, limit: 60)
        let lost = try zip(ports, far).map { port, socket in try talk(near, socket, port, count: 100) }
        let outcome = try relay.wait()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let json = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any]
        let pairs = try #require(json?["pairs"] as? [[String: Any]])
        var seeds: Set<String> = []
        for (index, pair) in pairs.enumerated() {
            let forward = try #require(pair["forward"] as? [String: Any])
            let link = try #require(forward["link"] as? [String: Any])
            #expect(link["sent"] as? Int == 100 && link["lostRandomly"] as? Int == lost[index] && lost[index] > 10)
            #expect(pair["senders"] as? Int == 1)
            let median = (forward["actualDelay"] as? [String: Double])?["median"] ?? 0
            #expect(median >= [5, 50][index] && median < [5, 50][index] + 40)
            for direction in ["forward", "return"] {
                let network = (pair[direction] as? [String: Any])?["network"] as? String
                seeds.insert(String(network?.split(separator: "=").last ?? ""))
            }
        }
        #expect(pairs.count == 2 && seeds.count == 4 && seeds.contains("5"), "\(seeds)")
    }

    @Test func `Two pairs share a queue with cross traffic and a TCP flow, and the results have them`() throws {
        let (near, far, ports) = (try socket(), [try socket(), try socket()], [try freePort(), try freePort()])
        var words = ["relay", "--json", "--duration", "4s", "--shared-queue", "forward"]
        words += ["--network", "rate=2M,headers=28,cross=300k,cubic=20ms", "--return-network", "delay=1ms"]
        for (port, socket) in zip(ports, far) {
            words += ["--listen", "\(port)", "--to", "127.0.0.1:\(socket.localAddress.port)"]
        }
        let relay = try rillProgram().start(words, limit: 60)
        let lost = try zip(ports, far).map { port, socket in try talk(near, socket, port, count: 100) }
        let outcome = try relay.wait()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let json = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any]
        let pairs = try #require(json?["pairs"] as? [[String: Any]])
        let forward = pairs.map { $0["forward"] as? [String: Any] }
        for direction in forward {
            let bottleneck = try #require(direction?["bottleneck"] as? [String: Any])
            // Of both pairs: 3 bytes and 28 of headers each.
            let count = 200 - lost[0] - lost[1]
            #expect(bottleneck["accepted"] as? Int == count && bottleneck["acceptedBytes"] as? Int == 31 * count)
            #expect(bottleneck["crossSent"] as? Int ?? 0 > 3)
            let flows = try #require(bottleneck["cubicFlows"] as? [[String: Any]])
            #expect(flows.count == 1 && flows[0]["acceptedBytes"] as? Int ?? 0 > 15_000)
            #expect(direction?["queueWait"] is [String: Any])
        }
        let back = pairs[0]["return"] as? [String: Any]
        #expect(back?["bottleneck"] == nil && back?["queueWait"] == nil)
    }

    /// Sends datagrams from one socket through the relay to another, once it listens.
    ///
    /// - Returns: how many did not arrive.
    private func talk(_ near: UDPSocket, _ far: UDPSocket, _ port: UInt16, count: Int) throws -> Int {
        // A port that is taken shows that the relay is there.
        for _ in 0..<500 where (try? UDPSocket(boundTo: UDPAddress(.loopback, port: port))) != nil {
            Thread.sleep(forTimeInterval: 0.02)
        }
        for _ in 0..<count {
            try near.send([1, 2, 3].span, to: UDPAddress(.loopback, port: port))
            Thread.sleep(forTimeInterval: 0.001)
        }
        var (came, bytes): (Int, [UInt8]) = (0, [])
        while try far.receive(into: &bytes, within: .milliseconds(1200)) != nil { came += 1 }
        return count - came
    }
}
