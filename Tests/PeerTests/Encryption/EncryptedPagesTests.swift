import Foundation
import RillTestSupport
import Testing

extension StreamTests {
    /// The room's own page with a secret in its link, judged by what it shows and plays.
    @Suite(.enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
    struct EncryptedPagesTests {
        @Test(
            .enabled(if: isLongRun, "with --all"), arguments: ["secret=tulip&bits=256", "secret=rose&bits=128"])
        func `Equal secret and mode: seen; another secret or mode, or none: "encrypted", and no noise`(
            other: String
        ) async throws {
            let server = try await StreamServer()
            // In the clear.
            let bot = try EncryptedRoomBot(at: server, secret: nil, ["--size", "320x180"])
            try await waitUntil("no bot: \(bot.log)") { bot.isThere }
            let links = ["secret=tulip&bits=128", "secret=tulip", other, ""]
            let names = ["Anna", "Ben", "Cleo", "Dora"]
            let pages = try zip(names, links).map { try EncryptedPage($0, at: server, link: $1) }
            let (anna, ben, cleo, dora) = (pages[0], pages[1], pages[2], pages[3])
            for (page, others) in [
                (anna, ["Cleo", "Dora", "bot 1"]), (ben, ["Cleo", "Dora", "bot 1"]),
                (cleo, ["Anna", "Ben", "Dora", "bot 1"]), (dora, ["Anna", "Ben", "Cleo"]),
            ] {
                for name in others {
                    try await waitUntil("no placeholder of \(name): \(try page.look(at: name))", within: 60) {
                        try page.look(at: name).isPlaceholder
                    }
                }
            }
            for (page, name) in [(anna, "Ben"), (ben, "Anna"), (dora, "bot 1")] {
                try await waitUntil("\(name) is not seen: \(try page.look(at: name))", within: 60) {
                    try page.look(at: name).isPicture
                }
                #expect(try !page.look(at: name).saysEncrypted)
            }
            try await waitUntil("Ben is not heard: \(try anna.statistics())") { try anna.statistics().energy > 0 }
            // Some seconds more: nothing that cannot be opened comes through.
            try await Task.sleep(for: .seconds(4))
            for (page, pictures) in [(anna, 1), (ben, 1), (cleo, 0), (dora, 1)] {
                let statistics = try page.statistics()
                note("\(page.name): \(statistics)")
                #expect(statistics.pictures == pictures && statistics.errors.isEmpty, "\(page.name): \(statistics)")
            }
            // Nobody gets noise, and nobody requests key frames of what they cannot open.
            for page in [cleo, dora] {
                let statistics = try page.statistics()
                #expect(statistics.energy == 0 && statistics.requests == 0, "\(page.name): \(statistics)")
            }
            for (page, name) in [(anna, "Cleo"), (anna, "Dora"), (cleo, "Anna"), (dora, "Anna")] {
                let look = try page.look(at: name)
                #expect(look.isPlaceholder, "\(page.name) of \(name): \(look)")
            }
            _ = try await bot.end()
            #expect(try await server.end(killed: false) == 0, "\(server.log)")
        }

        @Test func `A link's key is kept as it is, and with an empty one nobody joins in the clear`() async throws {
            let server = try await StreamServer()
            let page = try EncryptedPage("Anna", at: server, link: "secret=")
            try await waitUntil("it does not say so: \(try page.text())") {
                try page.text().contains("without encryption")
            }
            #expect(try page.browser.text("`${peers.length}`") == "0")
            // Another key than the others' would be worse than none.
            try page.browser.navigate(to: server.url("room?room=lobby#secret=Gr%C3%BC%C3%9Fe%20%2B%20Tee&bits=999"))
            try await waitUntil("no key") {
                try page.browser.text("document.getElementById('secret')?.value ?? ''") == "Grüße + Tee"
            }
            #expect(try page.browser.text("document.getElementById('cipher').textContent") == "AES 128")
        }

        @Test(.enabled(if: isLongRun, "with --all"))
        func `Letters that a keyboard makes of one character or of two are one key, and a reload is seen again`()
            async throws
        {
            let server = try await StreamServer()
            let anna = try EncryptedPage("Anna", at: server, link: "secret=Gr%C3%BC%C3%9Fe%20und%20Tee")
            let ben = try EncryptedPage("Ben", at: server, link: "secret=Gru%CC%88%C3%9Fe%20und%20Tee")
            for _ in 0..<2 {
                for (page, name) in [(anna, "Ben"), (ben, "Anna")] {
                    try await waitUntil("\(name) is not seen: \(try page.look(at: name))", within: 60) {
                        try page.look(at: name).isPicture
                    }
                }
                _ = try ben.browser.evaluate("location.reload()")
                try await Task.sleep(for: .seconds(1))
            }
            #expect(try anna.statistics().errors.isEmpty && ben.statistics().errors.isEmpty)
        }

        @Test func `A browser without the transform says so, and does not join in the clear`() async throws {
            let server = try await StreamServer()
            let page = try EncryptedPage(
                "Anna", at: server, link: "secret=tulip", before: "delete RTCRtpScriptTransform;")
            try await waitUntil("it does not say so: \(try page.text())") {
                try page.text().contains("cannot encrypt")
            }
            #expect(try page.browser.text("`${peers.length}`") == "0")
            let url = try #require(URL(string: server.url("metrics")))
            let metrics = try String(contentsOf: url, encoding: .utf8)
            #expect(metrics.contains("rill_room_joins_total 0"), "\(metrics)")
        }
    }
}

/// The page of a room in a browser of its own, seen as a person sees it: by rectangles, pixels and texts.
private struct EncryptedPage {
    let browser: ChromiumBrowser
    let name: String

