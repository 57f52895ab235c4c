package import RillCore
package import RillReceive

/// What a session was told, in the order in which it was: a call that was live, played again, is decided in the same way.
///
///     session.journal = SessionJournal()             // before the first call
///     …
///     again.play(session.journal?.calls ?? []) { … } // a session with the same settings and streams
///
/// One owner, the session's. It grows with the call, and copies what it is told.
package final class SessionJournal {
    /// All that happened so far.
    package private(set) var calls: [Call] = []

    /// What a session is told.
    package enum Call: Sendable {
        case insert([UInt8], at: MediaTime)
        case send(EncodedFrame, [UInt8], of: SendingStreamID, at: MediaTime)
        case muteSending(Bool, of: SendingStreamID, at: MediaTime)
        case muteReceiving(Bool, of: ReceivingStreamID)
        case want(Bool, of: ReceivingStreamID, at: MediaTime)
        case pauseSending(Bool, of: SendingStreamID, at: MediaTime)
        case expedite(ReceivingStreamID, at: MediaTime)
        /// It was asked what to do.
        case poll(at: MediaTime)
        case finish(
            ReceivedFrame, of: ReceivingStreamID, DecodeOutcome, picture: Resolution?, decoded: MediaTime, at: MediaTime
        )
    }

    /// A journal of a session that nothing was said to yet.
    package init() {}

    func note(_ call: Call) { calls.append(call) }
}
