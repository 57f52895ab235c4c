import RillRTP

/// What an attacker has seen of the other side's packets.
struct SeenSources {
    /// The newest sequence numbers of RTP sources, newest source last.
    private(set) var numbers: [(ssrc: UInt32, newest: UInt16)] = []
    /// The newest transport-wide number.
    var transportNumber: UInt16 = 0
    /// Who sends reports.
    var reporter: UInt32 = 1
    /// The middle 32 bits of the time of the newest sender report or reference time.
    var reportTime: UInt32 = 0

    private static let limit = 16

    mutating func note(_ ssrc: UInt32, _ number: UInt16) {
        numbers.removeAll { $0.ssrc == ssrc }
        if numbers.count == SeenSources.limit { numbers.removeFirst() }
        numbers.append((ssrc, number))
    }

    func any(_ random: inout AttackRandom) -> (ssrc: UInt32, newest: UInt16) {
        numbers.isEmpty || random.isOne(in: 12) ? (random.word(), 0) : random.pick(numbers)
    }
}

/// RTCP of an attacker: each kind that Rill knows, and some that it does not, with fields on which receivers break.
struct AttackFeedback {
    var reporter: UInt32
    private var feedbackCount: UInt8 = 0
    private var firNumber: UInt8 = 0
    private var pauseID: UInt16 = 0

    init(reporter: UInt32) { self.reporter = reporter }

    /// A compound of one to four packets.
    mutating func compound(
        about seen: SeenSources, of ours: [AttackStream], _ milliseconds: UInt32, using random: inout AttackRandom
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0...random.below(random.isOne(in: 3) ? 4 : 1) {
            bytes += packet(random.below(AttackFeedback.kindCount), about: seen, of: ours, milliseconds, using: &random)
        }
        // Padding, as it must be and elsewhere.
        if random.isOne(in: 20) { bytes = pad(bytes, using: &random) }
        return bytes
    }

    static let kindCount = 16

    mutating func packet(
        _ kind: Int, about seen: SeenSources, of ours: [AttackStream], _ milliseconds: UInt32,
        using random: inout AttackRandom
    ) -> [UInt8] {
        let sender = random.isOne(in: 16) ? random.word() : reporter
        switch kind {
        case 0: return senderReport(seen, ours, milliseconds, &random)
        case 1:
            return wire(
                201, random.below(3), words(sender) + (0..<random.below(3)).flatMap { _ in block(seen, &random) })
        case 2: return wire(202, 1, words(sender) + [1, 3, 0x61, 0x40, 0x62, 0, 0, 0])
        case 3: return goodbye(seen, ours, &random)
        case 4: return wire(204, 3, words(sender, 0x7269_6C6C) + random.bytes(4 * random.below(4)))
        case 5, 6: return nack(seen, sender, &random)
        case 7: return wire(206, 1, words(sender, seen.any(&random).ssrc))
        case 8:
            firNumber &+= random.isOne(in: 2) ? 1 : 0
            return wire(206, 4, words(sender, 0, seen.any(&random).ssrc) + [firNumber, 0, 0, 0])
        case 9: return estimate(seen, sender, &random)
        case 10, 11: return transportFeedback(seen, sender, &random)
        case 12: return streamFeedback(seen, sender, &random)
        case 13: return pause(seen, ours, sender, &random)
        case 14: return extendedReport(seen, sender, &random)
        // TMMBR and TMMBN (RFC 5104), and what nobody has defined.
        default:
            return wire(
                random.pick([205, 205, 206, 208, 223, 192]), random.pick([3, 4, 8, 15, 31]),
                words(sender, seen.any(&random).ssrc) + random.bytes(4 * random.below(5)))
        }
    }

    // MARK: Reports

    private func senderReport(
        _ seen: SeenSources, _ ours: [AttackStream], _ milliseconds: UInt32, _ random: inout AttackRandom
    ) -> [UInt8] {
        let stream = ours.isEmpty ? nil : random.pick(ours)
        var body = words(
            stream?.ssrc ?? reporter, 0x83AA_7E80 &+ milliseconds / 1000, milliseconds % 1000 &* 4_294_967,
            stream?.timestamp ?? 0, 100, 10_000)
        if random.isOne(in: 6) {
            let field = random.below(5)
            body.replaceSubrange(4 * field..<4 * field + 4, with: words(random.word(near: milliseconds)))
        }
        let count = random.below(3)
        for _ in 0..<count { body += block(seen, &random) }
        return wire(200, random.isOne(in: 12) ? random.below(32) : count, body)
    }

