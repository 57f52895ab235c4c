public import RillCore
import RillRTP

extension JitterBuffer {
    /// Says what is to be done now, or until when nothing is. Poll after each packet and at the time last named, each
    /// time until the answer is `wait`.
    ///
    /// - Parameter payload: gets the frame's bytes, in place of what was there, when the answer is a frame; else left alone.
    ///   It is mostly exchanged for the array that the frame was assembled in, which takes its memory for another frame: so
    ///   give the same array, or at least as good a one, each time.
    public mutating func poll(at time: MediaTime, into payload: inout [UInt8]) -> PollResult {
        now = max(now, time)
        if now < nextPoll { return .wait(until: nextPoll) }
        if isPaused {
            dropAll(behind: nil)
            settledUntil = .distantFuture
            return .wait(until: .distantFuture)
        }
        if settledUntil <= now {
            let result = act(into: &payload)
            guard case .wait = result else { return result }
        }
        // To repeat a NACK changes nothing of what the rest waits for.
        guard requests.isRepetitionDue(at: now) else { return .wait(until: nextPoll) }
        collectUnanswered()
        return requestedPackets.isEmpty ? .wait(until: settledUntil) : .requestPackets
    }

    /// Does what is to be done until there is something to tell.
    private mutating func act(into payload: inout [UInt8]) -> PollResult {
        while true {
            switch nextStep() {
            case .wait(let time):
                settledUntil = time
                return .wait(until: time)
            case .ask:
                guard requests.isRequestDue(at: now, jitter: answerJitter) else { continue }
                collectUnanswered()
                counts.nackCount += 1
                return .requestPackets
            case .suspect(let sequence, let count):
                requests.generator.suspect(sequence, count: count, at: now)
            case .request:
                requester.noteRequest(at: now)
                counts.pliCount += 1
                return .requestKeyFrame
            case .drop(let index):
                drop(before: index)
            case .release(let index, let path):
                drop(before: index)
                if release(path, into: &payload) { return .frame }
            }
        }
    }

    /// Says that the decoder refused a frame: from there on the chain is broken, and a key frame will be asked for. To
    /// say it of a frame before the last released key frame, or of one that no other refers to, changes nothing.
    public mutating func decodingFailed(_ frame: EncodedFrame) {
        finder.fail(frame)
        unsettle()
    }

    // MARK: What to do next

    /// One thing to do; nothing changes before it is done.
    private enum Step {
        /// Drop what lies before the frame at that index, and release that frame.
        case release(Int, ReferenceFinder.Path)
        /// Drop what lies before the key frame at that index.
        case drop(before: Int)
        /// Ask for the packets that it is time to ask for.
        case ask
        /// Take so many packets from that number on for missing.
        case suspect(Int64, count: Int)
        /// Ask for a key frame.
        case request
        /// Nothing, until then.
        case wait(until: MediaTime)
    }

    /// The first frame in decode order that should be decoded and cannot.
    private struct Obstacle {
        var index: Int
        /// The last packet of the frame before it, as far as known.
        var previousLast: Int64
    }

    // What follows changes nothing, and mutates all the same: Swift 6.3 lends a noncopyable value to a method that does
    // not mutate by copying the whole of it.

    private mutating func nextStep() -> Step {
        let request = requests.nextRequest
        if request <= now { return .ask }
        switch nextFrameStep() {
        case .wait(let time):
            let overdue = overdueTime()
            if let newest = requests.generator.newest, overdue <= now {
                return .suspect(newest + 1, count: requests.generator.isLossy(at: now) ? frameLength.packetCount : 1)
            }
            return .wait(until: min(time, request, overdue))
        case let step: return step
        }
    }

    private mutating func nextFrameStep() -> Step {
        var path = finder.path
        var obstacle: Obstacle?
        var previousLast = packets.floor - 1
        for index in 0..<assembler.frames.count {
            finder.reach(assembler.frames[index], &path, &packets)
            if let playout = assembler.frames[index].playout, finder.canDecode(assembler.frames[index], path) {
                return playout <= now || isExpedited ? .release(index, path) : .wait(until: playout)
            }
            if !finder.canDoWithout(assembler.frames[index]) {
                obstacle = obstacle ?? Obstacle(index: index, previousLast: previousLast)
                guard finder.canLookBehind(assembler.frames[index]) else { break }
            }
            previousLast = assembler.frames[index].last
            finder.skip(assembler.frames[index], &path)
        }
        return stepOver(obstacle)
    }

    /// The next step where no frame can be reached.
    private mutating func stepOver(_ obstacle: Obstacle?) -> Step {
        var brokenFrom = MediaTime.distantFuture
        var suspicious = MediaTime.distantFuture
        if finder.chain == .lost {
            brokenFrom = now
        } else if let obstacle {
            switch prospect(of: obstacle) {
            case .broken(let time): brokenFrom = time
            case .suspicious(let sequence, let time):
                if time <= now { return .suspect(sequence, count: 1) }
                suspicious = time
            }
        }
        if let index = assembler.firstWholeKey, let playout = assembler.frames[index].playout {
            let replaced = isExpedited ? now : min(playout, brokenFrom)
            return replaced <= now ? .drop(before: index) : .wait(until: min(replaced, suspicious))
        }
        let request = max(brokenFrom, requester.nextRequest(frameInterval: interval.last))
        return request <= now ? .request : .wait(until: min(request, suspicious))
    }

