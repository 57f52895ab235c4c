import RillCore

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
            case .insert(let datagram, let now): insert(datagram.span, at: now)
            case .send(let frame, let payload, let stream, let now):
                send(frame, payload: payload.span, of: stream, at: now)
            case .sendPayload(let payload, let captureTime, let isMarked, let stream, let now):
                send(payload.span, capturedAt: captureTime, isMarked: isMarked, of: stream, at: now)
            case .muteSending(let isMuted, let stream, let now): setMuted(isMuted, of: stream, at: now)
            case .muteReceiving(let isMuted, let stream): setMuted(isMuted, of: stream)
            case .want(let isWanted, let stream, let now): setWanted(isWanted, of: stream, at: now)
            case .pauseSending(let isPaused, let stream, let now): setPaused(isPaused, of: stream, at: now)
            case .expedite(let stream, let now): expedite(stream, at: now)
            case .requestKeyFrame(let stream, let now): requestKeyFrame(of: stream, at: now)
            case .restartCongestionControl(let now): restartCongestionControl(at: now)
            case .poll(let now): note(pollExceptDatagrams(at: now, into: &bytes), bytes.span)
            case .finish(let frame, let stream, let outcome, let picture, let decoded, let now):
                finish(frame, of: stream, outcome, picture: picture, decoded: decoded, at: now)
            }
            transmit { packet, datagram in note(.transmit(packet), datagram.span) }
        }
    }
}
