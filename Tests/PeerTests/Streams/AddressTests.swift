import Foundation
import RillTestSupport
import Testing

extension StreamTests {
    /// Which addresses rill serve gives pages, in networks of other shapes than a machine's with one default route.
    @Suite(
        .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"),
        .enabled(if: TwoNetworks.arePossible, "namespaces need root"))
    struct AddressTests {
        @Test func `A machine without a default route has its addresses`() async throws {
            let networks = try await TwoNetworks()
            try await networks.run(inServers: false, "ip route del default")
            let room = try await Room(networks, at: TwoNetworks.server)
            #expect(try room.publisher.selectedPair() == "10.77.0.2 to 10.77.0.1")
            #expect(try room.viewer.selectedPair().hasSuffix(" to 10.77.0.1"))
        }

        @Test func `A machine without IPv4 has its addresses of IPv6`() async throws {
            let networks = try await TwoNetworks()
            for (inServers, link, address) in [(true, "link0", "fd77::1"), (false, "link1", "fd77::2")] {
                try await networks.run(
                    inServers: inServers,
                    "ip addr flush dev \(link) scope global\nip -6 addr add \(address)/64 dev \(link) nodad")
            }
            let room = try await Room(networks, at: "[fd77::1]")
            #expect(try room.publisher.selectedPair() == "fd77::2 to fd77::1")
            #expect(try room.viewer.selectedPair().hasSuffix(" to fd77::1"))
        }

        @Test func `One of two networks goes, and the pictures go on in the other`() async throws {
            let networks = try await TwoNetworks()
            try await networks.addLink(server: "10.78.0.1/24", client: "10.78.0.2/24")
            let room = try await Room(networks, at: TwoNetworks.server)
            let before = try room.publisher.selectedPair()
            #expect(["10.77.0.2 to 10.77.0.1", "10.78.0.2 to 10.78.0.1"].contains(before))
            // The one that is in use.
            let isFirst = before.contains("10.77.0.1")
            try await networks.run(inServers: false, "ip link set \(isFirst ? "link1" : "link3") down")
            let start = ContinuousClock.now
            try await waitUntil("\(try room.publisher.selectedPair()), \(room.log)", within: 40) {
                try room.publisher.selectedPair()
                    == (isFirst ? "10.78.0.2 to 10.78.0.1" : "10.77.0.2 to 10.77.0.1")
            }
            let frames = try room.viewer.frames()
            try await waitUntil("pictures, \(room.log)", within: 40) { try room.viewer.frames() > frames + 30 }
            note("one network of two gone: pictures again after \(Int((ContinuousClock.now - start).milliseconds)) ms")
        }
    }
}

/// rill serve in one network, and pages that publish and watch in the other. The viewer has pictures.
private struct Room {
    let publisher: ChromiumBrowser
    let viewer: ChromiumBrowser
    private let server: RunningProgram
    private let folder = TemporaryFolder()

    init(_ networks: TwoNetworks, at host: String) async throws {
        try String(repeating: "secret", count: 8).write(
            toFile: folder.path("secret"), atomically: true, encoding: .utf8)
        let rill = try Program(builtAs: "rill")
        let made = try rill.run(["token", "--secret-file", folder.path("secret"), "--publish", "*", "--watch", "*"])
        let token = made.text.trimmingCharacters(in: .whitespacesAndNewlines)
        let address = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        let server = try networks.start(
            rill, ["serve", "--host", address, "--secret-file", folder.path("secret")], inServers: true)
        self.server = server
        try await waitUntil("no server: \(server.errorsSoFar)") { server.outputSoFar.contains("Listening") }
        let origin = "http://\(host):8080"
        func page(_ path: String) throws -> ChromiumBrowser {
            let browser = try ChromiumBrowser(
                trusting: origin, by: networks.launcher(inServers: false), limit: 300)
            try browser.runBefore(ChromiumBrowser.keepingConnections)
            try browser.navigate(to: "\(origin)/\(path)#token=\(token)")
            return browser
        }
        publisher = try page("publish?start&stream=stage")
        let publisher = publisher
        try await waitUntil("no stream: \(try publisher.status()) \(server.errorsSoFar)") {
            try publisher.status() == "Published."
        }
        viewer = try page("watch?stream=stage")
        let viewer = viewer
        try await waitUntil("no picture: \(try viewer.status()) \(server.errorsSoFar)") { try viewer.frames() > 10 }
    }

    var log: String { server.errorsSoFar }
}

extension ChromiumBrowser {
    fileprivate static let keepingConnections = """
        const peers = [];
        window.RTCPeerConnection = class extends RTCPeerConnection {
          constructor(...all) { super(...all); peers.push(this); }
        };
        const statistics = async () => [...(await peers.at(-1)?.getStats() ?? new Map()).values()];
        """

    fileprivate func status() throws -> String { try text("document.getElementById('status').textContent") }

    /// The addresses of the pair that is in use, as the browser names it.
    fileprivate func selectedPair() throws -> String {
        try text(
            """
            (async () => {
              const all = await statistics(), find = id => all.find(one => one.id === id);
              const pair = find(all.find(one => one.type === "transport")?.selectedCandidatePairId);
              return `${find(pair?.localCandidateId)?.address} to ${find(pair?.remoteCandidateId)?.address}`;
            })()
            """)
    }

    /// The frames that were decoded by the connection of now.
    fileprivate func frames() throws -> Int {
        let stream = "(await statistics()).find(one => one.type === 'inbound-rtp')"
        return Int(try text("(async () => `${\(stream)?.framesDecoded ?? 0}`)()")) ?? 0
    }
}