    /// When the frame behind all that came, or was taken for missing, is taken for missing too.
    ///
    /// That frames were lost shows when the next packet comes: of a slow stream an interval later, in an outage when it is
    /// over. But most streams are regular: the next frame is asked for as soon as it is late, and so are those behind it,
    /// for a while; where nothing has been lost yet, only the first packet of that one, and later. Should they not have been
    /// sent, nobody answers.
    private mutating func overdueTime() -> MediaTime {
        guard settings.nack != nil, finder.chain == .intact, interval.isRegular, let newest = newestTimestamp() else {
            return .distantFuture
        }
        let (length, suspects) = (frameLength.packetCount, requests.generator.suspectCount)
        let silence = suspects == 0 ? .zero : interval.last * ((suspects + length - 1) / length)
        let isLossy = requests.generator.isLossy(at: now)
        guard silence <= (isLossy ? JitterBuffer.longestSuspicion : .zero) else { return .distantFuture }
        let next = timing.time(of: newest) + silence + interval.last
        let timeout =
            isLossy ? JitterBuffer.gapTimeout : max(JitterBuffer.gapTimeout * 4, interval.last / 4 * 3)
        // Each alarm that was false makes the next one come later.
        return timing.expectedNextArrival(of: next) + timeout * (1 << requests.generator.falseAlarms)
    }

    /// The timestamp of the newest frame whose end has come; `nil` while its end is waited for.
    private mutating func newestTimestamp() -> Int64? {
        guard assembler.frames.count > 0 else { return finder.lastTimestamp }
        let newest = assembler.frames.count - 1
        return assembler.frames[newest].hasEnd ? assembler.frames[newest].timestamp : nil
    }

    /// So much of a stream is taken for missing at the most, while nothing comes: then it is likelier to have stopped.
    private static let longestSuspicion = MediaDuration.milliseconds(300)

    /// What is to be expected of a frame that cannot be decoded.
    private enum Prospect {
        /// The chain breaks here then, if nothing comes before.
        case broken(MediaTime)
        /// The packet of that number is taken for missing then, if nothing comes before.
        case suspicious(Int64, MediaTime)
    }

    private mutating func prospect(of obstacle: Obstacle) -> Prospect {
        let index = obstacle.index
        var time = due(index)
        if !assembler.frames[index].isWhole {
            time = max(time, assembler.frames[index].newestArrival + JitterBuffer.gapTimeout)
        }
        guard settings.nack != nil else { return .broken(time) }
        let (last, hasEnd) = (assembler.frames[index].last, assembler.frames[index].hasEnd)
        if requests.generator.missingCount > 0,
            let hope = requests.generator.hope(after: obstacle.previousLast, through: hasEnd ? last : last + 1)
        {
            return .broken(max(time, hope))
        }
        // Nothing is missing but its end, of which nothing can be known before something comes behind it.
        if !hasEnd, requests.generator.newest == last { return .suspicious(last + 1, suspicion(of: index)) }
        return .broken(time)
    }

    /// When the end of a frame, behind which nothing has come, is taken for missing: sooner where packets are being lost.
    private mutating func suspicion(of index: Int) -> MediaTime {
        let newestArrival = assembler.frames[index].newestArrival
        guard requests.generator.isLossy(at: now) else {
            return max(due(index), newestArrival + max(JitterBuffer.gapTimeout, timing.targetDelay))
        }
        let expected = timing.expectedArrival(timestamp: assembler.frames[index].timestamp)
        return max(expected, newestArrival + JitterBuffer.gapTimeout * 2)
    }

    /// How long after the newest packet of a frame its next one may come, on any network.
    static let gapTimeout = MediaDuration.milliseconds(20)

    /// When the frame at `index` is to be released, as far as known now.
    private mutating func due(_ index: Int) -> MediaTime {
        assembler.frames[index].playout ?? timing.provisionalPlayout(timestamp: assembler.frames[index].timestamp)
    }

    // MARK: Doing it

    /// Takes out the first frame; what it says of orientation holds from there on, whatever becomes of it.
    @inline(__always)
    private mutating func removeFirstFrame() -> PendingFrame {
        let frame = assembler.removeFirst()
        rotation = frame.rotation ?? rotation
        return frame
    }

    /// Takes out the first frame, which shall not be decoded.
    mutating func dropFirstFrame() -> PendingFrame {
        let frame = removeFirstFrame()
        packets.drop(frame.extent)
        return frame
    }

    private mutating func drop(before index: Int) {
        guard index > 0 else { return }
        for _ in 0..<index {
            if dropFirstFrame().isWhole { counts.drops.undecodable += 1 } else { counts.drops.incomplete += 1 }
        }
        advance(to: assembler.frames[0].first)
    }

