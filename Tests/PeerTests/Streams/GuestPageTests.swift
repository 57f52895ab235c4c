import RillTestSupport
import Testing

extension StreamTests {
    /// Guests by `rill-room.js`, in a browser whose page loads again.
    @Suite(.enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
    struct GuestPageTests {
        private static let join = """
            (async () => {
              const { Room } = await import('/rill-room.js');
              window.room = await Room.join('/rooms', { room: 'lobby', name: 'Anna', slots: 1, soundSlots: 1 });
              // The chat may come behind the answer.
              while (!room.chat.author) await new Promise((done) => setTimeout(done, 20));
              return room.chat.author;
            })()
            """
        private static let list = """
            room.chat.messages.map(({ text, author }) => `${text} ${author === room.chat.author}`).join()
              + `;${room.chat.outgoing.length}`
            """

        @Test func `A guest is the same author after a reload, and what was not answered is there once`() async throws {
            let folder = TemporaryFolder()
            let server = try await StreamServer(options: ["--data", folder.path("data")])
            let browser = try ChromiumBrowser(limit: 120)
            try browser.navigate(to: server.url("healthz"))
            let author = try browser.text(Self.join)
            #expect(author.hasPrefix("guest:"))
            _ = try browser.text("`${room.chat.send('one').key}`")
            try await waitUntil("it is sent") { try browser.text(Self.list) == "one true;0" }
            // As if the page had ended before the answer came, with another message behind.
            let keep = """
                (() => {
                  const { key } = room.chat.messages[0];
                  const kept = [{ key, text: 'one' }, { key: 'next', text: 'two' }];
                  sessionStorage.setItem('rill-chat lobby Anna', JSON.stringify({ outgoing: kept }));
                  return 'kept';
                })()
                """
            for isKilled in [false, true] {
                if isKilled { _ = try await server.end(killed: true) }
                _ = try browser.text(keep)
                if isKilled { try await server.start() }
                try browser.navigate(to: server.url("healthz?\(isKilled)"))
                #expect(try browser.text(Self.join) == author)
                try await waitUntil("all is sent: \(try browser.text(Self.list))") {
                    try browser.text(Self.list) == "one true,two true;0"
                }
            }
            #expect(try browser.text("`${room.participants.size}`") == "1")
        }
    }
}
