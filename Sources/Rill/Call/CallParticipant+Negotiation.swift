import RillCore
package import RillRTP
import RillSession

// What changes when a participant's descriptions are negotiated again.

extension CallParticipant {
    /// Makes the streams of both directions those that were negotiated.
    ///
    /// A stream that is not among them any more is paused, so that it can come back with its SSRC. New layers of theirs
    /// are shown by the next ``show(on:_:)``.
    ///
    /// - Parameters:
    ///   - sent: what they are sent.
    ///   - received: what they send.
    /// - Throws: ``CallError/invalidDescription(_:)``, or what the session refuses.
    package func change(sent: [SentStream], received: [StreamDescription]) throws {
        let now = clock.now
        try changeSent(sent, at: now)
        try changeReceived(received, at: now)
        noteWants()
        wakePoller()
    }

    private func changeSent(_ sent: [SentStream], at now: MediaTime) throws {
        var random = SystemRandomNumberGenerator()
        let before = state.withLock { $0.sent.streams }
        for stream in before {
            let still = sent.first { agreed in stream.agreed.map { agreed.description.isStream(of: $0) } ?? false }
            let isPaused = still?.description.isPaused ?? true
            session.change(delivering: output.send) { $0.setPaused(isPaused, of: stream.id, at: now) }
        }
        for agreed in sent
        where !before.contains(where: { $0.agreed.map { agreed.description.isStream(of: $0) } ?? false }) {
            try state.withLock { (state) throws in
                try state.sent.add(agreed, layersOfCall, sendSettings, on: session, using: &random)
            }
        }
    }

    private func changeReceived(_ received: [StreamDescription], at now: MediaTime) throws {
        for (layer, stream) in streams.enumerated() {
            guard let id = state.withLock({ $0.receiving[layer] }) else { continue }
            let still = received.first { $0.isStream(of: stream) }
            session.change(delivering: output.send) { $0.setMuted(still?.isPaused ?? true, of: id) }
        }
        let before = streams
        let added = received.filter { stream in !before.contains { stream.isStream(of: $0) } }
        guard !added.isEmpty else { return }
        receive(added, at: now)
    }
}
