import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import RillTestSupport
import Testing

/// Whatever comes of a protected stream, in whatever order.
@Suite struct RestorationPropertyTests {
    /// What can be restored from these datagrams, by the plain rule, over and over.
    private func restorable(_ stream: ProtectedStream, _ came: Set<UInt16>) throws -> Set<UInt16> {
        var known = came.subtracting(stream.fecPackets)
        var protected: [[UInt16]] = []
        for datagram in stream.datagrams {
            let number = ProtectedStream.number(of: datagram)
            guard stream.fecPackets.contains(number), came.contains(number) else { continue }
            let payload = Array(datagram[13...])
            let fec = try ULPFECPayload(parsing: payload.span)
            var numbers: [UInt16] = []
            fec.forEachProtected { numbers.append($0.rawValue) }
            protected.append(numbers)
        }
        var hasRecovered = true
        while hasRecovered {
            hasRecovered = false
            for numbers in protected {
                let missing = numbers.filter { !known.contains($0) }
                if missing.count == 1 {
                    known.insert(missing[0])
                    hasRecovered = true
                }
            }
        }
        return known
    }

    @Test(arguments: [20, 50, 100])
    func `Any order and subset restores exactly the recoverable packets`(percent: Int) throws {
        for seed in 1...60 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let stream = try ProtectedStream(
                frames: 8, percent: percent, start: UInt16(truncatingIfNeeded: random.next()), seed: seed)
            try #require(stream.datagrams.count < 256)
            let loss = random.unitInterval() * 0.4
            // Each packet zero to two times, a lost one perhaps retransmitted; moved by up to 20 positions.
            let reach = Double(seed % 20)
            var order: [(place: Double, bytes: [UInt8])] = []
            var came: Set<UInt16> = []
            for (index, datagram) in stream.datagrams.enumerated() {
                let number = ProtectedStream.number(of: datagram)
                let again = random.unitInterval() < 0.1 ? stream.again[number] : nil
                for bytes in [random.unitInterval() < loss ? nil : datagram, again] {
                    guard let bytes else { continue }
                    came.insert(number)
                    order.append((Double(index) + reach * random.unitInterval(), bytes))
                }
            }
            order.sort { $0.place < $1.place }
            var log = RestorerLog()
            for (_, bytes) in order { log.insert(bytes) }
            var restored: Set<UInt16> = []
            for (bytes, origin) in log.media {
                let number = ProtectedStream.number(of: bytes)
                #expect(bytes == stream.originals[number], "seed \(seed), \(origin)")
                if origin == .fec {
                    let isNew = restored.insert(number).inserted
                    #expect(isNew, "seed \(seed): \(number) was restored twice")
                }
            }
            let known = Set(log.media.map { ProtectedStream.number(of: $0.bytes) })
            #expect(try known == restorable(stream, came), "seed \(seed)")
            #expect(log.statistics.packetsRecovered == restored.count && log.statistics.malformedPackets == 0)
        }
    }

    @Test func `Long streams with losses are restored throughout`() throws {
        let stream = try ProtectedStream(frames: 1500, percent: 30, seed: 9, largestFrame: 1500)
        var random = SeededGenerator(seed: 3)
        var log = RestorerLog()
        var lost: Set<UInt16> = []
        var count = 0
        // More numbers than 16 bits are not needed: the first frames wrap, and the window turns many times.
        for datagram in stream.datagrams {
            if random.unitInterval() < 0.02 {
                lost.insert(ProtectedStream.number(of: datagram))
            } else {
                log.insert(datagram)
                count += 1
            }
        }
        let media = lost.subtracting(stream.fecPackets)
        let restored = Set(log.bytes(.fec).map(ProtectedStream.number))
        let came = Set(stream.datagrams.map(ProtectedStream.number)).subtracting(lost)
        #expect(try restored == restorable(stream, came).subtracting(came))
        #expect(restored.count > media.count * 8 / 10 && media.count > 50)
        for bytes in log.bytes(.fec) { #expect(bytes == stream.originals[ProtectedStream.number(of: bytes)]) }
    }

    @Test func `Any bytes are taken`() throws {
        let stream = try ProtectedStream(frames: 6, percent: 100)
        let seeds = stream.datagrams + stream.again.values.sorted { $0.lexicographicallyPrecedes($1) }
        var log = RestorerLog(ProtectedStream.repair, ssrc: nil)
        var outcomes = [0, 0, 0, 0, 0, 0]
        var restored = 0
        var restorer = PacketRestorer(
            ProtectedStream.repair, for: JitterBufferSettings(payloadType: ProtectedStream.media))
        _ = log.insert(seeds[0])
        for input in MutatedInputs(of: seeds, count: 100_000, using: SeededGenerator(seed: 11)) {
            let result = restorer.insert(input.span) { packet in
                switch packet {
                case .media(let bytes, .fec):
                    restored += 1
                    // What is restored is always a packet of the stream.
                    let isPacket = (try? RTPPacket(parsing: bytes).header.payloadType) == ProtectedStream.media
                    if !isPacket { Issue.record("no packet was restored") }
                case .media, .withoutMedia: break
                }
            }
            switch result {
            case .media: outcomes[0] += 1
            case .retransmission: outcomes[1] += 1
            case .fec: outcomes[2] += 1
            case .padding: outcomes[3] += 1
            case .unassigned: outcomes[4] += 1
            case .malformed: outcomes[5] += 1
            }
        }
        #expect(outcomes.allSatisfy { $0 > 0 }, "\(outcomes)")
        #expect(restored > 0)
        #expect(restorer.statistics.packetsRecovered == restored)
    }
}
