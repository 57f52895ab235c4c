public import RillCore
public import RillRTP

extension JitterBuffer {
    /// Inserts a packet. Its bytes are copied once, if they are needed.
    ///
    /// Poll afterwards: the packet may have completed a frame, or revealed that others are missing.
    ///
    /// - Parameters:
    ///   - packet: the RTP packet.
    ///   - origin: how it arrived; the network by default. A repaired packet does not count for jitter and loss.
    ///   - time: when it arrived.
    /// - Returns: what became of the packet.
    public mutating func insert(
        _ packet: Span<UInt8>, origin: PacketOrigin = .network, at time: MediaTime
    ) -> InsertResult {
        now = max(now, time)
        // A thread that was held up inserts packets late, after polls: their spacing is that of the network.
        let arrival = max(lastArrival, time)
        if takeContinuation(packet, origin, arrival) { return .queued }
        let result = take(packet, origin, arrival)
        counts.note(result)
        return result
    }

    /// Notes a packet of the stream's sequence numbers that carries no media, such as an FEC packet: its sequence
    /// number is not missing.
    public mutating func notePacketWithoutMedia(_ header: RTPHeader, at time: MediaTime) -> InsertResult {
        now = max(now, time)
        let arrival = max(lastArrival, time)
        guard header.ssrc == settings.ssrc ?? header.ssrc else { return .wrongSSRC(header.ssrc) }
        let result: InsertResult
        // Without its bytes it could not restart the stream, so it is not evidence of a jump.
        switch continuity.judge(header.sequenceNumber, header.timestamp, isEvidence: false, at: arrival) {
        case .fits(let sequence, let timestamp):
            if isUntouched { packets.restart(around: sequence) }
            note(sequence, timestamp, .network, at: arrival)
            result = holdPadding(sequence, at: arrival)
        case .straggler, .onProbation, .jumped, .resumed:
            result = .late
        }
        counts.note(result)
        return result
    }

    /// Inserts a packet if it directly continues the newest frame, as most do; ignores any other.
    ///
    /// It has the effect of ``take(_:_:_:)`` for such a packet, and no other. Each part is first asked whether the
    /// packet is its usual case, and then updated.
    @inline(__always)
    private mutating func takeContinuation(
        _ bytes: Span<UInt8>, _ origin: PacketOrigin, _ arrival: MediaTime
    ) -> Bool {
        guard origin == .network, bytes.count <= settings.maximumPacketByteCount else { return false }
        let layout: RTPPacketLayout
        let start: Int
        do throws(RTPError) {
            layout = try RTPPacketLayout(parsing: bytes)
            let payload = bytes.extracting(layout.payload)
            guard let offset = try format.offset(ofContinuation: payload) else { return false }
            start = layout.payloadStart &+ offset
        } catch {
            return false
        }
        let header = layout.header
        guard header.payloadType == settings.payloadType, header.ssrc == settings.ssrc,
            let next = continuity.next(header.sequenceNumber, header.timestamp, at: arrival),
            assembler.continues(with: next.sequence, next.timestamp), packets.hasRoom(for: next.sequence),
            reception.continues(with: next.sequence, next.timestamp), requests.generator.continues(with: next.sequence),
            timing.continues(with: next.timestamp)
        else { return false }
        continuity.follow(next)
        lastArrival = arrival
        reception.follow(next.sequence, at: arrival)
        requests.generator.follow(next.sequence)
        timing.follow(next.transit)
        counts.bytesReceived += layout.payload.count
        counts.headerBytesReceived += bytes.count - layout.payload.count
        let isComplete = assembler.extendNewest(
            by: bytes.extracting(start..<layout.payloadEnd), hasMarker: header.marker, at: arrival, &packets)
        if layout.hasExtension { assembler.rotateNewest(rotation(toldBy: bytes)) }
        if isComplete { complete(assembler.frames.count - 1, at: arrival) }
        if isComplete || requests.generator.missingCount > 0 { invalidateWait() }
        return true
    }

