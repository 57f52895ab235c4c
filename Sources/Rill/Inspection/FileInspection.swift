import RillCore
import RillFiles
import RillRTP

/// What is in a Y4M, IVF or rtpdump file, read from its first byte to its last.
///
///     let inspection = try FileInspection(of: "clip.ivf")
///     for stream in inspection.streams { print(stream.frames, stream.keyFrames) }
public struct FileInspection: Codable, Sendable {
    /// The file as it was named.
    public var path: String
    /// Its kind: `y4m`, `ivf` or `rtpDump`.
    public var format: String
    /// Bytes read.
    public var bytes: Int
    /// The streams in it: one in a clip, one for each SSRC in a packet dump.
    public var streams: [Stream]
    /// Where and why reading ended before the file's end, if it did. What came before is counted.
    public var damage: String?

    /// One stream. What a kind of file does not say is absent.
    public struct Stream: Codable, Sendable {
        /// `I420`, `VP8` or `VP9`; absent for packets that are no VP8.
        public var codec: String?
        /// The source of packets.
        public var ssrc: String?
        /// Size of the (first) picture.
        public var resolution: String?
        /// Whole frames.
        public var frames = 0
        /// Key frames among them.
        public var keyFrames: Int?
        /// From the first frame to the end of the last, in seconds.
        public var duration = 0.0
        /// Frames a second.
        public var frameRate: Double?
        /// Bits of coded frames a second; for raw clips those of the samples.
        public var bitrate: Double?
        /// Bytes of the smallest, the mean and the largest frame.
        public var frameBytes: Sizes?
        /// RTP packets, for a packet dump.
        public var packets: Packets?
    }

    /// Smallest, mean and largest.
    public struct Sizes: Codable, Sendable, Equatable {
        /// Bytes of the smallest.
        public var minimum: Int
        /// Bytes of all, divided by how many there are.
        public var mean: Double
        /// Bytes of the largest.
        public var maximum: Int
    }

    /// What a packet dump shows of one source.
    public struct Packets: Codable, Sendable, Equatable {
        /// RTP packets.
        public var count: Int
        /// Sequence numbers between the first and the last that are missing.
        public var lost: Int
        /// Packets that came after one with a higher number.
        public var reordered: Int
        /// Packets whose number had come before.
        public var duplicated: Int
        /// RTCP packets that this source sent.
        public var rtcp: Int
    }

    /// Reads a file; `-` is standard input.
    ///
    /// - Parameter progress: is called with the number of frames or packets read so far.
    /// - Throws: ``FileError`` where not even the file's header can be read, or where it is of no known kind.
    public init(of path: String, progress: (Int) -> Void = { _ in }) throws(FileError) {
        var input = try ByteInput(path: path)
        let format = try input.sniffFormat()
        self.path = path
        self.bytes = 0
        self.streams = []
        self.format = format?.rawValue ?? ""
        switch format {
        case .y4m: try inspect(try Y4MReader(input, capacity: 1), progress)
        case .ivf: try inspect(try IVFReader(input), progress)
        case .rtpDump: try inspect(try RTPDumpReader(input), progress)
        case .i420, .nv12, .png, .pcap, .pcapng, nil:
            throw .unsupportedFormat(path: path, format: "what is neither Y4M, IVF nor rtpdump")
        }
    }
}

// MARK: - Clips

extension FileInspection {
    private mutating func inspect(_ reader: Y4MReader, _ progress: (Int) -> Void) throws(FileError) {
        var stream = Stream(codec: "I420", resolution: reader.format.resolution.description)
        do throws(FileError) {
            while case .frame = try reader.next() {
                stream.frames += 1
                progress(stream.frames)
            }
        } catch {
            damage = error.description
        }
        let rate = reader.format.frameRate ?? 30
        let size = FrameLayout.packedByteCount(reader.format.resolution)
        stream.duration = rate.time(ofFrame: stream.frames).seconds
        stream.frameRate = rate.framesPerSecond
        stream.bitrate = Double(8 * size) * rate.framesPerSecond
        stream.frameBytes = Sizes(minimum: size, mean: Double(size), maximum: size)
        bytes = reader.position
        streams = [stream]
    }

    private mutating func inspect(_ reader: IVFReader, _ progress: (Int) -> Void) throws(FileError) {
        var meter = CodedStreamMeter(codec: reader.header.codec)
        var payload: [UInt8] = []
        do throws(FileError) {
            while let frame = try reader.next(into: &payload) {
                meter.add(payload.span, at: frame.time)
                progress(meter.count)
            }
        } catch {
            damage = error.description
        }
        var stream = meter.stream
        stream.resolution = stream.resolution ?? reader.header.resolution?.description
        bytes = reader.position
        streams = [stream]
    }
}

// MARK: - Packets

extension FileInspection {
    private mutating func inspect(_ reader: RTPDumpReader, _ progress: (Int) -> Void) throws(FileError) {
        var meters: [PacketStreamMeter] = []
        // A dump may hold as many sources as packets.
        var places: [SSRC: Int] = [:]
        var packet: [UInt8] = []
        var count = 0
        do throws(FileError) {
            while let record = try reader.next(into: &packet) {
                count += 1
                progress(count)
                guard let ssrc = SSRC(ofSenderOf: packet.span) else { continue }
                let index = places[ssrc] ?? meters.endIndex
                if index == meters.endIndex {
                    places[ssrc] = index
                    meters.append(PacketStreamMeter(ssrc: ssrc))
                }
                meters[index].add(packet.span, at: record.time)
            }
        } catch {
            damage = error.description
        }
        bytes = reader.position
        streams = meters.map(\.stream)
    }
}

extension FrameLayout {
    /// Bytes of an I420 picture without any between its rows.
    fileprivate static func packedByteCount(_ resolution: Resolution) -> Int {
        resolution.pixelCount + 2 * resolution.chroma.pixelCount
    }
}
