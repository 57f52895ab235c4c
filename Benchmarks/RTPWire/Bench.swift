import Glibc
import RillRTP

/// What can be measured.
enum Work: String, CaseIterable {
    /// Parse the header, walk the extension of two elements and look up what they are, read the VP8 descriptor.
    case read
    /// Only parse the packet.
    case parse
    /// Write header, VP8 descriptor and 1200 bytes of packet in all.
    case packetize
    /// The same with an extension of two elements.
    case packetizeExtended = "packetize-extended"
    /// Copy as many bytes as `packetize` writes, and nothing else.
    case memcpy
}

/// Packets, a frame, and the memory to write into.
struct Bench {
    private static let packetByteCount = 1200
    private static let received = 16
    private let map: HeaderExtensionMap
    private let packetizer: VP8Packetizer
    private let extendedPacketizer: VP8Packetizer
    private let layout: HeaderExtensionLayout
    private let frame: [UInt8]
    private var packets: [[UInt8]] = []
    private var output = [UInt8](repeating: 0, count: Bench.packetByteCount)
    private var block: [UInt8] = []

    init() {
        var map = HeaderExtensionMap()
        var layout = HeaderExtensionLayout()
        // Both numbers are free and above 0.
        try! map.set(.absoluteSendTime, id: 3)
        try! map.set(.transportSequenceNumber, id: 5)
        layout.add(id: 3, byteCount: AbsoluteSendTime.byteCount)
        layout.add(id: 5, byteCount: TransportSequenceNumber.byteCount)
        self.map = map
        self.layout = layout
        frame = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let header = RTPHeader(
            marker: false, payloadType: PayloadType(96), sequenceNumber: SequenceNumber(1), timestamp: RTPTimestamp(2),
            ssrc: SSRC(3))
        let descriptor = VP8PayloadDescriptor(
            startsPartition: true, pictureID: .long(300), tl0PictureIndex: 7,
            temporalLayer: VP8PayloadDescriptor.TemporalLayer(index: 1, isLayerSync: true))
        packetizer = VP8Packetizer(
            frameByteCount: frame.count, header: header, descriptor: descriptor,
            maximumPacketByteCount: Bench.packetByteCount)
        extendedPacketizer = VP8Packetizer(
            frameByteCount: frame.count, header: header, descriptor: descriptor,
            maximumPacketByteCount: Bench.packetByteCount, headerExtensionByteCount: layout.byteCount)
        block.reserveCapacity(layout.byteCount)
        packets = (0..<Bench.received).map { index in
            writeBlock(index)
            _ = packetize(extendedPacketizer, index, hasBlock: true)
            return Array(output.prefix(extendedPacketizer.byteCount(ofPacket: index)))
        }
    }

    /// Does the work for that many packets, and gives a number that depends on all that was done.
    mutating func run(_ work: Work, packets count: Int) -> Int {
        var sum = 0
        switch work {
        case .read: for index in 0..<count { sum &+= read(packets[index % Bench.received]) }
        case .parse: for index in 0..<count { sum &+= parse(packets[index % Bench.received]) }
        case .packetize:
            for index in 0..<count { sum &+= packetize(packetizer, index % packetizer.packetCount, hasBlock: false) }
        case .packetizeExtended:
            for index in 0..<count {
                writeBlock(index)
                sum &+= packetize(extendedPacketizer, index % extendedPacketizer.packetCount, hasBlock: true)
            }
        case .memcpy: for index in 0..<count { sum &+= copy(index % packetizer.packetCount) }
        }
        return sum
    }

    @inline(never)
    private func read(_ bytes: [UInt8]) -> Int {
        guard let packet = try? RTPPacket(parsing: bytes.span) else { return 0 }  // never: they are our own
        var sum = Int(packet.header.sequenceNumber.rawValue)
        if var elements = packet.headerExtension?.elements {
            while let element = try? elements.next() {  // never throws either
                switch map[element.id] {
                case .absoluteSendTime:
                    if let time = try? AbsoluteSendTime.parse(element.data) { sum &+= Int(time.rawValue) }
                case .transportSequenceNumber:
                    if let number = try? TransportSequenceNumber.parse(element.data) {
                        sum &+= Int(number.number.rawValue)
                    }
                default: break
                }
            }
        }
        if let (descriptor, byteCount) = try? VP8PayloadDescriptor.parse(packet.payload) {
            sum &+= Int(descriptor.tl0PictureIndex ?? 0) &+ byteCount
        }
        return sum
    }

    @inline(never)
    private func parse(_ bytes: [UInt8]) -> Int {
        guard let packet = try? RTPPacket(parsing: bytes.span) else { return 0 }  // never: they are our own
        return Int(packet.header.sequenceNumber.rawValue) &+ packet.payload.count
    }

    @inline(never)
    private mutating func packetize(_ packetizer: VP8Packetizer, _ index: Int, hasBlock: Bool) -> Int {
        let (frame, block) = (frame, block)
        return output.withUnsafeMutableBufferPointer { memory in
            var output = OutputSpan(buffer: memory, initializedCount: 0)
            let view = hasBlock ? try? RTPHeaderExtension(parsing: block.span) : nil  // never throws: it is our own
            packetizer.writePacket(index, of: frame.span, headerExtension: view, into: &output)
            return output.finalize(for: memory)
        }
    }

    /// The extension that a packet is to bear.
    private mutating func writeBlock(_ index: Int) {
        let layout = layout
        block.removeAll(keepingCapacity: true)
        block.append(addingCapacity: layout.byteCount) { output in
            let writer = HeaderExtensionWriter(layout, into: &output)
            writer.append(AbsoluteSendTime(rawValue: UInt32(index)), id: 3, into: &output)
            writer.append(
                TransportSequenceNumber(SequenceNumber(UInt16(truncatingIfNeeded: index))), id: 5, into: &output)
            writer.finish(into: &output)
        }
    }

    @inline(never)
    private mutating func copy(_ index: Int) -> Int {
        let frame = frame
        return output.withUnsafeMutableBufferPointer { memory in
            frame.withUnsafeBufferPointer { source in
                _ = Glibc.memcpy(memory.baseAddress!, source.baseAddress! + index * 1000, Bench.packetByteCount)
            }
            return Int(memory[index])
        }
    }
}
