import Foundation
import RillTestSupport
import Testing

extension StreamTests {
    /// Janus's VideoRoom as the server.
    @Suite(
        .enabled(if: isLongRun), .enabled(if: JanusServer.isInstalled, "janus is not installed"),
        .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
    struct JanusTests {
        @Test func `rill publishes a simulcast, and a browser watches the substreams that it selects`() async throws {
            let seconds = 6
            let server = try await JanusServer()
            let publisher = try TableTests.publish(server.endpoint)
            try await waitUntil("\(publisher.errorsSoFar)") { publisher.errorsSoFar.contains(" fps ") }
            var media = ChromiumPeer.Media()
            media.sends = false
            let page = try ChromiumPeer(media)
            try await server.accept(try page.answer(try await server.offer()))
            func received() throws -> ChromiumPeer.Figures.Received { try existing(page.figures().received.first) }
            for substream in [1, 0, 1] {
                try await server.select(substream)
                let start = ContinuousClock.now
                // At first the high layer may be smaller than the clip.
                func isSelected(_ width: Int) -> Bool { substream == 1 ? width >= 320 : width > 0 && width < 320 }
                try await waitUntil("substream \(substream): \(try received()) \(publisher.errorsSoFar)") {
                    isSelected(try page.figures().received.first?.frameWidth ?? 0)
                }
                let switched = ContinuousClock.now - start
                let before = try received()
                try await Task.sleep(for: .seconds(seconds))
                let after = try received()
                let count = (after.framesReceived ?? 0) - (before.framesReceived ?? 0)
                let decoded = (after.framesDecoded ?? 0) - (before.framesDecoded ?? 0)
                // The low layer has 5 frames a second, whatever the network and the machine are.
                let rate = substream == 1 ? try highRate(publisher, last: seconds) : 5
                let sent = Int(rate * Double(seconds))
                note(
                    """
                    rill publish → Janus → Chromium, substream \(substream) | sent about \(sent) | received \(count), \
                    decoded \(decoded), \(after.frameWidth ?? 0) wide | switched in \(Int(switched.milliseconds)) ms
                    """)
                #expect(10 * count > 8 * sent && sent >= 3 * seconds, "substream \(substream): \(count) of \(sent)")
                #expect(isSelected(after.frameWidth ?? 0), "substream \(substream): \(after)")
            }
            try await TableTests.end(publisher)
        }

        /// The frames of the high layer that were sent in each of the last seconds, on average: "4 s  sent 963 kbit/s
        /// 30+6 fps  …". A figure is that of half a second: too few frames of the low layer for a rate.
        private func highRate(_ publisher: RunningProgram, last seconds: Int) throws -> Double {
            let rates = publisher.errorsSoFar.split(separator: "\n").compactMap { line -> Double? in
                let words = line.split(separator: " ")
                guard let place = words.firstIndex(of: "fps"), place > 0 else { return nil }
                return words[place - 1].split(separator: "+").first.flatMap { Double($0) }
            }.suffix(seconds)
            guard !rates.isEmpty else { throw TestFailure("no rates: \(publisher.errorsSoFar)") }
            return rates.reduce(0, +) / Double(rates.count)
        }
    }
}
