import Glibc
import RillRTP

/// Received packets, a frame to send, and the memory to write into. Each method processes a number of packets, and
/// returns a number that depends on all of the work. It throws the parser's errors, which our own packets should not
/// cause.
///
/// The loops take their spans once, so that they measure the work and not reference counting.
struct WireBench {
    private static let packetByteCount = 1200
    private static let receivedCount = 16
    private let map: HeaderExtensionMap
    private let layout: HeaderExtensionLayout
    private let plain: VP8Packetizer
    private let extended: VP8Packetizer
    private let frame: [UInt8]
    private let feedback = Feedback()
    /// Packets to read, one after the other, each `packetByteCount` long.
    private var received: [UInt8] = []
    private var output = [UInt8](repeating: 0, count: WireBench.packetByteCount)
    private var alignedOutput = [UInt8](repeating: 0, count: WireBench.packetByteCount + 63)

    init() {
        var map = HeaderExtensionMap()
        var layout = HeaderExtensionLayout()
        do throws(RTPError) {
            try map.set(.absoluteSendTime, id: 3)
            try map.set(.transportSequenceNumber, id: 5)
        } catch {
            preconditionFailure("both numbers are free: \(error)")
        }
        layout.add(id: 3, byteCount: AbsoluteSendTime.byteCount)
        layout.add(id: 5, byteCount: TransportSequenceNumber.byteCount)
        self.map = map
        self.layout = layout
        // Fills every packet.
        frame = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let header = RTPHeader(
            marker: false, payloadType: PayloadType(96), sequenceNumber: SequenceNumber(1), timestamp: RTPTimestamp(2),
            ssrc: SSRC(3))
        let descriptor = VP8PayloadDescriptor(
            startsPartition: true, pictureID: .long(300), tl0PictureIndex: 7,
            temporalLayer: VP8PayloadDescriptor.TemporalLayer(index: 1, isLayerSync: true))
        plain = VP8Packetizer(
            frameByteCount: frame.count, header: header, descriptor: descriptor,
            maximumPacketByteCount: WireBench.packetByteCount)
        extended = VP8Packetizer(
            frameByteCount: frame.count, header: header, descriptor: descriptor,
            maximumPacketByteCount: WireBench.packetByteCount, headerExtensionByteCount: layout.byteCount)
        for index in 0..<WireBench.receivedCount {
            _ = packetizeExtended(packets: index + 1)
            received += output
        }
    }

    /// Only parses the packets.
    func parse(packets count: Int) throws(RTPError) -> Int {
        let bytes = received.span
        var sum = 0
        for index in 0..<count {
            let packet = try RTPPacket(parsing: received(index, in: bytes))
            sum &+= Int(packet.header.sequenceNumber.rawValue) &+ packet.payload.count
        }
        return sum
    }

    /// Parses the header, iterates over the extension's two elements and looks them up, and reads the VP8 descriptor.
    func read(packets count: Int) throws(RTPError) -> Int {
        let bytes = received.span
        var sum = 0
        for index in 0..<count { sum &+= try read(received(index, in: bytes)) }
        return sum
    }

    @inline(never)
    private func read(_ bytes: Span<UInt8>) throws(RTPError) -> Int {
        let packet = try RTPPacket(parsing: bytes)
        var sum = Int(packet.header.sequenceNumber.rawValue)
        if var elements = packet.headerExtension?.elements {
            while let element = try elements.next() {
                switch map[element.id] {
                case .absoluteSendTime:
                    sum &+= Int(try AbsoluteSendTime(parsing: element.data).rawValue)
                case .transportSequenceNumber:
                    sum &+= Int(try TransportSequenceNumber(parsing: element.data).number.rawValue)
                default: break
                }
            }
        }
        let payload = try VP8Payload(parsing: packet.payload)
        return sum &+ Int(payload.descriptor.tl0PictureIndex ?? 0) &+ packet.payload.count &- payload.piece.count
    }

    @inline(__always) @_lifetime(copy bytes)
    private func received(_ index: Int, in bytes: Span<UInt8>) -> Span<UInt8> {
        let start = index % WireBench.receivedCount * WireBench.packetByteCount
        return bytes.extracting(start..<start + WireBench.packetByteCount)
    }

