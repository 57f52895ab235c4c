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
    }
}

extension StreamPage {
    /// Whether the page shows numbers of pictures that it shows.
    fileprivate func hasNumbers() throws -> Bool {
        // The numbers are a second old at most.
        try counts().shown.values.reduce(0, +) > 60
    }
}
