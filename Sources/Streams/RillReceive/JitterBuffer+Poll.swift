public import RillCore
import RillRTP

extension JitterBuffer {
    /// Returns what to do now, or until when there is nothing to do. Poll after each packet and at the time last
    /// returned, until the result is `wait`.
    ///
    /// - Parameters:
    ///   - time: the current time.
    ///   - payload: receives the frame's bytes if the result is a frame; otherwise it is unchanged. It is usually
    ///     exchanged for the array that the frame was assembled in, and its memory is reused for another frame. So
    ///     pass the same array each time, or one with similar capacity.
    /// - Returns: what to do.
    public mutating func poll(at time: MediaTime, into payload: inout [UInt8]) -> PollResult {
        now = max(now, time)
        if now < nextPoll { return .wait(until: nextPoll) }
        guard pollsWithoutProgress == 0 else { return .wait(until: .distantFuture) }
        if isPaused {
            dropAll(behind: nil)
            cachedWait = .distantFuture
            return .wait(until: .distantFuture)
        }
        if cachedWait <= now {
            let result = act(into: &payload)
            guard case .wait = result else { return result }
        }
        // Repeating a NACK does not change what the rest waits for.
        guard requests.isRepetitionDue(at: now) else { return .wait(until: nextPoll) }
        collectUnanswered()
        return requestedPackets.isEmpty ? .wait(until: cachedWait) : .requestPackets
    }