    private func block(_ seen: SeenSources, _ random: inout AttackRandom) -> [UInt8] {
        let (ssrc, newest) = seen.any(&random)
        let highest = UInt32(random.isOne(in: 2) ? newest : random.number(near: newest))
        let times: (UInt32, UInt32) = random.isOne(in: 3) ? (random.word(), random.word()) : (seen.reportTime, 655)
        return words(
            ssrc, random.isOne(in: 2) ? 0 : random.word(), highest, random.word(near: 0), times.0, times.1)
    }

    private func goodbye(_ seen: SeenSources, _ ours: [AttackStream], _ random: inout AttackRandom) -> [UInt8] {
        var sources = ours.isEmpty ? [reporter] : [random.pick(ours).ssrc]
        // All of ours: then we have left.
        if random.isOne(in: 3) { sources = ours.map(\.ssrc) + [reporter] }
        if random.isOne(in: 8) { sources.append(seen.any(&random).ssrc) }
        let reason: [UInt8] = random.isOne(in: 2) ? [3, 0x62, 0x79, 0x65] : []
        return wire(
            203, random.isOne(in: 12) ? random.below(32) : sources.count, sources.flatMap { words($0) } + reason)
    }

    private func extendedReport(_ seen: SeenSources, _ sender: UInt32, _ random: inout AttackRandom) -> [UInt8] {
        var body = words(sender)
        for _ in 0...random.below(3) {
            switch random.below(4) {
            case 0: body += [4, 0, 0, 2] + words(0x83AA_7E80, random.word())
            case 1:
                let count = 1 + random.below(3)
                body += [5, 0, 0, UInt8(3 * count)]
                for _ in 0..<count { body += words(seen.reporter, seen.reportTime, random.word(near: 655)) }
            case 2: body += [99, 0xE0, 0, 1] + random.bytes(4)
            // A length that is not there.
            default: body += [UInt8(4 + random.below(2)), 0, UInt8(random.below(2)), random.byte()]
            }
        }
        return wire(207, 0, body)
    }

    // MARK: Requests

    private func nack(_ seen: SeenSources, _ sender: UInt32, _ random: inout AttackRandom) -> [UInt8] {
        let (ssrc, newest) = seen.any(&random)
        var body = words(sender, ssrc)
        for _ in 0..<random.pick([0, 1, 1, 2, 3, 20]) {
            body.append(
                bigEndian: random.isOne(in: 2) ? newest &- UInt16(random.below(40)) : random.number(near: newest))
            body.append(bigEndian: random.pick([0, 1, 0x8000, 0xFFFF, UInt16(random.below(65_536))]))
        }
        return wire(205, 1, body)
    }

    private func estimate(_ seen: SeenSources, _ sender: UInt32, _ random: inout AttackRandom) -> [UInt8] {
        let name: UInt32 = random.isOne(in: 8) ? random.word() : 0x5245_4D42
        let value = UInt32(random.below(64)) << 18 | random.word() & 0x3FFFF
        let count = random.below(3)
        var body = words(sender, 0, name, UInt32(random.isOne(in: 8) ? random.below(256) : count) << 24 | value)
        for _ in 0..<count { body += words(seen.any(&random).ssrc) }
        return wire(206, 15, body)
    }

    private mutating func pause(
        _ seen: SeenSources, _ ours: [AttackStream], _ sender: UInt32, _ random: inout AttackRandom
    ) -> [UInt8] {
        var body = words(sender, 0)
        for _ in 0...random.below(3) {
            // PAUSE and RESUME are about their streams, PAUSED and REFUSED about ours.
            let type = random.isOne(in: 12) ? random.below(16) : random.below(4)
            let isTheirs = type < 2 || ours.isEmpty
            let target = isTheirs ? seen.any(&random).ssrc : random.pick(ours).ssrc
            pauseID &+= random.pick([0, 0, 1, 1, 2, 0xFFFF])
            let words = type == 2 ? 1 : random.isOne(in: 8) ? random.below(3) : 0
            body += self.words(target) + [UInt8(type) << 4, UInt8(words)]
            body.append(bigEndian: pauseID)
            let newest = ours.isEmpty ? 0 : random.pick(ours).sequenceNumber
            for _ in 0..<words { body += self.words(UInt32(random.number(near: newest))) }
        }
        return wire(205, 9, body)
    }

