package import RillCore
package import RillReceive

/// A record of the calls to a session, in order. Replaying the calls of a live session gives the same decisions.
///
/// ```swift
/// session.journal = SessionJournal()              // before the first call
/// …
/// again.play(session.journal?.calls ?? []) { … }  // a session with the same settings and streams
/// ```
///
/// It has one owner, the session. It grows with the call, and copies all its input.
package final class SessionJournal {
    /// All calls so far.
    package private(set) var calls: [Call] = []

    /// A call to a session.
    package enum Call: Sendable {
        case insert([UInt8], at: MediaTime)
        case send(EncodedFrame, [UInt8], of: SendingStreamID, at: MediaTime)
        case sendPayload([UInt8], capturedAt: MediaTime, isMarked: Bool, of: SendingStreamID, at: MediaTime)
        case muteSending(Bool, of: SendingStreamID, at: MediaTime)
        case muteReceiving(Bool, of: ReceivingStreamID)
        case want(Bool, of: ReceivingStreamID, at: MediaTime)
        case pauseSending(Bool, of: SendingStreamID, at: MediaTime)
        case expedite(ReceivingStreamID, at: MediaTime)
        case requestKeyFrame(of: ReceivingStreamID, at: MediaTime)
        case restartCongestionControl(at: MediaTime)
        /// It was polled.
        case poll(at: MediaTime)
        case finish(
            ReceivedFrame, of: ReceivingStreamID, DecodeOutcome, picture: Resolution?, decoded: MediaTime, at: MediaTime
        )
    }

    /// Creates an empty journal.
    package init() {}

    func note(_ call: Call) { calls.append(call) }
}
