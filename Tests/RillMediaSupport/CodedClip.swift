package import RillCore
import RillFiles
package import RillRTP
import RillTestSupport

/// A clip of SampleMedia as RTP packets.
package struct CodedClip {
    /// Its coded frames.
    package private(set) var frames: [[UInt8]] = []
    /// The packets of each frame.
    package private(set) var packets: [[[UInt8]]] = []
    package private(set) var times: [MediaTime] = []
    package let path: String

    package static let ssrc = SSRC(0xCAFE)
    package static let payloadType = PayloadType(96)

    /// A clip of SampleMedia.
    package init(_ name: String = "portrait.ivf") throws {
        try self.init(
            path: #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/SampleMedia/\(name)")
    }

    /// The IVF file at `path`.
    package init(path: String) throws {
        self.path = path
        let file = try IVFReader(path: path)
        var frame: [UInt8] = []
        var number = SequenceNumber(65530)
        while let record = try file.next(into: &frame) {
            let header = RTPHeader(
                marker: false, payloadType: CodedClip.payloadType, sequenceNumber: number,
                timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: record.time.ticks(rate: 90000))),
                ssrc: CodedClip.ssrc)
            let whole = frame
            packets.append(
                file.header.codec == .vp8
                    ? CodedClip.vp8Packets(of: whole.span, header, number: frames.count)
                    : CodedClip.vp9Packets(of: whole.span, header, number: frames.count))
            number = number.advanced(by: packets[packets.count - 1].count)
            frames.append(whole)
            times.append(record.time)
        }
    }

    private static func vp8Packets(of frame: Span<UInt8>, _ header: RTPHeader, number: Int) -> [[UInt8]] {
        let packetizer = VP8Packetizer(
            frameByteCount: frame.count, header: header,
            descriptor: VP8PayloadDescriptor(
                startsPartition: true, pictureID: .long(UInt16(number)), tl0PictureIndex: UInt8(number & 0xFF),
                temporalLayer: VP8PayloadDescriptor.TemporalLayer(index: 0, isLayerSync: false)))
        return (0..<packetizer.packetCount).map { index in
            [UInt8](capacity: packetizer.byteCount(ofPacket: index)) { output in
                packetizer.writePacket(index, of: frame, into: &output)
            }
        }
    }

    private static func vp9Packets(of frame: Span<UInt8>, _ header: RTPHeader, number: Int) -> [[UInt8]] {
        let packetizer = VP9Packetizer(
            frameByteCount: frame.count, header: header,
            descriptor: VP9PayloadDescriptor(
                pictureID: .short(UInt8(number & 0x7F)), isInterPicturePredicted: number > 0,
                layer: VP9PayloadDescriptor.Layer(temporalIndex: 0), startsFrame: true, endsFrame: true,
                tl0PictureIndex: UInt8(number & 0xFF)))
        return (0..<packetizer.packetCount).map { index in
            [UInt8](capacity: packetizer.byteCount(ofPacket: index)) { output in
                packetizer.writePacket(index, of: frame, into: &output)
            }
        }
    }
}
