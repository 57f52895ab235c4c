import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import RillTestSupport
import Testing

/// Whatever comes, the buffer keeps its promises.
@Suite struct HostileStreamTests {
    /// Watches a receiver: what it releases is in order, never twice, and never before its references.
    private func check(_ receiver: VirtualReceiver, _ note: @autoclosure () -> Comment) {
        var released: Set<Int64> = []
        var newest = Int64.min
        for output in receiver.frames {
            #expect(output.number > newest, note())
            newest = output.number
            if output.received.frame.isKey {
                #expect(output.references.isEmpty, note())
            } else {
                #expect(!output.references.isEmpty, note())
            }
            for reference in output.references { #expect(released.contains(reference), note()) }
            released.insert(output.number)
            #expect(output.time >= output.received.playoutTime, note())
            #expect(output.bytes.count == output.received.frame.byteCount, note())
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `Any order and subset keeps the promises`(isLayered: Bool, isRepaired: Bool) {
        for seed in 1...150 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var stream = SyntheticStream()
            stream.sequence = SequenceNumber(UInt16(truncatingIfNeeded: generator.next()))
            stream.timestamp = RTPTimestamp(UInt32(truncatingIfNeeded: generator.next()))
            if seed % 2 == 0 { stream.descriptor.pictureID = nil }
            stream.setsMarker = seed % 5 != 0
            var packets: [[UInt8]] = []
            for index in 0..<60 {
                if isLayered {
                    stream.descriptor.tl0PictureIndex = UInt8(index / 2)
                    stream.descriptor.temporalLayer = .init(index: UInt8(index % 2), isLayerSync: index % 8 == 1)
                }
                stream.descriptor.isNonReference = generator.unitInterval() < 0.2 && index % 20 != 0
                packets += stream.frame(isKey: index % 20 == 0, packets: 1 + Int(generator.next() % 3)).packets
                if generator.unitInterval() < 0.1 { packets.append(stream.padding()) }
            }
            // Each packet zero to two times, moved by up to 30 places.
            let reach = Double(seed % 30)
            let shuffled = packets.enumerated().flatMap { index, packet in
                (0..<Int(generator.next() % 3)).map { _ in
                    (Double(index) + reach * generator.unitInterval(), packet)
                }
            }.sorted { $0.0 < $1.0 }
            var settings = JitterBufferSettings(payloadType: stream.payloadType)
            settings.packetCapacity = seed % 3 == 0 ? 16 : 128
            let receiver = VirtualReceiver(settings)
            for (index, (_, packet)) in shuffled.enumerated() {
                let origin: PacketOrigin =
                    isRepaired && generator.unitInterval() < 0.3 ? [.retransmission, .fec][index % 2] : .network
                receiver.insert(packet, origin, at: .milliseconds(Double(15 * index)))
            }
            receiver.pass(until: .seconds(10))
            check(receiver, "seed \(seed)")
        }
    }

    /// In a small ring many retransmissions arrive when the stream is out of reach: they are not a discontinuity.
    @Test(arguments: [16, 32], [0, 8, 40, 200])
    func `A small ring releases no frame twice`(capacity: Int, delay: Int) {
        for seed in 1...(isAddressSanitized ? 25 : 100) as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var stream = SyntheticStream()
            stream.sequence = SequenceNumber(UInt16(truncatingIfNeeded: generator.next()))
            stream.timestamp = RTPTimestamp(UInt32(truncatingIfNeeded: generator.next()))
            if seed % 2 == 0 { stream.descriptor.pictureID = nil }
            let frames = (0..<120).map { stream.frame(isKey: $0 % 10 == 0, packets: 1 + $0 % 3) }
            let packets = frames.enumerated().flatMap { index, frame in frame.packets.map { (index, $0) } }
            var arrivals: [(place: Double, time: MediaTime, packet: [UInt8], origin: PacketOrigin)] = []
            for (place, (index, packet)) in packets.enumerated() {
                let time = MediaTime.frame(index)
                if generator.unitInterval() > 0.1 { arrivals.append((Double(place), time, packet, .network)) }
                // Rows of packets that come again, in any way.
                guard place / 6 % 3 == 0 else { continue }
                let origin = [.network, .retransmission, .fec][Int(generator.next() % 3)] as PacketOrigin
                let later = Double(delay) * generator.unitInterval()
                arrivals.append((Double(place) + later, time, packet, origin))
            }
            arrivals.sort { $0.place < $1.place }
            var settings = JitterBufferSettings(payloadType: stream.payloadType)
            settings.packetCapacity = capacity
            if seed % 3 == 0 { settings.playoutDelay = .lowLatency }
            let receiver = VirtualReceiver(settings)
            var now = MediaTime.zero
            for arrival in arrivals {
                now = max(now, arrival.time)
                receiver.insert(arrival.packet, arrival.origin, at: now)
            }
            receiver.pass(until: now + .seconds(10))
            check(receiver, "seed \(seed)")
            let indices = receiver.frames.map { output in frames.firstIndex { $0.bytes == output.bytes } ?? -1 }
            #expect(zip(indices, indices.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed): \(indices)")
            #expect(indices.count > 12, "seed \(seed)")
            #expect(receiver.statistics.resynchronizations < 12, "seed \(seed)")
        }
    }

    @Test func `Delta frames are released with their true predecessor`() {
        // The bytes of each frame name the frame before it: what the decoder has must be what the encoder had.
        for seed in 1...100 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var stream = SyntheticStream()
            if seed % 2 == 0 { stream.descriptor.pictureID = nil }
            let frames = (0..<80).map { stream.frame(isKey: $0 % 30 == 0, packets: 1 + $0 % 3) }
            let receiver = VirtualReceiver()
            for (index, frame) in frames.enumerated() {
                for packet in frame.packets where generator.unitInterval() > 0.05 {
                    receiver.insert(packet, at: .frame(index) + generator.duration(below: .milliseconds(1)))
                }
            }
            receiver.pass(until: .seconds(10))
            check(receiver, "seed \(seed)")
            let indices = receiver.frames.map { output in frames.firstIndex { $0.bytes == output.bytes } ?? -1 }
            for (before, after) in zip(indices, indices.dropFirst()) {
                #expect(after >= 0 && (frames[after].isKey || after == before + 1), "seed \(seed): \(before), \(after)")
            }
        }
    }

