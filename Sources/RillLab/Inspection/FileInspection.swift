public import RillCore
public import RillFiles
public import RillRTP

/// What is in a Y4M, IVF, rtpdump, pcap or pcapng file, read from its first byte to its last.
///
///     let inspection = try FileInspection(of: "clip.ivf")
///     for stream in inspection.streams { print(stream.frames, stream.keyFrames) }
public struct FileInspection: Codable, Sendable {
    /// The file as it was named.
    public var path: String
    /// Its kind: `y4m`, `ivf`, `rtpDump`, `pcap` or `pcapng`.
    public var format: String
    /// Bytes read.
    public var bytes: Int
    /// The streams in it: one in a clip, one for each SSRC in a capture.
    public var streams: [Stream]
    /// What else was in a capture.
    public var capture: Capture?
    /// Where and why reading ended before the file's end, if it did. What came before is counted.
    public var damage: String?

    /// One stream. What a kind of file does not say is absent.
    public struct Stream: Codable, Sendable {
        /// `I420`, `VP8` or `VP9`; absent for packets of none of the codecs.
        public var codec: String?
        /// The source whose packets are sent again here, where this is a stream of retransmissions (RTX, RFC 4588).
        public var retransmissionsOf: String?
        /// The source of packets.
        public var ssrc: String?
        /// The payload type of the frames.
        public var payloadType: Int?
        /// Size of the (first) picture.
        public var resolution: String?
        /// Whole frames.
        public var frames = 0
        /// Key frames among them.
        public var keyFrames: Int?
        /// From the first frame to the end of the last, in seconds: in a capture by their RTP timestamps, whenever it was
        /// that their packets came.
        public var duration = 0.0
        /// Frames a second.
        public var frameRate: Double?
        /// Bits of coded frames a second; for raw clips those of the samples.
        public var bitrate: Double?
        /// Bytes of the smallest, the mean and the largest frame.
        public var frameBytes: Sizes?
        /// What stands before the frames' bytes in each packet.
        public var descriptor: Descriptor?
        /// The packets, for a capture.
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

    /// What the payload descriptors of a stream bear.
    public struct Descriptor: Codable, Sendable, Equatable {
        /// Bits of the picture IDs, 7 or 15; absent without any.
        public var pictureIDBits: Int?
        /// Temporal layers; absent where none are numbered.
        public var temporalLayers: Int?
        /// Spatial layers; absent where none are numbered, and of VP8.
        public var spatialLayers: Int?
        /// Whether the frames of the base layer are counted.
        public var hasTL0PictureIndex = false
    }

    /// What a capture shows of one source.
    public struct Packets: Codable, Sendable, Equatable {
        /// RTP packets.
        public var count = 0
        /// Their bytes, headers and all.
        public var bytes = 0
        /// Sequence numbers between the first and the last that are missing.
        public var lost = 0
        /// Packets that came after one with a higher number.
        public var reordered = 0
        /// Packets whose number had come before.
        public var duplicated = 0
        /// Packets of each payload type, by number.
        public var payloadTypes: [PayloadTypeCount] = []
        /// Datagrams of RTCP that this source sent.
        public var rtcp = 0
        /// The packets in them by kind: `SR`, `NACK`, `PLI`, …
        public var rtcpKinds: [String: Int] = [:]
    }

    /// How many packets bear a payload type.
    public struct PayloadTypeCount: Codable, Sendable, Equatable {
        /// 0 to 127.
        public var payloadType: Int
        /// Packets.
        public var count: Int
    }

    /// What was in a capture beside the streams' packets.
    public struct Capture: Codable, Sendable, Equatable {
        /// Packets of all kinds.
        public var packets = 0
        /// UDP datagrams among them.
        public var datagrams = 0
        /// Datagrams of which only the front was captured; they are left out of the streams.
        public var cut = 0
        /// Fragments of datagrams, which are passed over.
        public var fragments = 0
        /// Packets of other protocols than UDP.
        public var others = 0
        /// Packets whose headers cannot be read.
        public var unreadable = 0
        /// Datagrams that are neither RTP nor RTCP of any stream.
        public var otherDatagrams = 0
    }

    /// Reads a file; `-` is standard input.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - codec: what the packets of a capture carry; `nil` to find out by trying.
    ///   - progress: is called with the number of frames or packets read so far.
    /// - Throws: ``FileError`` where not even the file's header can be read, or where it is of no known kind.
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
    /// The stream of a source or, where that is `nil`, the one with the most bytes of those whose codec is known.
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
        // As those have it who show the clip: joined clips begin anew.
        var times = RisingTimes(interval: FrameRate(30).interval)
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
    /// Sources that are told apart; packets of more are counted as belonging to none.
    static let maximumSourceCount = 1024

    private mutating func inspect(_ reader: CaptureReader, _ codec: VideoCodec?, _ progress: (Int) -> Void) {
        var meters: [PacketStreamMeter] = []
        // A capture may hold as many sources as packets.
        var places: [SSRC: Int] = [:]
        var capture = Capture()
        var packet: [UInt8] = []
        do throws(FileError) {
            while let datagram = try reader.next(into: &packet) {
                progress(reader.statistics.datagrams)
                // Half a packet says half of the truth; the capture's own counts tell of it.
                if datagram.isCut { continue }
                guard let ssrc = SSRC(ofSenderOf: packet.span) else {
                    capture.otherDatagrams += 1
                    continue
                }
                if places[ssrc] == nil, meters.count < FileInspection.maximumSourceCount {
                    places[ssrc] = meters.endIndex
                    meters.append(PacketStreamMeter(ssrc: ssrc, codec: codec))
                }
                guard let index = places[ssrc], meters[index].add(packet.span, at: datagram.time) else {
                    capture.otherDatagrams += 1
                    continue
                }
                compare(packet.span, of: index, &meters)
            }
        } catch {
            damage = error.description
        }
        bytes = reader.position
        // rtpdump holds nothing but RTP and RTCP; on a network a datagram may look like it by chance.
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

/// Looks whether a packet of the source at `index` could be another's, sent again.
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
    /// Bytes of an I420 picture without any between its rows.
    fileprivate static func packedByteCount(_ resolution: Resolution) -> Int {
        resolution.pixelCount + 2 * resolution.chroma.pixelCount
    }
}
