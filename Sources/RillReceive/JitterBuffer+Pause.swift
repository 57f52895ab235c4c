public import RillCore
public import RillRTP

// A stream that nobody wants for a while, and that its sender was asked to pause (RFC 7728).

extension JitterBuffer {
    /// Holds nothing of the stream from now on: frames that wait are dropped, and so is what still comes. It is counted;
    /// nothing is released, NACKed or asked for. What is missing so far was of no use any more and is forgotten.
    ///
    /// - Parameter last: the last packet that was sent, where that is known: it may not have come.
    public mutating func pause(behind last: SequenceNumber? = nil, at time: MediaTime) {
        now = max(now, time)
        isPaused = true
        dropAll(behind: last)
    }

    /// Goes on with the next whole key frame, which is released as soon as it is whole.
    ///
    /// - Parameter expectingKeyFrame: the sender was asked in another way to begin with one; else it is asked for now.
    public mutating func resume(expectingKeyFrame: Bool, at time: MediaTime) {
        now = max(now, time)
        guard isPaused else { return }
        dropAll(behind: nil)
        isPaused = false
        if expectingKeyFrame { requester.noteRequest(at: now) }
        expedite(at: now)
    }

    /// Releases the next frame as soon as it can be decoded, whenever it is due: somebody waits for a picture of the stream. Those behind
    /// it keep their time.
    public mutating func expedite(at time: MediaTime) {
        now = max(now, time)
        isExpedited = true
        unsettle()
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
                // A packet far ahead is somebody's mistake.
                if (1...JitterBuffer.longestOvertaking).contains(step) { newest += step }
            }
            packets.advance(to: newest + 1)
            requests.generator.restart(at: newest)
            // Frames behind it follow none of those before, and their distance is not a frame interval.
            finder.restart()
            finder.lose()
        }
        // Ends the repetition of what was NACKed.
        collectUnanswered()
        unsettle()
    }

    /// So many packets may be overtaken by the word that no more follow.
    private static var longestOvertaking: Int64 { 1000 }
}
