public import RillCore
public import RillFiles
public import RillRTP

/// The content of a Y4M, IVF, rtpdump, pcap or pcapng file, read from its first byte to its last.
///
/// ```swift
/// let inspection = try FileInspection(of: "clip.ivf")
/// for stream in inspection.streams { print(stream.frames, stream.keyFrames ?? 0) }
/// ```
public struct FileInspection: Codable, Sendable {
    /// The file's path as given.
    public var path: String
    /// The file format: `y4m`, `ivf`, `rtpDump`, `pcap` or `pcapng`.
    public var format: String
    /// Bytes read.
    public var bytes: Int
    /// The streams in the file: one in a clip, one for each SSRC in a capture.
    public var streams: [Stream]
    /// The other content of a capture.
    public var capture: Capture?
    /// Where and why reading ended before the file's end, if it did. Everything before is counted.
    public var damage: String?

    /// One stream.
    ///
    /// Fields that the file format does not provide are `nil`.
    public struct Stream: Codable, Sendable {
        /// `I420`, `VP8` or `VP9`; `nil` for packets of another codec.
        public var codec: String?
        /// The SSRC of the retransmitted packets, if this is a retransmission stream (RTX, RFC 4588).
        public var retransmissionsOf: String?
        /// The SSRC of the packets.
        public var ssrc: String?
        /// The payload type of the frames.
        public var payloadType: Int?
        /// Size of the (first) picture.
        public var resolution: String?
        /// Complete frames that are shown.
        public var frames = 0
        /// Complete frames that are not shown, which others refer to; `nil` for none.
        public var hiddenFrames: Int?
        /// Key frames among them.
        public var keyFrames: Int?
        /// From the first frame to the end of the last, in seconds. In a capture it follows the RTP timestamps,
        /// whenever the packets arrived; of truncated packets it is the time in which they arrived. 0 if all timestamps
        /// are equal.
        public var duration = 0.0
        /// Frames per second.
        public var frameRate: Double?
        /// Bits of encoded frames per second; for raw clips those of the samples, for truncated packets those of RTP.
        public var bitrate: Double?
        /// Bytes of the smallest, the mean and the largest frame.
        public var frameBytes: Sizes?
        /// The payload descriptors before the frames' bytes.
        public var descriptor: Descriptor?
        /// The packets, for a capture.
        public var packets: Packets?
    }

    /// Smallest, mean and largest size.
    public struct Sizes: Codable, Sendable, Equatable {
        /// Bytes of the smallest.
        public var minimum: Int
        /// The mean, in bytes.
        public var mean: Double
        /// Bytes of the largest.
        public var maximum: Int
    }

    /// The fields in the payload descriptors of a stream.
    public struct Descriptor: Codable, Sendable, Equatable {
        /// Bits of the picture IDs, 7 or 15; `nil` without any.
        public var pictureIDBits: Int?
        /// The number of temporal layers; `nil` if they are not numbered.
        public var temporalLayers: Int?
        /// The number of spatial layers; `nil` if they are not numbered, and for VP8.
        public var spatialLayers: Int?
        /// Whether TL0PICIDX is present.
        public var hasTL0PictureIndex = false
    }

    /// The packets of one SSRC in a capture.
    public struct Packets: Codable, Sendable, Equatable {
        /// RTP packets.
        public var count = 0
        /// Their bytes, including headers.
        public var bytes = 0
        /// Missing sequence numbers between the first and the last.
        public var lost = 0
        /// Packets that arrived after one with a higher sequence number.
        public var reordered = 0
        /// Packets whose sequence number had already arrived.
        public var duplicated = 0
        /// The interarrival jitter; `nil` if the rate of the media clock is not known, or there are fewer than two
        /// packets.
        public var jitter: Jitter?
        /// Packets of each payload type, in ascending order.
        public var payloadTypes: [PayloadTypeCount] = []
        /// RTCP datagrams that this SSRC sent.
        public var rtcp = 0
        /// The packets in them by kind: `SR`, `NACK`, `PLI`, …
        public var rtcpKinds: [String: Int] = [:]
    }

    /// Interarrival jitter (RFC 3550 §A.8), as it is after each packet but the first.
    public struct Jitter: Codable, Sendable, Equatable {
        /// Its mean, in milliseconds.
        public var mean: Double
        /// Its maximum, in milliseconds.
        public var maximum: Double
    }

    /// The number of packets of a payload type.
    public struct PayloadTypeCount: Codable, Sendable, Equatable {
        /// The payload type, 0 to 127.
        public var payloadType: Int
        /// The number of packets.
        public var count: Int
    }