    /// Releases the first frame, unless it turns out to be of no use.
    private mutating func release(_ path: ReferenceFinder.Path, into payload: inout [UInt8]) -> Bool {
        let frame = removeFirstFrame()
        packets.takeOut(frame.extent, into: &payload)
        requests.generator.advance(to: frame.last + 1)
        guard let header = readHeader(payload.span, of: frame), let resolution else {
            counts.drops.malformed += 1
            finder.lose()
            return false
        }
        isExpedited = false
        let (number, references) = finder.release(frame, path)
        let assembly = frame.assembly ?? now
        let isOvertaken = isReleaseDue() && !postponeFrames(behind: frame.timestamp, assembly: assembly)
        if isOvertaken && frame.label.isDiscardable {
            counts.drops.notNeeded += 1
            return false
        }
        timing.noteRelease(
            timestamp: frame.timestamp, assembly: assembly, isRepaired: frame.isRepaired, repairTime: repairTime,
            at: now)
        let due = frame.playout ?? now
        // What a thread wakes late by is not the network's.
        let isLate = due + PlayoutTiming.margin < now
        let targetDelay = timing.targetDelay
        let isShown = lag.release(isOvertaken: isOvertaken, ready: max(assembly, due), at: now)
        counts.noteRelease(frame, isOvertaken: !isShown, isLate: isLate, at: now, targetDelay: targetDelay)
        describe(frame, number, references, resolution)
        releasedFrame.playoutTime = min(due, now) + timing.decodeTime
        releasedFrame.targetDelay = targetDelay
        releasedFrame.isShown = header.isShown && isShown
        releasedFrame.isLate = isLate
        return true
    }

    /// Has the frames that wait behind the one that is released wait longer, where that one was late and little was shown
    /// before it.
    ///
    /// - Returns: whether none of them is due any more.
    private mutating func postponeFrames(behind timestamp: Int64, assembly: MediaTime) -> Bool {
        guard timing.wait(behind: timestamp, assembly: assembly, repairTime: repairTime, at: now) else { return false }
        for index in 0..<assembler.frames.count {
            let earliest = timing.provisionalPlayout(timestamp: assembler.frames[index].timestamp)
            assembler.postpone(index, until: earliest)
        }
        return !isReleaseDue()
    }

    /// How long one repair takes: until the next frame shows the loss, and there and back.
    private var repairTime: MediaDuration {
        min(interval.last, .milliseconds(200)) + roundTripTime + JitterBuffer.repairSlack
    }

    /// What one repair may take longer than that.
    private static let repairSlack = MediaDuration.milliseconds(10)

    /// Whether another frame is to be released at this very time.
    private mutating func isReleaseDue() -> Bool {
        guard assembler.frames.count > 0 else { return false }
        return switch nextFrameStep() {
        case .release: true
        case .drop(let index): due(index) <= now
        case .ask, .suspect, .request, .wait: false
        }
    }

    /// Reads what the coded frame itself says, and notes its size; `nil` if it is no frame of the codec.
    private mutating func readHeader(_ bytes: Span<UInt8>, of frame: PendingFrame) -> CodedFrameHeader? {
        // Which of its fields is wrong does not matter: the frame is counted as malformed. An own codec's is in its packets.
        let read =
            settings.codec.isBuiltIn
            ? try? CodedFrameHeader(parsing: bytes, as: settings.codec)
            : CodedFrameHeader(isKeyFrame: frame.isKey, width: Int(frame.width), height: Int(frame.height))
        guard let header = read else { return nil }
        if header.isKeyFrame || header.width > 0 { resolution = header.resolution }
        return header
    }

    /// Says of the released frame what is known of `frame`, in place: most of it is the same for each.
    @inline(__always)
    private mutating func describe(
        _ frame: PendingFrame, _ number: Int64, _ references: FrameReferences, _ resolution: Resolution
    ) {
        releasedFrame.rtpTimestamp = RTPTimestamp(UInt32(truncatingIfNeeded: frame.timestamp))
        releasedFrame.extendedTimestamp = frame.timestamp
        releasedFrame.isRepaired = frame.isRepaired
        let layerIndex = frame.label.layerIndex
        if releasedFrame.frame.layer.temporalIndex != layerIndex {
            releasedFrame.frame.layer = StreamLayer(rid: settings.rid, temporalIndex: layerIndex)
        }
        releasedFrame.frame.number = number
        releasedFrame.frame.references = references
        releasedFrame.frame.isKey = frame.isKey
        releasedFrame.frame.isDiscardable = frame.label.isDiscardable
        releasedFrame.frame.isLayerSync = frame.label.layer?.isSync ?? false
        releasedFrame.frame.resolution = resolution
        releasedFrame.frame.rotation = rotation
        releasedFrame.frame.captureTime = timing.time(of: frame.timestamp)
        releasedFrame.frame.byteCount = frame.byteCount
        releasedFrame.frame.stamps[.arrived] = frame.arrival
        releasedFrame.frame.stamps[.assembled] = frame.assembly
        releasedFrame.frame.stamps[.released] = now
    }
}
