package import RillCore
package import RillReceive

/// What a session was told, in the order in which it was: a call that was live, played again, is decided in the same way.
///
///     session.journal = SessionJournal()             // before the first call
///     …
///     session.journal?.play(on: again) { … }         // a session with the same settings and streams
///
/// One owner, the session's. It grows with the call, and copies what it is told.
package final class SessionJournal {
    /// All that happened so far.
    package private(set) var calls: [Call] = []

    /// What a session is told.
    package enum Call: Sendable {
        case insert([UInt8], at: MediaTime)
        case send(EncodedFrame, [UInt8], of: SendingStreamID, at: MediaTime)
        /// It was asked what to do.
        case poll(at: MediaTime)
        case finish(
            ReceivedFrame, of: ReceivingStreamID, DecodeOutcome, picture: Resolution?, decoded: MediaTime, at: MediaTime
        )
    }

    /// A journal of a session that nothing was said to yet.
    package init() {}

    /// A journal of these calls, to play them.
    package init(_ calls: [Call]) { self.calls = calls }

    func note(_ call: Call) { calls.append(call) }

    /// Tells `session` all that is written here.
    ///
    /// - Parameter note: gets what it wants done, and the bytes of that; datagrams too.
    package func play(on session: RTPSession, _ note: (SessionAction, Span<UInt8>) -> Void) {
        var bytes: [UInt8] = []
        for call in calls {
            switch call {
            case .insert(let datagram, let now): session.insert(datagram.span, at: now)
            case .send(let frame, let payload, let stream, let now):
                session.send(frame, payload: payload.span, of: stream, at: now)
            case .poll(let now): note(session.pollBesideDatagrams(at: now, into: &bytes), bytes.span)
            case .finish(let frame, let stream, let outcome, let picture, let decoded, let now):
                session.finish(frame, of: stream, outcome, picture: picture, decoded: decoded, at: now)
            }
            session.transmit { packet, datagram in note(.transmit(packet), datagram.span) }
        }
    }
}