    @inline(never)
    private mutating func take(
        _ bytes: Span<UInt8>, _ origin: PacketOrigin, _ arrival: MediaTime
    ) -> InsertResult {
        let layout: RTPPacketLayout
        do throws(RTPError) {
            layout = try RTPPacketLayout(parsing: bytes)
        } catch {
            return .malformed(error)
        }
        let header = layout.header
        guard header.payloadType == settings.payloadType || settings.alternatives[header.payloadType] != nil else {
            return .wrongPayloadType(header.payloadType)
        }
        guard header.ssrc == settings.ssrc ?? header.ssrc else { return .wrongSSRC(header.ssrc) }
        guard bytes.count <= settings.maximumPacketByteCount else { return .oversized(byteCount: bytes.count) }
        settings.ssrc = header.ssrc

        let outcome = continuity.judge(
            header.sequenceNumber, header.timestamp, isEvidence: origin == .network,
            isAfterSilence: isAfterSilence(at: arrival), at: arrival)
        switch outcome {
        case .fits(let sequence, let timestamp):
            return accept(bytes, layout, sequence, timestamp, origin, at: arrival)
        case .straggler:
            return .late
        case .onProbation:
            onProbation.packet.removeAll(keepingCapacity: true)
            onProbation.packet.append(copying: bytes)
            onProbation.arrival = arrival
            return .onProbation
        case .resumed(let jump):
            resume(jump)
        case .jumped(let jump):
            restart(jump)
            acceptSetAside()
        }
        guard
            case .fits(let sequence, let timestamp) = continuity.judge(
                header.sequenceNumber, header.timestamp, at: arrival)
        else { return .onProbation }
        return accept(bytes, layout, sequence, timestamp, origin, at: arrival)
    }

    /// Whether no frame waits and nothing arrived for a while: then a jump is likely and costs nothing.
    private func isAfterSilence(at arrival: MediaTime) -> Bool {
        guard assembler.frames.count == 0, lastArrival.nanoseconds != .min else { return false }
        return arrival - lastArrival > max(StreamContinuity.silence, interval.last * 3)
    }

    /// Whether no packet of the stream has arrived yet in any way: the first one may have been retransmitted.
    private var isUntouched: Bool { lastArrival.nanoseconds == .min }

    /// Accepts a packet that continues the stream.
    private mutating func accept(
        _ bytes: Span<UInt8>, _ layout: RTPPacketLayout, _ sequence: Int64, _ timestamp: Int64, _ origin: PacketOrigin,
        at arrival: MediaTime
    ) -> InsertResult {
        if isUntouched { packets.restart(around: sequence) }
        note(sequence, timestamp, origin, at: arrival)
        if origin == .network {
            counts.bytesReceived += layout.payload.count
            counts.headerBytesReceived += bytes.count - layout.payload.count
        }
        let content = bytes.extracting(layout.payload)
        guard !content.isEmpty else { return counted(holdPadding(sequence, at: arrival), origin) }
        if layout.header.payloadType != settings.payloadType {
            // A packet of the former codec that is late: its number is not missing.
            guard isAhead(sequence) else { return counted(holdPadding(sequence, at: arrival), origin) }
            changeFormat(to: layout.header.payloadType)
        }
        let payload: FramePayload
        do throws(RTPError) {
            payload = try format.parse(content)
        } catch {
            return .malformed(error)
        }
        if payload.hasGroup, let counter = payload.counter {
            groups.add(format.group(in: content), from: counter)
            assembler.apply(&groups)
        }
        let part = content.extracting(payload.offset...)
        var piece = FramePiece(
            sequence: sequence, timestamp: timestamp, label: FrameLabel(payload, &groups),
            startsFrame: payload.startsFrame, hasMarker: layout.header.marker, isKey: payload.isKey,
            byteCount: part.count, arrival: arrival, origin: origin)
        (piece.width, piece.height) = (payload.width, payload.height)
        if layout.hasExtension {
            piece.rotation = rotation(toldBy: bytes)
            if settings.isOpaque, payload.startsFrame { describe(&piece, by: bytes) }
        }
        return counted(hold(piece, part), origin)
    }

