import RillCore
import RillRTP

/// What an attacker sends.
enum AttackInput {
    /// RTP or RTCP, to be protected with the right key.
    case packet([UInt8])
    /// The same, damaged behind its protection.
    case damaged([UInt8])
    /// Bytes as they are.
    case raw([UInt8])
    /// Data in DTLS.
    case data([UInt8])
    /// A STUN message with the right password; what is changed in it follows from the number.
    case check(UInt32)

    var bytes: [UInt8] {
        switch self {
        case .packet(let bytes), .damaged(let bytes), .raw(let bytes), .data(let bytes): bytes
        case .check(let number): Array("check \(number)".utf8)
        }
    }
}

/// Inputs of one moment, and how long nothing follows.
struct AttackStep {
    var inputs: [AttackInput]
    var rest: MediaDuration
}

/// What an attacker with the right keys does: the packets of a true sender and receiver, changed in structure. The same
/// seed and the same answers of the other side give the same steps.
struct AttackScript {
    var random: AttackRandom
    var streams: [AttackStream]
    var feedback: AttackFeedback
    var audioType: UInt8?
    /// The transport-wide number of the next packet.
    var transportNumber: UInt16
    /// Packets that are held back, to overtake others.
    private var held: [[UInt8]] = []
    /// What was sent, to be repeated and damaged.
    private var recent: [[UInt8]] = []
    private var lastCheck: UInt32 = 0
    /// Whether STUN and DTLS are part of it.
    let hasTransport: Bool

    init(_ formats: [AttackedFormat], audioType: UInt8?, reporter: UInt32, hasTransport: Bool, seed: UInt64) {
        random = AttackRandom(seed: seed)
        streams = []
        for format in formats { streams.append(AttackStream(format, using: &random)) }
        feedback = AttackFeedback(reporter: reporter)
        (self.audioType, self.hasTransport) = (audioType, hasTransport)
        transportNumber = random.pick(AttackRandom.values)
    }

    mutating func next(_ seen: SeenSources, at now: MediaTime) -> AttackStep {
        var step = AttackStep(inputs: [], rest: random.isOne(in: 3) ? .milliseconds(random.below(12)) : .zero)
        switch random.below(40) {
        case 0..<9: for packet in frame(at: now) { send(packet, &step) }
        case 9..<15: changedFrame(at: now, &step)
        case 15..<18: numbersLateByWindows(at: now, &step)
        case 18: jump(at: now, &step)
        case 19: rest(&step)
        case 20..<29: sendFeedback(seen, at: now, &step)
        case 29, 30: damagedCopy(&step)
        case 31, 32: repair(at: now, &step)
        case 33: otherSources(seen, at: now, &step)
        case 34: audio(at: now, &step)
        case 35: flood(seen, at: now, &step)
        case 36: release(&step)
        case 37: step.inputs.append(.damaged(recent.isEmpty ? random.bytes(40) : random.pick(recent)))
        case 38: transport(&step)
        default: step.inputs.append(.raw(junk()))
        }
        return step
    }

    // MARK: Media

    private mutating func frame(at now: MediaTime) -> [EditableRTP] {
        guard !streams.isEmpty else { return [] }
        let index = random.below(streams.count)
        let isKey = streams[index].frameCount == 0 || random.isOne(in: 12)
        return streams[index].frame(isKey: isKey, packets: 1 + random.below(3), at: now)
    }

    private mutating func number(_ packet: inout EditableRTP) {
        guard let id = streams.first?.format.extensions[.transportSequenceNumber] else { return }
        packet.set(id, [UInt8(transportNumber >> 8), UInt8(transportNumber & 0xFF)])
        transportNumber &+= 1
    }

    private mutating func send(_ packet: EditableRTP, isNumbered: Bool = true, _ step: inout AttackStep) {
        var packet = packet
        if isNumbered { number(&packet) }
        let bytes = packet.bytes
        keep(packet)
        if random.isOne(in: 25) { return held.append(bytes) }
        send(bytes, &step)
    }

    private mutating func keep(_ packet: EditableRTP) {
        if let index = streams.firstIndex(where: { $0.ssrc == packet.ssrc }) { streams[index].keep(packet) }
    }

    private mutating func send(_ bytes: [UInt8], _ step: inout AttackStep) {
        if recent.count == 64 { recent.remove(at: random.below(64)) }
        recent.append(bytes)
        step.inputs.append(.packet(bytes))
    }