    /// Does what is due until there is a result to return.
    private mutating func act(into payload: inout [UInt8]) -> PollResult {
        for _ in 0..<stepLimit {
            switch nextStep() {
            case .wait(let time):
                cachedWait = time
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
        pollsWithoutProgress = stepLimit
        cachedWait = .distantFuture
        return .wait(until: .distantFuture)
    }

    /// Reports that the decoder rejected a frame: the reference chain is broken there, and a key frame will be
    /// requested. It has no effect for a frame before the last released key frame, or one that no other refers to.
    ///
    /// - Parameter frame: the rejected frame.
    public mutating func decodingFailed(_ frame: EncodedFrame) {
        finder.fail(frame)
        requester.noteFailure(at: now)
        invalidateWait()
    }

    /// Reports whether the released frame could be decrypted. While frames cannot, key frames are requested every 4 s
    /// at most, and only after a loss.
    mutating func noteOpening(isOpened: Bool) {
        guard !isOpened || lastUnopened != nil else { return }
        lastUnopened = isOpened ? nil : now
        invalidateWait()
    }

    // MARK: Deciding the next step

    /// One thing to do; nothing changes before it is done.
    private enum Step {
        /// Drop what is before the frame at that index, and release that frame.
        case release(Int, ReferenceFinder.Path)
        /// Drop what is before the key frame at that index.
        case drop(before: Int)
        /// NACK the packets that are due.
        case ask
        /// Consider `count` packets from that sequence number on as missing.
        case suspect(Int64, count: Int)
        /// Request a key frame.
        case request
        /// Nothing until then.
        case wait(until: MediaTime)
    }

    /// The first frame in decode order that should be decoded and cannot.
    private struct Obstacle {
        var index: Int
        /// The last known packet of the previous frame.
        var previousLast: Int64
    }

    // The following methods change nothing but are `mutating`: Swift 6.3 copies a whole noncopyable value to lend it
    // to a nonmutating method.

    private mutating func nextStep() -> Step {
        if isStalled { return .drop(before: 0) }
        let request = requests.nextRequest
        if request <= now { return .ask }
        switch nextFrameStep() {
        case .wait(let time):
            let overdue = overdueTime()
            if let newest = requests.generator.newest, overdue <= now {
                return .suspect(newest + 1, count: frameLength.packetCount)
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

    /// The next step if no frame can be decoded.
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
        let allowed = requester.nextRequest(frameInterval: interval.last, lastArrival: lastArrival)
        var request = max(brokenFrom, allowed)
        // A key frame could not be decrypted either. But a stream that is lost releases nothing that would show it.
        if let lastUnopened { request = max(request, lastUnopened + KeyFrameRequester.maximumSpacing) }
        return request <= now ? .request : .wait(until: min(request, suspicious))
    }

    /// When the frame after everything that arrived, or was considered missing, is considered missing too.
    ///
    /// A loss is noticed when the next packet arrives: an interval later in a slow stream, or after the end of an
    /// outage. But most streams are regular, so where packets are being lost the next frame is NACKed as soon as it is
    /// late, and the following ones too, for a while. If they were not sent, nothing answers. Where nothing was lost,
    /// a frame that does not come was not sent: its sender is late, or has ended.
    private mutating func overdueTime() -> MediaTime {
        guard settings.nack != nil, finder.chain == .intact, interval.isRegular, requests.generator.isLossy(at: now),
            let newest = newestTimestamp()
        else { return .distantFuture }
        let (length, suspects) = (frameLength.packetCount, requests.generator.suspectCount)
        let silence = suspects == 0 ? .zero : interval.last * ((suspects + length - 1) / length)
        guard silence <= JitterBuffer.longestSuspicion else { return .distantFuture }
        let next = timing.time(of: newest) + silence + interval.last
        // Each false alarm delays the next one.
        return timing.expectedNextArrival(of: next) + JitterBuffer.gapTimeout * (1 << requests.generator.falseAlarms)
    }

    /// The timestamp of the newest frame whose end has arrived; `nil` while its end is awaited.
    private mutating func newestTimestamp() -> Int64? {
        guard assembler.frames.count > 0 else { return finder.lastTimestamp }
        let newest = assembler.frames.count - 1
        return assembler.frames[newest].hasEnd ? assembler.frames[newest].timestamp : nil
    }

    /// The most of a stream that is considered missing while nothing arrives. After that it has more likely stopped.
    private static let longestSuspicion = MediaDuration.milliseconds(300)

    /// What to expect of a frame that cannot be decoded.
    private enum Prospect {
        /// The chain breaks here at that time, if nothing arrives before.
        case broken(MediaTime)
        /// The packet of that sequence number is considered missing at that time, if nothing arrives before.
        case suspicious(Int64, MediaTime)
    }

    private mutating func prospect(of obstacle: Obstacle) -> Prospect {
        let index = obstacle.index
        var time = due(index)
        if !assembler.frames[index].isComplete {
            time = max(time, assembler.frames[index].newestArrival + JitterBuffer.gapTimeout)
        }
        guard settings.nack != nil else { return .broken(time) }
        let (last, hasEnd) = (assembler.frames[index].last, assembler.frames[index].hasEnd)
        if requests.generator.missingCount > 0,
            let deadline = requests.generator.arrivalDeadline(
                after: obstacle.previousLast, through: hasEnd ? last : last + 1)
        {
            return .broken(max(time, deadline))
        }
        // Only its end is missing, and nothing is known of it before something arrives after it.
        if !hasEnd, requests.generator.newest == last { return .suspicious(last + 1, suspicion(of: index)) }
        return .broken(time)
    }

    /// When the end of a frame after which nothing has arrived is considered missing: earlier if packets are being
    /// lost.
    private mutating func suspicion(of index: Int) -> MediaTime {
        let newestArrival = assembler.frames[index].newestArrival
        guard requests.generator.isLossy(at: now) else {
            return max(due(index), newestArrival + max(JitterBuffer.gapTimeout, timing.targetDelay))
        }
        let expected = timing.expectedArrival(timestamp: assembler.frames[index].timestamp)
        return max(expected, newestArrival + JitterBuffer.gapTimeout * 2)
    }

    /// How long after a frame's newest packet its next one may arrive, on any network.
    static let gapTimeout = MediaDuration.milliseconds(20)

    /// When to release the frame at `index`, as far as known now.
    private mutating func due(_ index: Int) -> MediaTime {
        assembler.frames[index].playout ?? timing.provisionalPlayout(timestamp: assembler.frames[index].timestamp)
    }

    // MARK: Executing steps

    /// Removes the first frame. The rotation in it applies from there on, whatever becomes of it.
    @inline(__always)
    private mutating func removeFirstFrame() -> PendingFrame {
        let frame = assembler.removeFirst()
        rotation = frame.rotation ?? rotation
        return frame
    }

    /// Removes the first frame, which is not decoded.
    mutating func dropFirstFrame() -> PendingFrame {
        let frame = removeFirstFrame()
        packets.drop(frame.extent)
        return frame
    }

    private mutating func drop(before index: Int) {
        guard index > 0 else { return }
        for _ in 0..<index {
            if dropFirstFrame().isComplete { counts.drops.undecodable += 1 } else { counts.drops.incomplete += 1 }
        }
        advance(to: assembler.frames[0].first)
    }

    /// Releases the first frame, unless it turns out to be useless.
    private mutating func release(_ path: ReferenceFinder.Path, into payload: inout [UInt8]) -> Bool {
        let frame = removeFirstFrame()
        packets.takeOut(frame.extent, into: &payload)
        requests.generator.advance(to: frame.last + 1)
        guard let header = readHeader(payload.span, of: frame), let resolution else {
            counts.drops.malformed += 1
            finder.lose()
            requester.noteFailure(at: now)
            return false
        }
        isExpedited = false
        if frame.isKey { requester.noteKeyFrame(at: now) }
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
        // The delay of a late thread is not the network's.
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

    /// Delays the waiting frames after the released one, if that was late and little was shown before it.
    ///
    /// - Returns: whether none of them is due anymore.
    private mutating func postponeFrames(behind timestamp: Int64, assembly: MediaTime) -> Bool {
        guard timing.wait(behind: timestamp, assembly: assembly, repairTime: repairTime, at: now) else { return false }
        for index in 0..<assembler.frames.count {
            let earliest = timing.provisionalPlayout(timestamp: assembler.frames[index].timestamp)
            assembler.postpone(index, until: earliest)
        }
        return !isReleaseDue()
    }

    /// The time of one repair: until the next frame shows the loss, plus a round trip.
    private var repairTime: MediaDuration {
        min(interval.last, .milliseconds(200)) + roundTripTime + JitterBuffer.repairSlack
    }

    /// The extra time that one repair may take.
    private static let repairSlack = MediaDuration.milliseconds(10)

    /// Whether another frame is due for release at this time.
    private mutating func isReleaseDue() -> Bool {
        guard assembler.frames.count > 0 else { return false }
        return switch nextFrameStep() {
        case .release: true
        case .drop(let index): due(index) <= now
        case .ask, .suspect, .request, .wait: false
        }
    }

    /// Parses the header of the encoded frame, and notes its size; `nil` if it is not a frame of the codec.
    private mutating func readHeader(_ bytes: Span<UInt8>, of frame: PendingFrame) -> CodedFrameHeader? {
        // Which field is invalid does not matter: the frame is counted as malformed. A custom codec's header is in
        // its packets.
        let read =
            if !settings.codec.isBuiltIn {
                CodedFrameHeader(isKeyFrame: frame.isKey, width: Int(frame.width), height: Int(frame.height))
            } else if settings.isOpaque {
                try? CodedFrameHeader(
                    opaque: bytes, as: settings.codec, isKey: frame.isKey,
                    told: Resolution(validatingWidth: Int(frame.width), height: Int(frame.height)))
            } else {
                try? CodedFrameHeader(parsing: bytes, as: settings.codec)
            }
        guard let header = read else { return nil }
        if header.isKeyFrame || header.width > 0 { resolution = header.resolution }
        return header
    }

    /// Fills `releasedFrame` from `frame` in place: most fields are the same for each.
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
        releasedFrame.frame.timestamps[.arrived] = frame.arrival
        releasedFrame.frame.timestamps[.assembled] = frame.assembly
        releasedFrame.frame.timestamps[.released] = now
    }
}