    @Test func `Damaged packets never bring it down`() {
        var stream = SyntheticStream()
        var settings = JitterBufferSettings(ssrc: stream.ssrc, payloadType: stream.payloadType)
        settings.packetCapacity = 64
        let receiver = VirtualReceiver(settings)
        var outcomes: [String: Int] = [:]
        // A stream that goes on, and three damaged versions of each of its packets around it.
        for index in 0..<20_000 {
            switch index / 10 % 4 {
            case 0: stream.descriptor.pictureID = .short(UInt8(index & 0x7F))
            case 1: stream.descriptor.tl0PictureIndex = UInt8(index & 0xFF)
            case 2: stream.descriptor.temporalLayer = .init(index: UInt8(index & 3), isLayerSync: index % 8 == 2)
            default: stream.descriptor = VP8PayloadDescriptor(startsPartition: false, keyIndex: 3)
            }
            var packets = stream.frame(isKey: index % 10 == 0, packets: 1 + index % 2).packets
            if index % 5 == 0 { packets.append(stream.padding()) }
            let time = MediaTime.frame(index)
            for (number, packet) in packets.enumerated() {
                let generator = SeededGenerator(seed: UInt64(index * 4 + number))
                for damaged in MutatedInputs(of: [packet, packets[0]], count: 3, using: generator) {
                    let result = receiver.insert(damaged, at: time)
                    outcomes[String("\(result)".prefix { $0 != "(" }), default: 0] += 1
                }
                receiver.insert(packet, at: time)
            }
            let occupancy = receiver.buffer.occupancy
            #expect(occupancy.packets <= 64 && occupancy.frames <= 64, "frame \(index)")
        }
        #expect(outcomes.values.reduce(0, +) >= 100_000)
        // The test is worth nothing if damage stops at the door, or the stream stands still.
        for outcome in [
            "queued", "duplicate", "late", "onProbation", "inconsistent", "malformed", "wrongSSRC", "wrongPayloadType",
            "padding",
        ] { #expect(outcomes[outcome, default: 0] > 50, "\(outcome): \(outcomes)") }
        #expect(receiver.statistics.jitterBufferEmittedCount > 2000)
        #expect(zip(receiver.released, receiver.released.dropFirst()).allSatisfy { $0 < $1 })
    }

    /// The same of VP9, in both modes, with packets that claim to have been repaired.
    @Test func `Damaged VP9 packets never bring it down`() {
        var stream = SyntheticVP9Stream()
        var settings = JitterBufferSettings(ssrc: stream.ssrc, payloadType: stream.payloadType, codec: .vp9)
        settings.packetCapacity = 64
        let receiver = VirtualReceiver(settings)
        let origins: [PacketOrigin] = [.network, .retransmission, .fec]
        var outcomes: [String: Int] = [:]
        var random = SeededGenerator(seed: 8)
        for index in 0..<15_000 {
            stream.descriptor.isFlexible = index / 40 % 2 == 0
            stream.descriptor.references = FrameDistances()
            stream.descriptor.layer = .init(temporalIndex: UInt8([0, 2, 1, 2][index % 4]), isSwitchingUpPoint: true)
            if stream.descriptor.isFlexible {
                stream.descriptor.tl0PictureIndex = nil
                let distances: [UInt8] = index % 20 == 0 ? [] : [[4], [1], [2], [1, 3]][index % 4]
                for distance in distances { stream.descriptor.references.append(distance) }
            } else {
                stream.descriptor.tl0PictureIndex = UInt8(truncatingIfNeeded: index / 4)
                if index % 20 == 0 { stream.structure = GroupStructure.l1t3 }
            }
            let kind: SyntheticVP9Stream.Kind = index % 20 == 0 ? .key : index % 50 == 7 ? .intraOnly : .inter
            if kind == .intraOnly { stream.descriptor.references = FrameDistances() }
            let packets = stream.frame(kind, packets: 1 + index % 3).packets
            let time = MediaTime.frame(index)
            for (number, packet) in packets.enumerated() {
                let generator = SeededGenerator(seed: UInt64(index * 4 + number))
                for damaged in MutatedInputs(of: [packet, packets[0]], count: 3, using: generator) {
                    let result = receiver.insert(damaged, origins[Int(random.next() % 3)], at: time)
                    outcomes[String("\(result)".prefix { $0 != "(" }), default: 0] += 1
                }
                if random.unitInterval() > 0.02 { receiver.insert(packet, origins[index % 7 == 0 ? 1 : 0], at: time) }
            }
            let occupancy = receiver.buffer.occupancy
            #expect(occupancy.packets <= 64 && occupancy.frames <= 64, "frame \(index)")
        }
        #expect(outcomes.values.reduce(0, +) >= 80_000)
        for outcome in [
            "queued", "duplicate", "late", "onProbation", "inconsistent", "malformed", "wrongSSRC", "wrongPayloadType",
        ] { #expect(outcomes[outcome, default: 0] > 20, "\(outcome): \(outcomes)") }
        #expect(receiver.statistics.jitterBufferEmittedCount > 1000, "\(receiver.statistics.jitterBufferEmittedCount)")
        #expect(receiver.statistics.framesRepaired > 200)
        #expect(zip(receiver.released, receiver.released.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func `An hour of loss holds no more than the ring`() {
        var settings = JitterBufferSettings(payloadType: PayloadType(96))
        settings.packetCapacity = 256
        let receiver = VirtualReceiver(settings)
        var stream = SyntheticStream()
        var generator = SeededGenerator(seed: 9)
        var most = (packets: 0, frames: 0)
        // Five frames a second; a key frame every minute, so that the ring fills between.
        for index in 0..<18_000 {
            let frame = stream.frame(isKey: index % 300 == 0, packets: 2, ticks: 18_000)
            for packet in frame.packets where generator.unitInterval() > 0.05 {
                receiver.insert(packet, at: .milliseconds(Double(200 * index)))
            }
            let occupancy = receiver.buffer.occupancy
            most = (max(most.packets, occupancy.packets), max(most.frames, occupancy.frames))
        }
        #expect(most.packets <= 256 && most.frames <= 256)
        #expect(most.packets > 200)
        #expect(receiver.statistics.drops.overflow > 0)
        check(receiver, "")
    }
}