    /// Counts a packet that a retransmission brought. Not in ``insert(_:origin:at:)``, the path of every packet.
    @inline(__always)
    private mutating func counted(_ result: InsertResult, _ origin: PacketOrigin) -> InsertResult {
        if origin == .retransmission { counts.noteRetransmission(result) }
        return result
    }

    /// Notes that a packet arrived, whatever it carries.
    @inline(__always)
    private mutating func note(_ sequence: Int64, _ timestamp: Int64, _ origin: PacketOrigin, at arrival: MediaTime) {
        lastArrival = arrival
        // A repaired packet did not arrive over the network in its own time (RFC 4588 §5.3).
        if origin == .network {
            reception.note(sequence: sequence, timestamp: timestamp, at: arrival)
        }
        requests.generator.noteArrival(sequence, origin: origin, at: arrival)
    }

    /// Holds a piece of a frame until the frame leaves.
    mutating func hold(_ piece: FramePiece, _ bytes: Span<UInt8>) -> InsertResult {
        var droppedFrames = 0
        switch packets.place(of: piece.sequence) {
        case .free: break
        case .duplicate: return .duplicate
        case .late: return .late
        case .ahead(let floor): droppedFrames = makeRoom(upTo: floor)
        }
        guard let index = assembler.place(piece, &packets) else { return .inconsistent }
        assembler.store(bytes, of: piece, at: index, &packets)
        if piece.origin == .network {
            timing.notePacket(timestamp: piece.timestamp, continuity.time(of: piece.timestamp), at: piece.arrival)
        }
        // The start of this frame may reveal the end of the previous one.
        if piece.startsFrame { noteWholeFrame(index - 1, at: piece.arrival) }
        let isComplete = noteWholeFrame(index, at: piece.arrival)
        updateWait(isComplete: isComplete, by: piece, at: index)
        return droppedFrames > 0 ? .queuedAfterOverflow(droppedFrames: droppedFrames) : .queued
    }

    /// Makes the next poll check everything if a packet of the frame at `index` may have changed what is to be done.
    private mutating func updateWait(isComplete: Bool, by piece: FramePiece, at index: Int) {
        guard !isComplete, requests.generator.missingCount == 0, index == assembler.frames.count - 1 else {
            return invalidateWait()
        }
        // One more packet of the newest frame changes nothing while others are missing.
        guard assembler.frames[index].packetCount == 1 else { return }
        // Nor does the first one, except that its missing packets are due for a check after a while.
        guard piece.startsFrame, finder.chain == .intact else { return invalidateWait() }
        cachedWait = min(cachedWait, now + JitterBuffer.gapTimeout)
    }

    /// Notes that a packet is not a gap, although it carries nothing.
    private mutating func holdPadding(_ sequence: Int64, at arrival: MediaTime) -> InsertResult {
        switch packets.place(of: sequence) {
        case .duplicate: return .duplicate
        case .late: return .late
        case .ahead(let floor): _ = makeRoom(upTo: floor)  // counted there
        case .free: break
        }
        packets.storePadding(as: sequence)
        invalidateWait()
        noteWholeFrame(assembler.placePadding(sequence), at: arrival)
        return .padding
    }

    /// Checks whether the frame at `index` has just become complete; if so, sets its playout time.
    @discardableResult @inline(__always)
    private mutating func noteWholeFrame(_ index: Int, at arrival: MediaTime) -> Bool {
        guard assembler.isNewlyWhole(index, &packets) else { return false }
        complete(index, at: arrival)
        return true
    }

    /// Sets the playout time of the frame at `index`, which has just become complete.
    private mutating func complete(_ index: Int, at arrival: MediaTime) {
        let (timestamp, isKey) = (assembler.frames[index].timestamp, assembler.frames[index].isKey)
        let byteCount = assembler.frames[index].isRepaired ? nil : assembler.frames[index].byteCount
        let ticks =
            index > 0
            ? finder.timestampStep(to: assembler.frames[index], from: assembler.frames[index - 1], &packets)
            : finder.timestampStep(to: assembler.frames[index], &packets)
        assembler.complete(
            index, at: arrival,
            playout: timing.noteFrame(
                timestamp: timestamp, byteCount: byteCount, isKey: isKey,
                step: ticks.map { settings.clockRate.duration(of: $0) }, frameInterval: interval.last, at: arrival))
        if let ticks {
            interval.note(settings.clockRate.duration(of: ticks))
            // There is no frame between the two: what is missing there is an FEC packet, or padding.
            if requests.generator.missingCount > 0 {
                let start = index > 0 ? assembler.frames[index - 1].last + 1 : packets.floor
                requests.generator.forget(from: start, to: assembler.frames[index].first)
            }
        }
        if !isKey { frameLength.note(packetCount: assembler.frames[index].packetCount) }
        counts.noteComplete(assembler.frames[index], at: arrival)
    }

