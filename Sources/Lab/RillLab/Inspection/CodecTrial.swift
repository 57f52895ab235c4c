import RillCore
import RillRTP

/// Interprets the packets of one payload type as one codec: the result shows whether they are.
///
/// Most payloads of any format parse as a VP8 payload descriptor, so that alone proves nothing. Evidence for a codec
/// is complete frames with plausible headers. Evidence against it is payloads that no sender of it writes, and starts
/// and ends of frames in impossible places.
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
    /// Packets and complete frames that contradict the codec.
    private var faults = 0

    /// Without a key frame, which has a start code of 24 bits, this many complete frames must fit.
    private static let leastFrameCount = 3
    /// One in this many packets or frames may contradict the codec: the network may have damaged it.
    private static let packetsPerFault = 8

    /// Creates a trial without packets.
    init(_ payloadType: PayloadType, _ codec: VideoCodec) {
        self.payloadType = payloadType
        self.codec = codec
        self.joiner = StreamJoiner(codec)
        self.frames = CodedStreamMeter(codec: codec)
    }

    /// Adds the next packet in sequence, which was captured at `time`.
    mutating func add(_ packet: RTPPacket, at time: MediaTime) {
        packetCount += 1
        descriptor.add(packet.payload, of: codec)
        let place = packet.payload.isEmpty ? nil : codec.payload(packet.payload)
        if !packet.payload.isEmpty, place == nil { faults += 1 }
        if !order.takes(packet.header, place) { faults += 1 }
        switch joiner.insert(packet, into: &frame) {
        case .completed:
            let whole = frame
            if codec.traits?.video?.isPlausible(whole.span) != true { faults += 1 }
            frames.add(whole.span, at: timeline.time(of: packet.header.timestamp, capturedAt: time))
        case .malformed, .incomplete: break
        }
    }

    /// Whether the packets are of this codec, as far as they show.
    var isPlausible: Bool {
        faults * Self.packetsPerFault <= packetCount
            && (frames.keyFrames > 0 || frames.count - frames.malformedCount >= Self.leastFrameCount)
    }
}

/// Checks that the starts and ends in packets match their timestamps and marker bits.
private struct FrameOrder {
    private var latest: (header: RTPHeader, place: FramePayload?)?

    /// Notes the next packet in sequence; `false` if its position is impossible.
    mutating func takes(_ header: RTPHeader, _ place: FramePayload?) -> Bool {
        defer { latest = (header, place) }
        if header.marker, place?.endsLayer == false { return false }
        guard let place, let latest, latest.header.sequenceNumber.next == header.sequenceNumber else { return true }
        if header.timestamp != latest.header.timestamp { return place.startsLayer }
        // Several frames with one timestamp, spatial layers, signal their ends.
        return !place.startsLayer || latest.header.marker || latest.place?.endsLayer ?? (latest.place == nil)
    }
}

/// The capture times of a stream's frames, from their RTP timestamps: the capture's clock only shows when their
/// packets arrived, possibly all at once.
///
/// If the timestamps jump, back or by more than a minute, the sender has restarted, and the capture's clock gives the
/// step.
struct FrameTimeline {
    private var latest: (timestamp: RTPTimestamp, capture: MediaTime, time: MediaTime)?

    /// The longest plausible step of timestamps.
    private static let longestStep = MediaDuration.seconds(60)

    /// Returns the time of the next frame.
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

/// Collects what is known of a sequence of encoded frames without decoding them.
struct CodedStreamMeter {
    private let codec: VideoCodec
    private(set) var count = 0
    /// Frames among them that are not shown.
    private var hiddenCount = 0
    private(set) var keyFrames = 0
    /// Frames that do not start like frames of the codec. They count as frames, but not as key frames.
    private(set) var malformedCount = 0
    private var resolution: String?
    private var span = MediaSpan()
    private var byteCount = 0
    private var smallest = Int.max
    private var largest = 0

    init(codec: VideoCodec) {
        self.codec = codec
    }

    /// Adds the next frame.
    mutating func add(_ payload: Span<UInt8>, at time: MediaTime) {
        count += 1
        // A frame whose header cannot be parsed counts as shown: it is counted as damaged below.
        if let header = try? CodedFrameHeader(parsing: payload, as: codec), !header.isShown {
            hiddenCount += 1
        } else {
            span.add(time)
        }
        byteCount += payload.count
        smallest = min(smallest, payload.count)
        largest = max(largest, payload.count)
        do throws(BitstreamError) {
            guard let size = try codec.keyFrameSize(of: payload) else { return }
            keyFrames += 1
            resolution = resolution ?? size.description
        } catch {
            malformedCount += 1
        }
    }

    /// The result.
    var stream: FileInspection.Stream {
        let shown = count - hiddenCount
        var stream = FileInspection.Stream(codec: codec.rawValue, resolution: resolution, frames: shown)
        stream.hiddenFrames = hiddenCount > 0 ? hiddenCount : nil
        stream.keyFrames = keyFrames
        let seconds = span.duration.seconds
        // Equal timestamps are a nanosecond apart here: they are no rate.
        if seconds > Double(shown) * 1e-6 {
            stream.duration = seconds
            stream.frameRate = Double(shown) / seconds
            stream.bitrate = Double(8 * byteCount) / seconds
        }
        if count > 0 {
            stream.frameBytes = FileInspection.Sizes(
                minimum: smallest, mean: Double(byteCount) / Double(count), maximum: largest)
        }
        return stream
    }
}