    /// Somebody's tile.
    struct Look: Decodable {
        /// All that is written in it, labels for those who do not see it too.
        var text: String
        /// Whether it shows a video of more than 16 pixels.
        var isVisible: Bool
        /// The difference between its brightest and its darkest pixel, and how many change within 0.3 s.
        var contrast: Double
        var changes: Int

        var saysEncrypted: Bool { text.lowercased().contains("encrypted") }
        var isPicture: Bool { isVisible && contrast > 40 && changes > 0 }
        var isPlaceholder: Bool { !isVisible && saysEncrypted }
    }

    /// What it receives.
    struct Statistics: Decodable {
        /// Streams of more than 16 pixels.
        var pictures: Int
        var energy: Double
        /// Key frames that it requested.
        var requests: Int
        var errors: [String]
    }

    init(_ name: String, at server: StreamServer, link: String, before script: String = "") throws {
        self.name = name
        browser = try ChromiumBrowser(limit: 200)
        try browser.runBefore(
            """
            \(script)
            globalThis.peers = [];
            globalThis.errors = [];
            globalThis.RTCPeerConnection = class extends RTCPeerConnection {
              constructor(...all) { super(...all); peers.push(this); }
            };
            for (const type of ['error', 'unhandledrejection']) {
              addEventListener(type, (event) => errors.push(`${event.message ?? event.reason}`));
            }
            globalThis.pixels = (video) => {
              const canvas = new OffscreenCanvas(64, 36);
              const context = canvas.getContext('2d');
              context.drawImage(video, 0, 0, 64, 36);
              const {data} = context.getImageData(0, 0, 64, 36);
              return Array.from({length: 64 * 36}, (_, place) =>
                0.3 * data[4 * place] + 0.6 * data[4 * place + 1] + 0.1 * data[4 * place + 2]);
            };
            globalThis.look = async (name) => {
              const says = (one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.includes(name))
                || (one.ariaLabel ?? '').includes(name);
              let tile = [...document.body.querySelectorAll('*')].filter(says)
                .find((one) => one.parentElement.querySelector('video') || one.querySelector('video'));
              while (tile && !tile.querySelector('video')) tile = tile.parentElement;
              if (!tile) return {text: '', isVisible: false, contrast: 0, changes: 0};
              const labels = [tile, ...tile.querySelectorAll('*')].map((one) => one.ariaLabel ?? '');
              const text = [tile.innerText, ...labels].join(' ');
              const video = [...tile.querySelectorAll('video')].find((one) => {
                const {width, height} = one.getBoundingClientRect();
                const isShown = one.checkVisibility({opacityProperty: true, visibilityProperty: true});
                return isShown && width > 0 && height > 0 && one.videoWidth > 16 && one.readyState > 1;
              });
              if (!video) return {text, isVisible: false, contrast: 0, changes: 0};
              const before = pixels(video);
              await new Promise((resolve) => setTimeout(resolve, 300));
              const after = pixels(video);
              const changes = after.filter((one, place) => Math.abs(one - before[place]) > 8).length;
              return {text, isVisible: true, contrast: Math.max(...after) - Math.min(...after), changes};
            };
            """)
        try browser.navigate(to: server.url("room?room=lobby&name=\(name)&start#\(link)"))
    }

    func look(at name: String) throws -> Look {
        let text = try browser.text("(async () => JSON.stringify(await look(\(literal(name)))))()")
        return try JSONDecoder().decode(Look.self, from: Data(text.utf8))
    }

    func text() throws -> String { try browser.text("document.body.innerText") }

    func statistics() throws -> Statistics {
        let text = try browser.text(
            """
            (async () => {
              const found = {pictures: 0, energy: 0, requests: 0, errors};
              for (const peer of peers) (await peer.getStats()).forEach((one) => {
                if (one.type !== 'inbound-rtp') return;
                if (one.kind === 'audio') { found.energy += one.totalAudioEnergy ?? 0; return; }
                if ((one.frameWidth ?? 0) > 16) found.pictures += 1;
                found.requests += (one.pliCount ?? 0) + (one.firCount ?? 0);
              });
              return JSON.stringify(found);
            })()
            """)
        return try JSONDecoder().decode(Statistics.self, from: Data(text.utf8))
    }
}