    private mutating func changedFrame(at now: MediaTime, _ step: inout AttackStep) {
        var packets = frame(at: now)
        guard !packets.isEmpty else { return sendRandomMedia(at: now, &step) }
        // A loss, which may be repaired later.
        if random.isOne(in: 4) { keep(packets.remove(at: random.below(packets.count))) }
        if random.isOne(in: 6) { packets.reverse() }
        let changed = packets.isEmpty ? 0 : random.below(packets.count)
        for index in packets.indices {
            var packet = packets[index]
            if index == changed { change(&packet) }
            // The numbers of a stream go on behind a change, or not.
            send(packet, isNumbered: !random.isOne(in: 10), &step)
        }
    }

    private mutating func change(_ packet: inout EditableRTP) {
        switch random.below(19) {
        case 0: packet.sequenceNumber = random.number(near: packet.sequenceNumber)
        case 1: packet.timestamp = random.word(near: packet.timestamp)
        case 2: packet.marker.toggle()
        case 3: packet.payloadType = UInt8(random.below(128))
        case 4: packet.sources = (0...random.below(15)).map { _ in random.word() }
        case 5: packet.sourceCountError = random.below(15)
        case 6: packet.wordCountError = random.pick([-1, 1, 2, 255, 65_535])
        case 7:
            packet.paddingByteCount = 1 + random.below(40)
            packet.paddingCount = random.isOne(in: 2) ? UInt8(packet.paddingByteCount) : random.byte()
        case 8:
            // Nothing but padding.
            (packet.payload, packet.paddingByteCount, packet.paddingCount) = ([], 8, 8)
        case 9: packet.elements.append((UInt8(random.below(16)), random.bytes(1 + random.below(16))))
        case 10:
            packet.profile = random.pick([0xBEDE, 0x1000, 0x100F, 0, 0xFFFF])
            packet.elements.append((random.byte(), random.bytes(random.below(32))))
        case 11: changeExtension(&packet)
        case 12: packet.payload = Array(packet.payload.prefix(random.below(12)))
        case 13:
            if !packet.payload.isEmpty { packet.payload[random.below(min(10, packet.payload.count))] = random.byte() }
        case 14: packet.payload = random.bytes(1 + random.below(60))
        case 15: packet.payload += [UInt8](repeating: 7, count: 1300 + random.below(400))
        case 16: packet.version = UInt8(random.below(4))
        // VP9 with as many references as there may not be.
        case 17: packet.payload = [0xD8, 0x81, random.byte(), 3, 3, 3, 3, 3, 0x86]
        default: random.damage(&packet.payload)
        }
    }

    /// Gives a known element another value, of another length.
    private mutating func changeExtension(_ packet: inout EditableRTP) {
        guard let map = streams.first?.format.extensions else { return }
        let kind = random.pick(HeaderExtensionKind.allCases)
        guard let id = map[kind] else { return }
        switch kind {
        case .videoOrientation: packet.set(id, [random.byte()])
        case .playoutDelay, .absoluteSendTime: packet.set(id, random.bytes(random.isOne(in: 3) ? 2 : 3))
        default: packet.set(id, random.isOne(in: 3) ? nil : random.bytes(1 + random.below(16)))
        }
    }

    /// A burst of packets whose transport-wide or sequence numbers are late, or early, by whole windows.
    private mutating func numbersLateByWindows(at now: MediaTime, _ step: inout AttackStep) {
        let newest = transportNumber
        let isTransportWide = random.isOne(in: 2)
        if isTransportWide {
            transportNumber = random.number(near: newest)
        } else if !streams.isEmpty {
            let index = random.below(streams.count)
            let number = streams[index].sequenceNumber
            streams[index].sequenceNumber =
                random.isOne(in: 2) ? number &- UInt16(random.below(1024)) : random.number(near: number)
        }
        for _ in 0...random.below(3) { for packet in frame(at: now) { send(packet, &step) } }
        // What follows goes on there, or where it was.
        if isTransportWide, !random.isOne(in: 4) { transportNumber = newest }
    }

    /// A stream goes on elsewhere: its numbers, its clock, or its SSRC.
    private mutating func jump(at now: MediaTime, _ step: inout AttackStep) {
        guard !streams.isEmpty else { return }
        let index = random.below(streams.count)
        switch random.below(5) {
        case 4:
            (streams[index].width, streams[index].height) = random.pick([
                (320, 240), (160, 120), (16_383, 16_383), (1, 1),
            ])
        case 0: streams[index].sequenceNumber = random.number(near: streams[index].sequenceNumber)
        case 1: streams[index].timestampOffset = random.word(near: streams[index].timestampOffset)
        case 2: streams[index].pictureID = random.number(near: streams[index].pictureID) & 0x7FFF
        default: if random.isOne(in: 4) { streams[index].restart(using: &random) }
        }
        for packet in frame(at: now) { send(packet, &step) }
    }

