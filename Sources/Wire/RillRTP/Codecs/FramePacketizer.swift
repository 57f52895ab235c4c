package import RillCore

/// Numbers the frames of a stream as its payload format does, for any codec.
///
/// A value with one owner.
package struct FrameNumbering: Sendable {
    private var vp8: VP8FrameNumbering
    private var vp9: VP9FrameNumbering
    private var own: PayloadNumbering

    /// The properties of a stream that its payload descriptors need.
    package struct Settings {
        /// The number of temporal layers, 1 to 4. With more than one, packets carry their layer.
        package var temporalLayerCount = 1
        /// The picture ID of the first frame, 0 to 32767.
        package var firstPictureID: UInt16 = 0
        /// TL0PICIDX of the first frame.
        package var firstTL0PictureIndex: UInt8 = 0
        /// How frames signal their references, if the format has a choice.
        package var referenceSignaling = ReferenceSignaling.flexible
        /// The format of an app's own codec.
        package var payloadFormat = PayloadFormat.numbered

        package init() {}
    }

    /// The sizes of a frame's packets, in bytes.
    package struct Sizes {
        /// The maximum size of an RTP packet, headers included.
        package var maximumPacket: Int
        /// The size of the header extension.
        package var headerExtension: Int
        /// The bytes to leave free for later additions.
        package var reserved: Int

        package init(maximumPacket: Int, headerExtension: Int, reserved: Int) {
            (self.maximumPacket, self.headerExtension, self.reserved) = (maximumPacket, headerExtension, reserved)
        }
    }

    package init(_ settings: Settings) {
        vp8 = VP8FrameNumbering(settings)
        vp9 = VP9FrameNumbering(settings)
        own = PayloadNumbering(settings)
    }

    /// Advances to the next frame, and plans its packets.
    ///
    /// - Parameters:
    ///   - frame: the properties of the frame.
    ///   - byteCount: the size of the encoded frame.
    ///   - header: the header of its first packet.
    ///   - sizes: the sizes of its packets.
    package mutating func packetizer(
        for frame: EncodedFrame, byteCount: Int, _ header: RTPHeader, _ sizes: Sizes
    ) -> FramePacketizer {
        switch frame.codec {
        case .vp8:
            .vp8(
                VP8Packetizer(
                    frameByteCount: byteCount, header: header, descriptor: vp8.descriptor(for: frame),
                    maximumPacketByteCount: sizes.maximumPacket, headerExtensionByteCount: sizes.headerExtension,
                    reservedByteCount: sizes.reserved))
        case .vp9: vp9.packetizer(for: frame, byteCount: byteCount, header, sizes)
        default: own.packetizer(for: frame, byteCount: byteCount, header, sizes)
        }
    }
}

/// Writes the packets of one frame, for any codec.
package enum FramePacketizer: Sendable {
    case vp8(VP8Packetizer)
    /// With the scalability structure of a key frame; empty for other frames.
    case vp9(VP9Packetizer, structure: [UInt8])
    case own(PayloadPacketizer)

    /// The number of packets for the frame.
    package var packetCount: Int {
        switch self {
        case .vp8(let packetizer): packetizer.packetCount
        case .vp9(let packetizer, _): packetizer.packetCount
        case .own(let packetizer): packetizer.packetCount
        }
    }

    /// Appends packet `index`.
    ///
    /// - Parameters:
    ///   - index: the packet, 0 to `packetCount - 1`.
    ///   - frame: the whole frame, of the planned size.
    ///   - sequenceNumberOffset: the number of sequence numbers that other packets (FEC packets) have used since the
    ///     frame's first packet.
    ///   - headerExtension: the header extension, of the planned size, or `nil`.
    ///   - output: where to append. Traps if the packet does not fit.
    @_lifetime(output: copy output)
    package func writePacket(
        _ index: Int, of frame: Span<UInt8>, sequenceNumberOffset: Int, headerExtension: RTPHeaderExtension?,
        into output: inout OutputSpan<UInt8>
    ) {
        switch self {
        case .vp8(let packetizer):
            packetizer.writePacket(
                index, of: frame, sequenceNumberOffset: sequenceNumberOffset, headerExtension: headerExtension,
                into: &output)
        case .vp9(let packetizer, let structure):
            packetizer.writePacket(
                // Written by us, so parsing succeeds; an empty array is no structure.
                index, of: frame, sequenceNumberOffset: sequenceNumberOffset,
                scalabilityStructure: try? VP9ScalabilityStructure(parsing: structure.span),
                headerExtension: headerExtension, into: &output)
        case .own(let packetizer):
            packetizer.writePacket(
                index, of: frame, sequenceNumberOffset: sequenceNumberOffset, headerExtension: headerExtension,
                into: &output)
        }
    }
}

/// How a stream signals which pictures refer to which, where its payload format has a choice (RFC 9628 §3).
public enum ReferenceSignaling: Sendable {
    /// Each packet lists the references of its frame (P_DIFF): up to three, up to 127 pictures back.
    case flexible
    /// Key frames define the references of a repeating group of pictures.
    ///
    /// The group is the ``/RillCore/TemporalPattern`` with the stream's number of layers, one to three. The encoder
    /// must follow it.
    case nonFlexible

    /// The most temporal layers.
    package var maximumLayerCount: Int { self == .flexible ? 4 : 3 }
}
