internal import CFFmpeg
package import RillCore

/// The packets of a file's sound, as a sender of Opus takes them: nothing is decoded.
///
/// ```swift
/// let sound = try OpusPackets(path: "speech.webm", longest: .seconds(60))
/// for packet in sound.packets { send(packet.bytes) }
/// ```
///
/// Memory: all of them are held, so only the start of a long file is read.
package struct OpusPackets: Sendable {
    /// A packet.
    package struct Packet: Sendable {
        /// What a payload of RTP holds (RFC 7587 §4.2).
        package let bytes: [UInt8]
        /// How long its sound is.
        package let duration: MediaDuration
    }

    /// In the order of the file.
    package let packets: [Packet]

    /// Reads the first track of Opus.
    ///
    /// - Parameters:
    ///   - path: a file that FFmpeg's formats read: Ogg, WebM, Matroska.
    ///   - longest: how much of it.
    /// - Throws: ``ContainerError``.
    package init(path: String, longest: MediaDuration) throws(ContainerError) {
        let demuxer = try Demuxer(path: path)
        let track = (0..<demuxer.trackCount).first { index in
            unsafe demuxer.track(index).pointee.codecpar.pointee.codec_id == AV_CODEC_ID_OPUS
        }
        guard let track else { throw .cannotOpen(path: path, reason: "it has no sound in Opus") }
        demuxer.keepOnly { $0 == track }
        var packets: [Packet] = []
        var total = MediaDuration.zero
        reading: while total < longest {
            let outcome = unsafe demuxer.next(of: { $0 == track }) { packet in
                guard let data = unsafe packet.pointee.data, unsafe packet.pointee.size > 0 else { return }
                // The packet lives until this returns.
                let bytes = unsafe Array(UnsafeBufferPointer(start: data, count: Int(packet.pointee.size)))
                guard let duration = Self.duration(of: bytes) else { return }
                packets.append(Packet(bytes: bytes, duration: duration))
                total += duration
            }
            switch outcome {
            case .packet: continue
            case .end: break reading
            case .failed(let reason):
                guard packets.isEmpty else { break reading }
                throw .cannotOpen(path: path, reason: reason)
            }
        }
        guard !packets.isEmpty else { throw .cannotOpen(path: path, reason: "its sound has no packets") }
        self.packets = packets
    }

    /// How long a packet's sound is, by its first bytes (RFC 6716 §3.1 and §3.2); `nil` for what is not a packet.
    ///
    ///      0 1 2 3 4 5 6 7
    ///     +-+-+-+-+-+-+-+-+
    ///     | config  |s| c |
    ///     +-+-+-+-+-+-+-+-+
    static func duration(of packet: [UInt8]) -> MediaDuration? {
        guard let first = packet.first else { return nil }
        let config = Int(first >> 3)
        let microseconds =
            switch config {
            case 0..<12: [10_000, 20_000, 40_000, 60_000][config % 4]
            case 12..<16: [10_000, 20_000][config % 2]
            default: [2_500, 5_000, 10_000, 20_000][config % 4]
            }
        let count: Int
        switch first & 3 {
        case 0: count = 1
        case 1, 2: count = 2
        default:
            guard packet.count > 1 else { return nil }
            count = Int(packet[1] & 0x3F)
        }
        let whole = microseconds * count
        guard (1...120_000).contains(whole) else { return nil }
        return MediaDuration(nanoseconds: Int64(whole) * 1000)
    }
}
