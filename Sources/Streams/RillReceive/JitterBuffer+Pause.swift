public import RillCore
public import RillRTP

// A stream that is not wanted for a while, and whose sender was asked to pause it (RFC 7728).

extension JitterBuffer {
    /// Pauses the stream: drops the waiting frames, and everything that still arrives. The drops are counted; nothing
    /// is released, NACKed or requested. Missing packets are forgotten.
    ///
    /// - Parameters:
    ///   - last: the last packet that was sent, if known: it may not have arrived. `nil` by default.
    ///   - time: the current time.
    public mutating func pause(behind last: SequenceNumber? = nil, at time: MediaTime) {
        now = max(now, time)
        isPaused = true
        dropAll(behind: last)
    }

    /// Resumes with the next complete key frame, which is released at once.
    ///
    /// - Parameters:
    ///   - expectingKeyFrame: whether the sender was already asked, in another way, to start with a key frame;
    ///     otherwise it is requested now.
    ///   - time: the current time.
    public mutating func resume(expectingKeyFrame: Bool, at time: MediaTime) {
        now = max(now, time)
        guard isPaused else { return }
        dropAll(behind: nil)
        isPaused = false
        if expectingKeyFrame { requester.noteRequest(at: now) }
        expedite(at: now)
    }

    /// Requests a key frame for a reason of the caller's, unless it is too soon after the last request: both are then
    /// answered by the same key frame. A request is counted, and delays this buffer's own.
    ///
    /// - Parameter time: the current time.
    /// - Returns: whether a key frame is to be requested.
    package mutating func takesKeyFrameRequest(at time: MediaTime) -> Bool {
        now = max(now, time)
        let allowed = requester.nextRequest(frameInterval: interval.last, lastArrival: lastArrival)
        guard allowed <= now else { return false }
        requester.noteRequest(at: now)
        counts.pliCount += 1
        invalidateWait()
        return true
    }

    /// Releases the next frame as soon as it can be decoded, even before it is due: a picture of the stream is
    /// awaited. Later frames keep their times.
    ///
    /// - Parameter time: the current time.
    public mutating func expedite(at time: MediaTime) {
        now = max(now, time)
        isExpedited = true
        invalidateWait()
    }

    /// Drops what is held, and forgets what is missing.
    mutating func dropAll(behind last: SequenceNumber?) {
        while assembler.frames.count > 0 {
            _ = dropFirstFrame()
            counts.drops.paused += 1
        }
        if var newest = continuity.newestSequence {
            if let last {
                let step = Int64(Int16(bitPattern: last.rawValue &- UInt16(truncatingIfNeeded: newest)))
                // A packet far ahead is an error of the sender.
                if (1...JitterBuffer.maximumReordering).contains(step) { newest += step }
            }
            packets.advance(to: newest + 1)
            requests.generator.restart(at: newest)
            // Frames after it follow none of the previous ones, and their distance is not a frame interval.
            finder.restart()
            finder.lose()
        }
        // Ends the repetition of NACKs.
        collectUnanswered()
        invalidateWait()
    }

    /// The most packets that the pause message may overtake.
    private static var maximumReordering: Int64 { 1000 }
}
