package import RillCore
package import RillRTP

// What a session does for all of its streams, and a receiver by itself for its own: reports, and requests to the sender.

extension StreamReceiverCore {
    /// What the next report is to say of this stream; `nil` before its first packet.
    package mutating func reportBlock(at now: MediaTime) -> ReportBlock? { buffer.reportBlock(at: now) }

    /// Takes a sender report; one of another source is passed over.
    package mutating func receive(_ report: SenderReport, at now: MediaTime) {
        buffer.noteSenderReport(report, at: now)
    }

    /// The newest packet that has come, or was restored; `nil` before the first.
    package var newestSequenceNumber: SequenceNumber? { buffer.newestSequenceNumber }

    /// The time to the sender and back, which requests are spaced by.
    package var roundTripTime: MediaDuration {
        get { buffer.roundTripTime }
        set {
            buffer.roundTripTime = newValue
            wakeTime = min(wakeTime, buffer.nextPoll)
        }
    }

    /// Whether something is to be asked of the sender now; what, says ``takeRequests(_:)``.
    ///
    /// - Parameter isLeaving: a datagram leaves in any case: what was asked for within the round trip goes with it.
    package mutating func areRequestsDue(with isLeaving: Bool) -> Bool {
        reporter.areRequestsDue(on: &buffer, with: isLeaving)
    }

    /// Hands out what is to be asked of the sender: the packets that are missed, at most
    /// ``ReceiverReporter/maximumRequestCount`` a call, and whether a key frame is wanted.
    package mutating func takeRequests(_ body: (_ lost: Span<SequenceNumber>, _ isKeyFrameWanted: Bool) -> Void) {
        reporter.takeRequests(on: &buffer, body)
    }

    /// Holds nothing of the stream from now on: nobody wants it. See ``JitterBuffer/pause(behind:at:)``.
    package mutating func pause(behind last: SequenceNumber?, at now: MediaTime) {
        buffer.pause(behind: last, at: now)
        reporter.forgetRequests()
        wakeTime = buffer.nextPoll
    }

    /// Goes on with the next key frame. See ``JitterBuffer/resume(expectingKeyFrame:at:)``.
    package mutating func resume(expectingKeyFrame: Bool, at now: MediaTime) {
        buffer.resume(expectingKeyFrame: expectingKeyFrame, at: now)
        wakeTime = min(wakeTime, now)
    }

    /// Releases the next frame as soon as it can be decoded. See ``JitterBuffer/expedite(at:)``.
    package mutating func expedite(at now: MediaTime) {
        buffer.expedite(at: now)
        wakeTime = min(wakeTime, now)
    }

    /// Whether nothing is held of what comes.
    package var isPaused: Bool { buffer.isPaused }
}
