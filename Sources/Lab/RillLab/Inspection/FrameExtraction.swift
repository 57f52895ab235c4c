public import RillCore
import RillFiles
public import RillRTP

/// An extraction of the frames of one stream from a capture into an IVF file.
///
/// ```swift
/// let report = try FrameExtraction(of: SSRC(0x1234), payloadType: PayloadType(96), codec: .vp8)
///     .run(from: "call.pcap", to: "frames.ivf")
/// ```
///
/// Only complete frames are written, in order, from the first key frame on, with RTP timestamps relative to it. A
/// frame after a gap is complete but may not be decodable, because its references are missing.
public struct FrameExtraction: Sendable {
    /// The SSRC of the stream.
    public let ssrc: SSRC
    /// The payload type of its frames.
    public let payloadType: PayloadType
    /// The codec of its frames.
    public let codec: VideoCodec

    /// The result of an extraction.
    public struct Report: Codable, Sendable, Equatable {
        /// Frames written.
        public var frames = 0
        /// Key frames among them.
        public var keyFrames = 0
        /// Complete frames before the first key frame, which are skipped.
        public var framesBeforeKeyFrame = 0
        /// Incomplete frames.
        public var incompleteFrames = 0
        /// Where and why the capture ended before its end, if it did.
        public var damage: String?
    }

    /// Creates an extraction of one stream's frames.
    public init(of ssrc: SSRC, payloadType: PayloadType, codec: VideoCodec) {
        self.ssrc = ssrc
        self.payloadType = payloadType
        self.codec = codec
    }

    /// Reads a capture and writes an IVF file, which gets its name when it is complete. Without a key frame nothing
    /// is written, and an existing file is kept.
    ///
    /// - Parameters:
    ///   - capture: the path of the capture.
    ///   - output: the path of the IVF file.
    ///   - progress: is called with the number of datagrams read so far; an error that it throws ends the extraction.
    /// - Returns: the result.
    /// - Throws: ``/RillFiles/FileError`` if the capture's header cannot be read or the output cannot be written.
    public func run(
        from capture: String, to output: String, progress: (Int) throws -> Void = { _ in }
    ) throws -> Report {
        let reader = try CaptureReader(path: capture)
        var state = State(codec: codec, payloadType: payloadType, file: OutputFile(path: output))
        var numbers = SequenceMeter()
        var sorter = PacketSorter()
        var packet: [UInt8] = []
        do {
            while let datagram = try reader.next(into: &packet) {
                try progress(reader.statistics.datagrams)
                // What looks like RTP but cannot be parsed is not a packet of the stream.
                guard !datagram.isCut, PacketKind(of: packet.span) == .rtp,
                    let header = try? RTPHeader(parsing: packet.span), header.ssrc == ssrc
                else { continue }
                switch numbers.add(header.sequenceNumber) {
                case .new(let number), .reordered(let number):
                    sorter.insert(packet.span, number: number, at: datagram.time) { bytes, _ in state.add(bytes) }
                case .duplicate: break
                }
                if state.failure != nil { break }
            }
        } catch let error as FileError {
            state.report.damage = error.description
        }
        sorter.drain { bytes, _ in state.add(bytes) }
        return try state.finish()
    }

    /// The state of an extraction.
    private struct State {
        var joiner: StreamJoiner
        let codec: VideoCodec
        let payloadType: PayloadType
        let file: OutputFile
        var report = Report()
        /// Why writing has ended.
        var failure: FileError?
        private var frame: [UInt8] = []
        private var writer: IVFWriter?
        private var timestamps = CounterExtender(bitWidth: 32)
        private var origin: Int64 = 0
        private var latest: RTPTimestamp?
        /// Whether the frame of the latest timestamp is complete.
        private var isLatestWhole = false

        init(codec: VideoCodec, payloadType: PayloadType, file: OutputFile) {
            self.joiner = StreamJoiner(codec)
            self.codec = codec
            self.payloadType = payloadType
            self.file = file
        }

        mutating func add(_ bytes: Span<UInt8>) {
            // Bytes that cannot be parsed, or have another payload type, are not packets of the stream.
            guard failure == nil, let packet = try? RTPPacket(parsing: bytes),
                packet.header.payloadType == payloadType
            else { return }
            // A frame has one timestamp; it counts as incomplete until its end arrives.
            if packet.header.timestamp != latest {
                latest = packet.header.timestamp
                isLatestWhole = false
                report.incompleteFrames += 1
            }
            guard case .completed = joiner.insert(packet, into: &frame) else { return }
            // A sender may give two frames the same timestamp, which is counted once.
            if !isLatestWhole { report.incompleteFrames -= 1 }
            isLatestWhole = true
            do throws(FileError) {
                try write(at: timestamps.extend(packet.header.timestamp.rawValue))
            } catch {
                failure = error
            }
        }

        private mutating func write(at timestamp: Int64) throws(FileError) {
            let whole = frame
            // A frame without a readable header is not a key frame.
            let size = (try? codec.keyFrameSize(of: whole.span)) ?? nil
            if writer == nil {
                guard let size else {
                    report.framesBeforeKeyFrame += 1
                    return
                }
                writer = try IVFWriter(path: file.partPath, name: file.path, codec: codec, resolution: size)
                origin = timestamp
            }
            try writer?.write(whole.span, at: timestamp - origin)
            report.frames += 1
            if size != nil { report.keyFrames += 1 }
        }

        mutating func finish() throws(FileError) -> Report {
            try writer?.finish()
            if let failure { throw failure }
            if writer != nil { try file.commit() }
            return report
        }
    }
}

extension FrameExtraction.Report: CustomStringConvertible {
    /// The non-zero counters by name: `frames 150, keyFrames 1`.
    public var description: String { countedText(self) }
}
