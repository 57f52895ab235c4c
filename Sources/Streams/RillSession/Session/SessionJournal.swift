package import RillCore
package import RillReceive
package import RillSend

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
        case insert([UInt8], at: MediaTime, arrival: MediaTime)
        case send(EncodedFrame, [UInt8], of: SendingStreamID, at: MediaTime)
        case sendPayload([UInt8], PayloadStamp, of: SendingStreamID, at: MediaTime)
        case muteSending(Bool, of: SendingStreamID, at: MediaTime)
        case muteReceiving(Bool, of: ReceivingStreamID)
        case want(Bool, of: ReceivingStreamID, at: MediaTime)
        case pauseSending(Bool, of: SendingStreamID, at: MediaTime)
        case expedite(ReceivingStreamID, at: MediaTime)
        case requestKeyFrame(of: ReceivingStreamID, at: MediaTime)
        case restartCongestionControl(at: MediaTime)
        case setBitrates(ClosedRange<Bitrate>, at: MediaTime)
        case requestProbe(of: Bitrate, at: MediaTime)
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

extension RTPSession {
    /// Repeats the calls to a session with the same settings and streams.
    ///
    /// - Parameters:
    ///   - calls: the recorded calls.
    ///   - note: receives each action with its bytes, including datagrams.
    package func play(_ calls: [SessionJournal.Call], _ note: (SessionAction, Span<UInt8>) -> Void) {
        var bytes: [UInt8] = []
        for call in calls {
            switch call {
            case .insert(let datagram, let now, let arrival): insert(datagram.span, at: now, arrival: arrival)
            case .send(let frame, let payload, let stream, let now):
                send(frame, payload: payload.span, of: stream, at: now)
            case .sendPayload(let payload, let stamp, let stream, let now):
                send(payload.span, stamp, of: stream, at: now)
            case .muteSending(let isMuted, let stream, let now): setMuted(isMuted, of: stream, at: now)
            case .muteReceiving(let isMuted, let stream): setMuted(isMuted, of: stream)
            case .want(let isWanted, let stream, let now): setWanted(isWanted, of: stream, at: now)
            case .pauseSending(let isPaused, let stream, let now): setPaused(isPaused, of: stream, at: now)
            case .expedite(let stream, let now): expedite(stream, at: now)
            case .requestKeyFrame(let stream, let now): requestKeyFrame(of: stream, at: now)
            case .restartCongestionControl(let now): restartCongestionControl(at: now)
            case .setBitrates(let bounds, let now): setBitrates(bounds, at: now)
            case .requestProbe(let bitrate, let now): requestProbe(of: bitrate, at: now)
            case .poll(let now): note(pollExceptDatagrams(at: now, into: &bytes), bytes.span)
            case .finish(let frame, let stream, let outcome, let picture, let decoded, let now):
                finish(frame, of: stream, outcome, picture: picture, decoded: decoded, at: now)
            }
            transmit { packet, datagram in note(.transmit(packet), datagram.span) }
        }
    }
}
