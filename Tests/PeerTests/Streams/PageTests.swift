import Glibc
import RillTestSupport
import Testing

extension StreamTests {
    /// What the pages show.
    @Suite(.enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
    struct PageTests {
        @Test(arguments: [false, true])
        func `A page that was hidden when the stream began does not tell the time to the first picture`(
            isHidden: Bool
        ) async throws {
            let server = try await StreamServer()
            let publisher = try RillRun.start("publish", server.url("whip/stage"))
            try await waitUntil("\(publisher.errorsSoFar)") { try await server.receives("stage") }
            let page = try StreamPage.watching("stage", at: server, isHidden: isHidden)
            try await waitUntil("a picture; the page says \(try page.status())") { try page.status() == "Live." }
            try page.browser.show()
            try await waitUntil("pictures: \(try page.counts())") { try page.counts().width > 0 && page.hasNumbers() }
            #expect(try (page.firstPicture() == nil) == isHidden)
            try await TableTests.end(publisher)
        }

        @Test func `Browsers that publish and watch get AES-GCM, which costs the server least`() async throws {
            let server = try await StreamServer()
            let publisher = try StreamPage.publishing("stage", at: server)
            try await waitUntil("\(try publisher.status())") { try publisher.status() == "Published." }
            try await waitUntil("the stream") { try await server.receives("stage") }
            let page = try StreamPage.watching("stage", at: server)
            try await waitUntil("a picture; the page says \(try page.status())") { try page.status() == "Live." }
            let ciphers = [try publisher.counts().cipher, try page.counts().cipher]
            #expect(ciphers == ["SRTP_AEAD_AES_128_GCM", "SRTP_AEAD_AES_128_GCM"])
            let firstPicture = try page.firstPicture()
            note("first picture after \(firstPicture ?? -1) ms")
        }

        @Test func `A page says within 3 s that no picture comes any more, and that they come again`() async throws {
            let server = try await StreamServer()
            let publisher = try RillRun.start("publish", server.url("whip/stage"))
            try await waitUntil("\(publisher.errorsSoFar)") { try await server.receives("stage") }
            let page = try StreamPage.watching("stage", at: server)
            try await waitUntil("a picture; the page says \(try page.status())") { try page.status() == "Live." }
            for _ in 0..<2 {
                try publisher.send(SIGSTOP)
                let silence = try await waitUntil("silence; the page says \(try page.status())") {
                    try page.status() == "No new picture: waiting for the publisher …"
                }
                try publisher.send(SIGCONT)
                let recovery = try await waitUntil("pictures again; the page says \(try page.status())") {
                    try page.status() == "Live."
                }
                note("said after \(silence), and again after \(recovery)")
                // 3 s, and what is still in the jitter buffer; a busy machine takes its time.
                #expect(silence < .seconds(3.5) && recovery < .seconds(3.5) || !isLongRun)
            }
            try await TableTests.end(publisher)
        }

        @Test(arguments: [320, 390, 768])
        func `The publish page fits a phone, whatever the names are`(width: Int) async throws {
            let server = try await StreamServer()
            let page = try StreamPage(at: server.url("publish"))
            try page.browser.resize(width: width, height: 844)
            let name = "HD Pro Webcam C920 of the meeting room on the second floor, USB 3.0 (046d:082d)"
            for text in [name, name.replacing(" ", with: ""), String(repeating: "W", count: 250)] {
                let measured = try page.browser.evaluate(
                    """
                    (() => {
                      document.getElementById('camera').replaceChildren(new Option('\(text)'));
                      document.getElementById('status').textContent = '\(text)';
                      document.getElementById('watch').textContent = 'http://localhost/watch?stream=' + '\(text)';
                      document.getElementById('link').hidden = false;
                      return document.documentElement.scrollWidth;
                    })()
                    """)
                #expect(measured as? Int ?? .max <= width, "\(text)")
            }
        }
    }
}

extension StreamPage {
    /// Whether the page shows numbers of pictures that it shows.
    fileprivate func hasNumbers() throws -> Bool {
        // The numbers are a second old at most.
        try counts().shown.values.reduce(0, +) > 60
    }
}
