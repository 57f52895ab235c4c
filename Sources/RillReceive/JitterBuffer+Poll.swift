public import RillCore
import RillRTP

extension JitterBuffer {
    /// Says what is to be done now, or until when nothing is. Poll after each packet and at the time last named, each
    /// time until the answer is `wait`.
    ///
    /// - Parameter payload: emptied and filled with the frame's bytes when the answer is a frame; else left alone.
    public mutating func poll(at time: MediaTime, into payload: inout [UInt8]) -> PollResult {
        now = max(now, time)
        if let settledUntil, now < settledUntil { return .wait(until: settledUntil) }
        return act(into: &payload)
    }

    /// Does what is to be done until there is something to tell.
    private mutating func act(into payload: inout [UInt8]) -> PollResult {
        while true {
            switch nextStep() {
            case .wait(let time):
                settledUntil = time
                return .wait(until: time)
            case .request:
                requester.noteRequest(at: now)
                counts.pliCount += 1
                return .requestKeyFrame
            case .drop(let index):
                drop(before: index)
            case .release(let index, let path):
                drop(before: index)
                if let frame = release(path, into: &payload) { return .frame(frame) }
            }
        }
    }

    /// Says that the decoder refused a frame: from there on the chain is broken, and a key frame will be asked for. To
    /// say it of a frame before the last released key frame, or of one that no other refers to, changes nothing.
    public mutating func decodingFailed(_ frame: EncodedFrame) {
        finder.fail(frame)
        settledUntil = nil
    }

    // MARK: What to do next

    /// One thing to do; nothing changes before it is done.
    private enum Step {
        /// Drop what lies before the frame at that index, and release that frame.
        case release(Int, ReferenceFinder.Path)
        /// Drop what lies before the key frame at that index.
        case drop(before: Int)
        /// Ask for a key frame.
        case request
        /// Nothing, until then.
        case wait(until: MediaTime)
    }

    private func nextStep() -> Step {
        var path = finder.path
        for index in 0..<assembler.frames.count {
            finder.reach(assembler.frames[index], &path, packets)
            if let playout = assembler.frames[index].playout, finder.canDecode(assembler.frames[index], path) {
                return playout <= now ? .release(index, path) : .wait(until: playout)
            }
            guard finder.canDoWithout(assembler.frames[index]) else { return stepOver(assembler.frames[index]) }
            finder.skip(assembler.frames[index], &path)
        }
        return stepOver(nil)
    }

    /// The next step where no frame can be reached: `obstacle` is the first one that should be and cannot be decoded.
    private func stepOver(_ obstacle: PendingFrame?) -> Step {
        let brokenFrom: MediaTime
        if finder.chain == .lost {
            brokenFrom = now
        } else if let obstacle {
            brokenFrom = due(obstacle)
        } else {
            brokenFrom = .distantFuture
        }
        if let index = assembler.firstWholeKey, let playout = assembler.frames[index].playout {
            let replaced = min(playout, brokenFrom)
            return replaced <= now ? .drop(before: index) : .wait(until: replaced)
        }
        let request = max(brokenFrom, requester.nextRequest)
        return request <= now ? .request : .wait(until: request)
    }

    /// When a frame is to be played out, as far as known now.
    private func due(_ frame: PendingFrame) -> MediaTime {
        frame.playout ?? timing.provisionalPlayout(timestamp: frame.timestamp)
    }

    // MARK: Doing it

    /// Takes out the first frame; what it says of orientation holds from there on, whatever becomes of it.
    mutating func removeFirstFrame() -> PendingFrame {
        let frame = assembler.removeFirst()
        rotation = frame.rotation ?? rotation
        return frame
    }

    private mutating func drop(before index: Int) {
        guard index > 0 else { return }
        for _ in 0..<index {
            if removeFirstFrame().isWhole { counts.drops.undecodable += 1 } else { counts.drops.incomplete += 1 }
        }
        packets.advance(to: assembler.frames[0].first)
    }

    /// Releases the first frame; `nil` if it turns out to be of no use.
    private mutating func release(_ path: ReferenceFinder.Path, into payload: inout [UInt8]) -> ReceivedFrame? {
        let frame = removeFirstFrame()
        payload.removeAll(keepingCapacity: true)
        payload.append(addingCapacity: frame.byteCount) { packets.append(frame.first, through: frame.last, to: &$0) }
        packets.advance(to: frame.last + 1)
        guard let header = readHeader(payload.span), let resolution else {
            counts.drops.malformed += 1
            finder.lose()
            return nil
        }
        let (number, references) = finder.release(frame, path)
        let isOvertaken = isReleaseDue
        if isOvertaken && frame.label.isDiscardable {
            counts.drops.notNeeded += 1
            return nil
        }
        counts.noteRelease(frame, isOvertaken: isOvertaken, at: now, targetDelay: timing.delay)
        return ReceivedFrame(
            frame: describe(frame, number, references, resolution),
            rtpTimestamp: RTPTimestamp(UInt32(truncatingIfNeeded: frame.timestamp)),
            extendedTimestamp: frame.timestamp, playoutTime: frame.playout ?? now,
            isShown: header.isShown && !isOvertaken)
    }

    /// Whether another frame is to be released at this very time.
    private var isReleaseDue: Bool {
        switch nextStep() {
        case .release: true
        case .drop(let index): due(assembler.frames[index]) <= now
        case .request, .wait: false
        }
    }

    /// Reads what VP8 itself says of the frame, and notes a key frame's size; `nil` if it is no VP8 frame.
    private mutating func readHeader(_ bytes: Span<UInt8>) -> VP8FrameHeader? {
        // Which of its fields is wrong does not matter: the frame is counted as malformed.
        guard let header = try? VP8FrameHeader.parse(bytes) else { return nil }
        if let key = header.keyFrame {
            resolution = Resolution(validatingWidth: key.width, height: key.height)
        }
        return header
    }

    private func describe(
        _ frame: PendingFrame, _ number: Int64, _ references: FrameReferences, _ resolution: Resolution
    ) -> EncodedFrame {
        var stamps = FrameStamps()
        stamps[.arrived] = frame.arrival
        stamps[.assembled] = frame.assembly
        stamps[.released] = now
        return EncodedFrame(
            codec: .vp8, layer: StreamLayer(rid: settings.rid, temporalIndex: frame.label.layerIndex),
            number: number, references: references, isKey: frame.isKey,
            isDiscardable: frame.label.isDiscardable,
            isLayerSync: frame.label.layer?.isSync ?? false, resolution: resolution, rotation: rotation,
            captureTime: timing.mediaTime(frame.timestamp), byteCount: frame.byteCount, stamps: stamps)
    }
}

extension InboundStatistics {
    /// Counts a frame that goes to the decoder.
    mutating func noteRelease(
        _ frame: PendingFrame, isOvertaken: Bool, at now: MediaTime, targetDelay: MediaDuration
    ) {
        jitterBufferEmittedCount += 1
        jitterBufferDelay += now - frame.arrival
        jitterBufferTargetDelay += targetDelay
        if isOvertaken { framesDecodedOnly += 1 }
    }
}