    private mutating func rest(_ step: inout AttackStep) {
        step.rest = .milliseconds(
            random.isOne(in: 40) ? random.pick([5000, 12_000]) : random.pick([50, 100, 200, 300, 700, 1100]))
    }

    private mutating func sendRandomMedia(at now: MediaTime, _ step: inout AttackStep) {
        var packet = EditableRTP(
            payloadType: UInt8(random.below(128)), random.number(near: 0), random.word(), ssrc: feedback.reporter)
        packet.payload = random.bytes(1 + random.below(40))
        if random.isOne(in: 2) { packet.elements.append((UInt8(random.below(16)), random.bytes(1 + random.below(8)))) }
        send(packet, isNumbered: false, &step)
    }

    private mutating func otherSources(_ seen: SeenSources, at now: MediaTime, _ step: inout AttackStep) {
        guard var packet = frame(at: now).first else { return sendRandomMedia(at: now, &step) }
        // Few SSRCs: as many as there may be are the work of a run of its own.
        packet.ssrc = random.isOne(in: 3) ? seen.any(&random).ssrc : UInt32(random.below(8))
        if random.isOne(in: 2) { packet.elements = [] }
        send(packet, &step)
    }

    private mutating func audio(at now: MediaTime, _ step: inout AttackStep) {
        guard let audioType else { return }
        var packet = EditableRTP(
            payloadType: audioType, random.number(near: UInt16(truncatingIfNeeded: now.nanoseconds / 20_000_000)),
            UInt32(truncatingIfNeeded: now.nanoseconds / 1_000_000 * 48), ssrc: 0xA0D10)
        packet.payload = random.bytes(random.below(80))
        if random.isOne(in: 4) { change(&packet) }
        send(packet, &step)
    }

    // MARK: Repair

    private mutating func repair(at now: MediaTime, _ step: inout AttackStep) {
        guard !streams.isEmpty else { return }
        let index = random.below(streams.count)
        let stream = streams[index]
        guard let original = stream.sent.isEmpty ? nil : random.pick(stream.sent) else { return }
        switch random.below(4) {
        case 0: retransmit(original, of: index, &step)
        case 1: if let type = stream.format.redType { wrap(index, type, at: now, &step) }
        default:
            guard let red = stream.format.redType, let fec = stream.format.fecType else { return }
            send(fec: random.isOne(in: 2) ? parity(of: original) : parity(of: index), of: index, red, fec, &step)
        }
    }

    private mutating func retransmit(_ original: EditableRTP, of index: Int, _ step: inout AttackStep) {
        guard var packet = retransmission(of: original, on: index) else { return }
        // The media's payload type on the SSRC of retransmissions.
        if random.isOne(in: 12) { packet.payloadType = streams[index].format.payloadType }
        if random.isOne(in: 3) {
            let number = random.number(near: original.sequenceNumber)
            packet.payload[0...1] = [UInt8(number >> 8), UInt8(number & 0xFF)]
        }
        if random.isOne(in: 6) { packet.payload = random.bytes(random.below(3)) }
        if random.isOne(in: 6) { change(&packet) }
        send(packet, &step)
    }

    /// A true retransmission (RFC 4588): of RED, if that is negotiated.
    mutating func retransmission(of packet: EditableRTP, on index: Int) -> EditableRTP? {
        let stream = streams[index]
        guard let type = stream.format.retransmissionType else { return nil }
        var again = EditableRTP(
            payloadType: type, stream.retransmissionNumber, packet.timestamp, ssrc: stream.retransmissionSSRC)
        streams[index].retransmissionNumber &+= 1
        again.marker = packet.marker
        stream.name(&again, isRepair: true)
        again.payload.append(bigEndian: packet.sequenceNumber)
        if stream.format.redType != nil { again.payload.append(packet.payloadType) }
        again.payload += packet.payload
        return again
    }

    private mutating func wrap(_ index: Int, _ type: UInt8, at now: MediaTime, _ step: inout AttackStep) {
        for packet in streams[index].frame(isKey: random.isOne(in: 4), packets: 1 + random.below(2), at: now) {
            var packet = packet
            let inner = random.isOne(in: 12) ? UInt8(random.below(128)) : packet.payloadType
            packet.payload = [inner] + packet.payload
            if random.isOne(in: 8) { packet.payload = [0x80 | inner, 0, 0, random.byte()] + packet.payload }
            if random.isOne(in: 12) { packet.payload = [] }
            packet.payloadType = type
            send(packet, &step)
        }
    }