    /// Drops the oldest frames until the window can start at `floor`.
    private mutating func makeRoom(upTo floor: Int64) -> Int {
        var newFloor = floor
        var dropped = 0
        while assembler.frames.count > 0, assembler.frames[0].first < floor {
            newFloor = max(newFloor, dropFirstFrame().last + 1)
            dropped += 1
        }
        advance(to: newFloor)
        invalidateWait()
        counts.drops.overflow += dropped
        if dropped > 0 { finder.lose() }
        return dropped
    }

    /// Gives up everything before `floor`.
    mutating func advance(to floor: Int64) {
        packets.advance(to: floor)
        requests.generator.advance(to: floor)
    }

    // MARK: Jumps

    /// Restarts after a jump of the stream.
    private mutating func restart(_ jump: StreamContinuity.Jump) {
        while assembler.frames.count > 0 {
            _ = dropFirstFrame()
            counts.drops.resynchronized += 1
        }
        counts.resynchronizations += 1
        invalidateWait()
        packets.restart(around: continuity.newestSequence ?? 0)
        requests.generator.restart(at: continuity.newestSequence ?? 0)
        reception.restart(keepsSequence: jump.keepsSequence, keepsTime: jump.keepsTime)
        finder.restart()
        groups = GroupsOfPictures()
        if !jump.keepsTime { timing.restart() }
    }

    /// Continues after a silence over which the sender's media clock has jumped: only what depends on time restarts.
    /// The next frames still refer to the frames before.
    private mutating func resume(_ jump: StreamContinuity.Jump) {
        counts.resynchronizations += 1
        invalidateWait()
        reception.restart(keepsSequence: jump.keepsSequence, keepsTime: jump.keepsTime)
        timing.restart()
    }

    /// Accepts the packet that was set aside, with which the stream restarts.
    private mutating func acceptSetAside() {
        let (bytes, arrival) = onProbation
        onProbation.packet = []
        // It was parsed when it was set aside, so this cannot throw.
        guard let layout = try? RTPPacketLayout(parsing: bytes.span) else { return }
        let header = layout.header
        guard
            case .fits(let sequence, let timestamp) = continuity.judge(
                header.sequenceNumber, header.timestamp, at: arrival)
        else { return }
        _ = accept(bytes.span, layout, sequence, timestamp, .network, at: arrival)
    }
}

extension JitterBuffer {
    /// Whether a packet is behind all that waits or has left.
    private mutating func isAhead(_ sequence: Int64) -> Bool {
        let count = assembler.frames.count
        return sequence >= packets.floor && (count == 0 || sequence > assembler.frames[count - 1].last)
    }

    /// Goes over to another format of the stream, whose first packet has come. What waits of the former codec is
    /// dropped: a decoder of the new one begins with a key frame. Packets between the two may be of either.
    private mutating func changeFormat(to type: PayloadType) {
        guard let codec = settings.alternatives.removeValue(forKey: type) else { return }
        var floor = packets.floor
        while assembler.frames.count > 0 {
            floor = max(floor, dropFirstFrame().last + 1)
            counts.drops.resynchronized += 1
        }
        advance(to: floor)
        settings.alternatives[settings.payloadType] = settings.codec
        (settings.payloadType, settings.codec) = (type, codec)
        format = FrameFormat(codec, own: settings.payloadFormat, isOpaque: settings.isOpaque)
        releasedFrame.frame.codec = codec
        finder.restart()
        groups = GroupsOfPictures()
        invalidateWait()
    }
}
