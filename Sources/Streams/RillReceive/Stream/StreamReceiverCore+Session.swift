package import RillCore
package import RillRTP

// What a session does for all its streams, and a separate receiver for its own: reports, and requests to the sender.

extension StreamReceiverCore {
    /// Returns the report block of this stream for the next report; `nil` before its first packet.
    package mutating func reportBlock(at now: MediaTime) -> ReportBlock? { buffer.reportBlock(at: now) }

    /// Notes a sender report; one of another SSRC is ignored.
    package mutating func receive(_ report: SenderReport, at now: MediaTime) {
        buffer.noteSenderReport(report, at: now)
    }

    /// The newest packet that arrived or was restored; `nil` before the first.
    package var newestSequenceNumber: SequenceNumber? { buffer.newestSequenceNumber }

    /// The round-trip time to the sender, which spaces the requests.
    package var roundTripTime: MediaDuration {
        get { buffer.roundTripTime }
        set {
            buffer.roundTripTime = newValue
            wakeTime = min(wakeTime, buffer.nextPoll)
        }
    }

    /// Whether a request to the sender is due now; ``takeRequests(_:)`` returns it.
    ///
    /// - Parameter isLeaving: whether a datagram is sent in any case: then the requests of this round trip are
    ///   repeated in it.
    package mutating func areRequestsDue(with isLeaving: Bool) -> Bool {
        reporter.areRequestsDue(on: &buffer, with: isLeaving)
    }

    /// Passes on the requests to the sender: the missing packets, at most ``ReceiverReporter/maximumRequestCount``
    /// per call, and whether a key frame is requested.
    package mutating func takeRequests(_ body: (_ lost: Span<SequenceNumber>, _ isKeyFrameWanted: Bool) -> Void) {
        reporter.takeRequests(on: &buffer, body)
    }

    /// Drops everything of the stream from now on, because it is not wanted. See ``JitterBuffer/pause(behind:at:)``.
    package mutating func pause(behind last: SequenceNumber?, at now: MediaTime) {
        buffer.pause(behind: last, at: now)
        reporter.forgetRequests()
        wakeTime = buffer.nextPoll
    }

    /// Resumes with the next key frame. See ``JitterBuffer/resume(expectingKeyFrame:at:)``.
    package mutating func resume(expectingKeyFrame: Bool, at now: MediaTime) {
        buffer.resume(expectingKeyFrame: expectingKeyFrame, at: now)
        wakeTime = min(wakeTime, now)
    }

    /// Releases the next frame as soon as it can be decoded. See ``JitterBuffer/expedite(at:)``.
    package mutating func expedite(at now: MediaTime) {
        buffer.expedite(at: now)
        wakeTime = min(wakeTime, now)
    }

    /// Whether arriving packets are dropped.
    package var isPaused: Bool { buffer.isPaused }
}