    /// ULPFEC (RFC 5109) that protects one packet, and so is its copy.
    private func parity(of packet: EditableRTP) -> [UInt8] {
        let bytes = packet.bytes
        var payload = [bytes[0] & 0x3F, bytes[1]] + bytes[2..<8]
        payload.append(bigEndian: UInt16(truncatingIfNeeded: bytes.count - 12))
        payload.append(bigEndian: UInt16(truncatingIfNeeded: bytes.count - 12))
        payload.append(bigEndian: 0x8000 as UInt16)
        return payload + bytes[12...]
    }

    /// The same with any fields.
    private mutating func parity(of index: Int) -> [UInt8] {
        let base = streams[index].sequenceNumber &- UInt16(1 + random.below(20))
        var payload: [UInt8] = [random.isOne(in: 4) ? random.byte() : 0, random.byte()]
        payload.append(bigEndian: random.isOne(in: 3) ? random.number(near: base) : base)
        payload += random.bytes(4)
        payload.append(bigEndian: UInt16(random.pick([20, 40, 0, 65_535])))
        payload.append(bigEndian: UInt16(random.pick([20, 40, 8, 0])))
        payload.append(bigEndian: random.pick([0x8000, 0xC000, 0xE000, 0xFFFF, 0] as [UInt16]))
        return payload + random.bytes(random.pick([0, 20, 40]))
    }

    private mutating func send(
        fec payload: [UInt8], of index: Int, _ red: UInt8, _ fec: UInt8, _ step: inout AttackStep
    ) {
        let stream = streams[index]
        var packet = EditableRTP(payloadType: red, stream.sequenceNumber, stream.timestamp, ssrc: stream.ssrc)
        streams[index].sequenceNumber &+= 1
        packet.payload = [fec] + payload
        stream.name(&packet)
        if random.isOne(in: 8) { change(&packet) }
        number(&packet)
        send(packet.bytes, &step)
    }

    // MARK: Everything else

    private mutating func sendFeedback(_ seen: SeenSources, at now: MediaTime, _ step: inout AttackStep) {
        let milliseconds = UInt32(truncatingIfNeeded: now.nanoseconds / 1_000_000)
        var bytes = feedback.compound(about: seen, of: streams, milliseconds, using: &random)
        if random.isOne(in: 5) { random.damage(&bytes) }
        send(bytes, &step)
    }

    private mutating func damagedCopy(_ step: inout AttackStep) {
        guard !recent.isEmpty else { return }
        var bytes = random.pick(recent)
        for _ in 0...random.below(3) { random.damage(&bytes) }
        // The front of one, the end of another.
        if random.isOne(in: 4) {
            let other = random.pick(recent)
            bytes = Array(bytes.prefix(random.below(bytes.count + 1)) + other.suffix(random.below(other.count + 1)))
        }
        send(bytes, &step)
    }

    private mutating func flood(_ seen: SeenSources, at now: MediaTime, _ step: inout AttackStep) {
        guard random.isOne(in: 4) else { return }
        let kind = random.below(AttackFeedback.kindCount)
        let milliseconds = UInt32(truncatingIfNeeded: now.nanoseconds / 1_000_000)
        for _ in 0..<(8 + random.below(56)) {
            if random.isOne(in: 2) {
                send(feedback.packet(kind, about: seen, of: streams, milliseconds, using: &random), &step)
            } else {
                for packet in frame(at: now) { send(packet, &step) }
            }
        }
    }

    private mutating func release(_ step: inout AttackStep) {
        for bytes in held.reversed() { step.inputs.append(.packet(bytes)) }
        held = []
        if !recent.isEmpty { step.inputs.append(.packet(random.pick(recent))) }
    }

    private mutating func transport(_ step: inout AttackStep) {
        guard hasTransport else { return }
        if random.isOne(in: 3) {
            step.inputs.append(.data(random.bytes(1 + random.below(1000))))
        } else {
            // The same again is a copy.
            if random.isOne(in: 3) { lastCheck = random.word() }
            step.inputs.append(.check(lastCheck))
        }
    }

    /// What is not of any protocol, or only begins like it.
    private mutating func junk() -> [UInt8] {
        var bytes = random.bytes(random.pick([0, 1, 2, 11, 12, 13, 40, 200]))
        if !bytes.isEmpty { bytes[0] = random.pick([0, 1, 16, 20, 21, 22, 23, 63, 64, 79, 128, 144, 191, 192, 255]) }
        if bytes.count > 1, bytes[0] & 0xC0 == 0x80, random.isOne(in: 2) {
            bytes[1] = random.pick([192, 200, 205, 206, 223])
        }
        return bytes
    }
}
