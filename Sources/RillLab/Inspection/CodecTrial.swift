import RillCore
import RillRTP

/// Packets of one payload type taken for those of one codec: what comes of it says whether they are.
///
/// Most payloads of any format can be read as a payload descriptor of VP8, so that alone says nothing. What speaks for a
/// codec are whole frames whose headers fit them; what speaks against it are payloads that no sender of it writes, and
/// beginnings and ends of frames where there can be none.
struct CodecTrial {
    let payloadType: PayloadType
    let codec: VideoCodec
    private(set) var frames: CodedStreamMeter
    private(set) var descriptor = FileInspection.Descriptor()
    private var joiner: StreamJoiner
    private var frame: [UInt8] = []
    private var timeline = FrameTimeline()
    private var order = FrameOrder()
    private var packetCount = 0
    /// Packets, and whole frames, that speak against the codec.
    private var faults = 0

    /// Without a key frame, which bears a start code of 24 bits, this many whole frames have to fit.
    private static let leastFrameCount = 3
    /// One packet or frame of so many may speak against a codec: what the network damaged.
    private static let packetsPerFault = 8

    /// No packets yet.
    init(_ payloadType: PayloadType, _ codec: VideoCodec) {
        self.payloadType = payloadType
        self.codec = codec
        self.joiner = StreamJoiner(codec)
        self.frames = CodedStreamMeter(codec: codec)
    }

    /// Takes the packet that is next in line, which was captured at `time`.
    mutating func add(_ packet: RTPPacket, at time: MediaTime) {
        packetCount += 1
        descriptor.add(packet.payload, of: codec)
        let place = packet.payload.isEmpty ? nil : codec.place(of: packet.payload)
        if !packet.payload.isEmpty, place == nil { faults += 1 }
        if !order.takes(packet.header, place) { faults += 1 }
        switch joiner.insert(packet, into: &frame) {
        case .completed:
            let whole = frame
            if !codec.isPlausible(whole.span) { faults += 1 }
            frames.add(whole.span, at: timeline.time(of: packet.header.timestamp, capturedAt: time))
        case .malformed, .incomplete: break
        }
    }

    /// Whether the packets are of this codec, as far as they tell.
    var isPlausible: Bool {
        faults * Self.packetsPerFault <= packetCount
            && (frames.keyFrames > 0 || frames.count - frames.malformedCount >= Self.leastFrameCount)
    }
}

/// What a payload says of its place in a frame.
struct PayloadPlace {
    /// Whether it begins a frame.
    var startsFrame: Bool
    /// Whether it ends one; `nil` where the format does not say it.
    var endsFrame: Bool?
}

/// Whether the beginnings and ends that packets tell of stand where their timestamps and markers have them.
private struct FrameOrder {
    private var latest: (header: RTPHeader, place: PayloadPlace?)?

    /// Takes the packet that is next in line; `false` where what it says of its place cannot be.
    mutating func takes(_ header: RTPHeader, _ place: PayloadPlace?) -> Bool {
        defer { latest = (header, place) }
        if header.marker, place?.endsFrame == false { return false }
        guard let place, let latest, latest.header.sequenceNumber.next == header.sequenceNumber else { return true }
        if header.timestamp != latest.header.timestamp { return place.startsFrame }
        // Several frames of one timestamp, spatial layers, say where they end.
        return !place.startsFrame || latest.header.marker || latest.place?.endsFrame ?? (latest.place == nil)
    }
}

/// When the frames of a stream were taken, as their RTP timestamps have it: a capture's clock says when their packets came,
/// all at once, it may be.
///
/// Where the timestamps jump, back or by more than a minute, the sender has begun anew, and the capture's clock tells how much
/// later.
struct FrameTimeline {
    private var latest: (timestamp: RTPTimestamp, capture: MediaTime, time: MediaTime)?

    /// The longest step that timestamps are believed.
    private static let longestStep = MediaDuration.seconds(60)

    /// The time of the next frame.
    mutating func time(of timestamp: RTPTimestamp, capturedAt capture: MediaTime) -> MediaTime {
        var time = capture
        if let latest {
            let ticks = Int64(timestamp.distance(since: latest.timestamp))
            let step = MediaTime(ticks: ticks, rate: RTPTimestamp.videoClockRate) - MediaTime.zero
            let isBelieved = step >= .zero && step <= Self.longestStep
            time = latest.time + (isBelieved ? step : max(.zero, capture - latest.capture))
        }
        latest = (timestamp, capture, time)
        return time
    }
}