    // MARK: Congestion feedback

    private mutating func transportFeedback(
        _ seen: SeenSources, _ sender: UInt32, _ random: inout AttackRandom
    ) -> [UInt8] {
        feedbackCount &+= random.pick([1, 1, 1, 0, 2, 255])
        let newest = seen.transportNumber
        let base = random.isOne(in: 2) ? newest &- UInt16(random.below(20)) : random.number(near: newest)
        var body = words(sender, seen.any(&random).ssrc)
        body.append(bigEndian: base)
        var (chunks, deltas): ([UInt8], [UInt8]) = ([], [])
        var count = 0
        for _ in 0...random.below(4) {
            let chunk: UInt16
            switch random.below(4) {
            case 0:  // A run of one symbol.
                let symbol = UInt16(random.below(random.isOne(in: 30) ? 4 : 3))
                let length =
                    random.isOne(in: 4) ? random.pick(AttackRandom.distances) & 0x1FFF : UInt16(random.below(8))
                chunk = symbol << 13 | length
                count += Int(length)
                if symbol != 0, symbol < 3, length < 200 {
                    for _ in 0..<(Int(length) * Int(symbol)) { deltas.append(random.isOne(in: 5) ? random.byte() : 4) }
                }
            case 1:  // Fourteen of one bit.
                chunk = 0x8000 | UInt16(random.below(1 << 14))
                count += 14
                for _ in 0..<(chunk & 0x3FFF).nonzeroBitCount { deltas.append(4) }
            default:  // Seven of two bits.
                chunk = 0xC000 | UInt16(random.below(1 << 14)) & (random.isOne(in: 20) ? 0x3FFF : 0x1555)
                count += 7
                for _ in 0..<(chunk & 0x1555).nonzeroBitCount { deltas.append(4) }
            }
            chunks.append(bigEndian: chunk)
        }
        let declared = random.isOne(in: 6) ? UInt16(random.below(65_536)) : UInt16(truncatingIfNeeded: count)
        body.append(bigEndian: declared)
        body.append(bigEndian: random.word(near: 1) & 0xFFFFFF << 8 | UInt32(feedbackCount))
        return wire(205, 15, body + chunks + deltas)
    }

    private func streamFeedback(_ seen: SeenSources, _ sender: UInt32, _ random: inout AttackRandom) -> [UInt8] {
        var body = words(sender)
        for _ in 0...random.below(3) {
            let (ssrc, newest) = seen.any(&random)
            let base = random.isOne(in: 2) ? newest &- UInt16(random.below(20)) : random.number(near: newest)
            let count = random.pick([0, 1, 2, 7, 8, 20])
            body += words(ssrc)
            body.append(bigEndian: base)
            body.append(bigEndian: random.isOne(in: 10) ? random.pick(AttackRandom.distances) : UInt16(count))
            for _ in 0..<(count + count % 2) {
                body.append(bigEndian: random.pick([0, 0x8001, 0x9FFE, 0x9FFF, 0xE200] as [UInt16]))
            }
        }
        return wire(205, 11, body + words(seen.reportTime))
    }

    // MARK: The wire

    private func pad(_ bytes: [UInt8], using random: inout AttackRandom) -> [UInt8] {
        var bytes = bytes
        guard bytes.count >= 4 else { return bytes }
        bytes[0] |= 0x20
        let count = random.pick([0, 4, 4, 8, 255])
        bytes += [0, 0, 0, UInt8(count)]
        let words = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        (bytes[2], bytes[3]) = (UInt8((words &+ 1) >> 8), UInt8((words &+ 1) & 0xFF))
        return bytes
    }

    private func wire(_ type: UInt8, _ count: Int, _ body: [UInt8]) -> [UInt8] {
        var bytes = [0x80 | UInt8(count & 31), type]
        let padding = -body.count & 3
        bytes.append(bigEndian: UInt16(truncatingIfNeeded: (body.count + padding) / 4))
        return bytes + body + [UInt8](repeating: 0, count: padding)
    }

    private func words(_ values: UInt32...) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in values { bytes.append(bigEndian: value) }
        return bytes
    }
}