    /// The content of a capture besides the streams' packets.
    public struct Capture: Codable, Sendable, Equatable {
        /// Packets of all kinds.
        public var packets = 0
        /// UDP datagrams among them.
        public var datagrams = 0
        /// Truncated datagrams. Their headers are counted; their frames cannot be read.
        public var cut = 0
        /// The most bytes of a truncated datagram that were captured; `nil` without any.
        public var cutBytes: Int?
        /// Fragments of incomplete datagrams, which are skipped.
        public var fragments = 0
        /// Packets of protocols other than UDP.
        public var others = 0
        /// Packets whose headers cannot be parsed.
        public var unreadable = 0
        /// Datagrams that are neither RTP nor RTCP of any stream.
        public var otherDatagrams = 0
    }

    /// Reads a file; `-` is standard input.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - codec: the codec of a capture's packets; `nil` to detect it.
    ///   - progress: is called with the number of frames or packets read so far.
    /// - Throws: ``/RillFiles/FileError`` if not even the file's header can be read, or the format is unknown.
    public init(
        of path: String, codec: VideoCodec? = nil, progress: (Int) -> Void = { _ in }
    ) throws(FileError) {
        var input = try ByteInput(path: path)
        let format = try input.sniffFormat()
        self.path = path
        self.bytes = 0
        self.streams = []
        self.format = format?.rawValue ?? ""
        switch format {
        case .y4m: try inspect(try Y4MReader(input, capacity: 1), progress)
        case .ivf: try inspect(try IVFReader(input), progress)
        case .rtpDump, .pcap, .pcapng: inspect(try CaptureReader(input), codec, progress)
        case .i420, .nv12, .png, nil:
            throw .unsupportedFormat(path: path, format: "what is neither Y4M, IVF, rtpdump, pcap nor pcapng")
        }
    }
}

extension FileInspection {
    /// Returns the stream of an SSRC; for `nil`, the largest stream in bytes whose codec is known.
    public func largestStream(ssrc: SSRC?) -> Stream? {
        streams.filter { $0.codec != nil && (ssrc == nil || $0.ssrc == ssrc?.description) }
            .max { ($0.packets?.bytes ?? 0) < ($1.packets?.bytes ?? 0) }
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
        // As players treat it: joined clips restart their timestamps.
        var times = IncreasingTimes(interval: FrameRate(30).interval)
        var payload: [UInt8] = []
        do throws(FileError) {
            while let frame = try reader.next(into: &payload) {
                meter.add(payload.span, at: times.time(of: frame.time))
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
    /// The most SSRCs that are distinguished; packets of further ones are counted as belonging to none.
    static let maximumSourceCount = 1024

    private mutating func inspect(_ reader: CaptureReader, _ codec: VideoCodec?, _ progress: (Int) -> Void) {
        var meters: [PacketStreamMeter] = []
        // A capture may contain as many SSRCs as packets.
        var places: [SSRC: Int] = [:]
        var capture = Capture()
        var packet: [UInt8] = []
        do throws(FileError) {
            while let datagram = try reader.next(into: &packet) {
                progress(reader.statistics.datagrams)
                if datagram.isCut { capture.cutBytes = max(capture.cutBytes ?? 0, datagram.byteCount) }
                guard let ssrc = SSRC(ofSenderOf: packet.span) else {
                    capture.otherDatagrams += 1
                    continue
                }
                if places[ssrc] == nil, meters.count < FileInspection.maximumSourceCount {
                    places[ssrc] = meters.endIndex
                    meters.append(PacketStreamMeter(ssrc: ssrc, codec: codec))
                }
                let missing = datagram.originalByteCount - datagram.byteCount
                guard let index = places[ssrc],
                    meters[index].add(packet.span, missing: max(0, missing), at: datagram.time)
                else {
                    capture.otherDatagrams += 1
                    continue
                }
                compare(packet.span, of: index, &meters)
            }
        } catch {
            damage = error.description
        }
        bytes = reader.position
        // rtpdump only contains RTP and RTCP; on a network a datagram may look like them by chance.
        for index in meters.indices where reader.format == .rtpDump || meters[index].isConfirmed {
            streams.append(meters[index].finish())
        }
        for meter in meters where reader.format != .rtpDump && !meter.isConfirmed {
            capture.otherDatagrams += meter.packetCount
        }
        capture.add(reader.statistics)
        self.capture = capture
    }
}

/// Checks whether a packet of the SSRC at `index` could be a retransmission of another's.
private func compare(_ packet: Span<UInt8>, of index: Int, _ meters: inout [PacketStreamMeter]) {
    guard meters.count > 1, meters[index].retransmission.isOpen else { return }
    var meter = meters[index]
    meter.compare(packet, with: meters)
    meters[index] = meter
}

extension FileInspection.Capture {
    fileprivate mutating func add(_ statistics: CaptureStatistics) {
        packets = statistics.packets
        datagrams = statistics.datagrams
        cut = statistics.cutDatagrams
        fragments = statistics.fragments
        others = statistics.others
        unreadable = statistics.unreadable
    }
}

extension FrameLayout {
    /// Bytes of an I420 picture without padding between its rows.
    fileprivate static func packedByteCount(_ resolution: Resolution) -> Int {
        resolution.pixelCount + 2 * resolution.chroma.pixelCount
    }
}