    /// Writes header, VP8 descriptor and 1200 bytes of packet in all.
    mutating func packetize(packets count: Int) -> Int {
        let (packetizer, frame) = (plain, frame)
        let bytes = frame.span
        return alignedOutput.withUnsafeMutableBufferPointer { memory in
            let memory = WireBench.aligned(memory)
            var sum = 0
            for index in 0..<count {
                var output = OutputSpan(buffer: memory, initializedCount: 0)
                packetizer.writePacket(index % packetizer.packetCount, of: bytes, into: &output)
                sum &+= output.finalize(for: memory)
            }
            return sum
        }
    }

    /// The same with an extension of two elements.
    mutating func packetizeExtended(packets count: Int) -> Int {
        let (packetizer, layout, frame) = (extended, layout, frame)
        let bytes = frame.span
        return output.withUnsafeMutableBufferPointer { memory in
            var block = InlineArray<16, UInt8>(repeating: 0)
            var sum = 0
            for index in 0..<count {
                var span = block.mutableSpan
                span.withUnsafeMutableBufferPointer { memory in
                    var output = OutputSpan(buffer: memory, initializedCount: 0)
                    write(UInt16(truncatingIfNeeded: index), layout, into: &output)
                    sum &+= output.finalize(for: memory)
                }
                var output = OutputSpan(buffer: memory, initializedCount: 0)
                packetizer.writePacket(
                    index % packetizer.packetCount, of: bytes,
                    headerExtension: try? RTPHeaderExtension(parsing: block.span),  // never throws: it is our own
                    into: &output)
                sum &+= output.finalize(for: memory)
            }
            return sum
        }
    }

    /// Writes a compound packet of a report, a NACK and transport-wide feedback on 100 packets.
    mutating func writeRTCP(compounds count: Int) -> Int {
        let feedback = feedback
        return output.withUnsafeMutableBufferPointer { memory in
            var sum = 0
            for _ in 0..<count {
                var output = OutputSpan(buffer: memory, initializedCount: 0)
                feedback.write(into: &output)
                sum &+= output.finalize(for: memory)
            }
            return sum
        }
    }

    /// Reads it, down to each sequence number and packet.
    func readRTCP(compounds count: Int) throws(RTPError) -> Int {
        let bytes = feedback.compound.span
        var sum = 0
        for _ in 0..<count { sum &+= try feedback.read(bytes) }
        return sum
    }

    /// A packet's memory, aligned to 64: the cost of a copy depends on it, and the address of arrays depends on the
    /// program's path.
    private static func aligned(_ memory: UnsafeMutableBufferPointer<UInt8>) -> UnsafeMutableBufferPointer<UInt8> {
        let start = -Int(bitPattern: memory.baseAddress) & 63
        return UnsafeMutableBufferPointer(rebasing: memory[start..<start + packetByteCount])
    }

    /// Only copies as many bytes as `packetize` writes.
    mutating func copy(packets count: Int) -> Int {
        let (pieces, frame) = (plain.packetCount, frame)
        return output.withUnsafeMutableBufferPointer { memory in
            frame.withUnsafeBufferPointer { source in
                var sum = 0
                for index in 0..<count {
                    let start = index % pieces * 1100
                    _ = Glibc.memcpy(memory.baseAddress!, source.baseAddress! + start, WireBench.packetByteCount)
                    sum &+= Int(memory[start % WireBench.packetByteCount])
                }
                return sum
            }
        }
    }
}

/// The header extension of packet `index`.
@inline(__always) @_lifetime(output: copy output)
private func write(_ index: UInt16, _ layout: HeaderExtensionLayout, into output: inout OutputSpan<UInt8>) {
    let writer = HeaderExtensionWriter(layout, into: &output)
    writer.append(AbsoluteSendTime(rawValue: UInt32(index)), id: 3, into: &output)
    writer.append(TransportSequenceNumber(SequenceNumber(index)), id: 5, into: &output)
    writer.finish(into: &output)
}
