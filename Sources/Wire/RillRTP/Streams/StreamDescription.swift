package import RillCore

/// The negotiated properties of one RTP stream: one simulcast layer in one direction.
///
/// ```swift
/// var stream = StreamDescription(PayloadType(96), RTPFormat.Encoding("VP8"))
/// stream.ssrc = SSRC(0xCAFE)
/// stream.repair.retransmission = .init(ssrc: SSRC(0xBEEF), payloadType: PayloadType(97))
/// stream.feedback = [.nack, .pictureLossIndication]
/// try stream.validate()
/// ```
///
/// Sender and receiver both use this type. The settings of a sender (`RTPStreamSettings` of RillSend) and of a
/// receiver (`StreamReceiverSettings` of RillReceive) are made from it, and a sender's settings have a description of
/// what is sent. Session descriptions are made from several and parsed into several:
/// ``SessionDescription/streams(_:of:codecs:)``, ``MediaDescription/init(sending:receiving:_:port:transport:)``.
///
/// The properties may have any values, because another side may choose any. ``validate()`` finds contradictions.
public struct StreamDescription: Equatable, Sendable {
    /// The payload type of the packets.
    public var payloadType: PayloadType
    /// The codec's name, clock rate and channels: `opus/48000/2`.
    public var encoding: RTPFormat.Encoding
    /// Video or audio.
    public var kind: MediaDescription.Kind
    /// The codec's parameters (a=fmtp), in order.
    public var parameters: [RTPFormat.Parameter] = []
    /// The other formats that were negotiated, preferred first: the sender may go over to one of them at any packet,
    /// without another negotiation (RFC 3264 §5.1, §6.1).
    public var alternatives: [Alternative] = []

    /// MID: identifies the media section of the stream (RFC 9143): 1 to 16 bytes.
    public var mid: String?
    /// RID: identifies the stream within its section (RFC 8852): 1 to 16 letters, digits, `-` and `_`.
    public var rid: String?
    /// Alternative RIDs under which the stream may arrive, preferred first (RFC 8853 §5.1). Only the names are known.
    public var alternativeRIDs: [String] = []
    /// Whether the stream is negotiated but currently not sent: `~` in RFC 8853.
    public var isPaused = false
    /// The SSRC of its packets; `nil` if it was not announced. The stream is then identified by MID and RID, or by
    /// payload type.
    public var ssrc: SSRC?
    /// CNAME: the name that all streams of one endpoint share, 1 to 255 bytes (RFC 3550 §6.5.1).
    public var canonicalName: String?

    /// The mechanisms that repair packet loss.
    public var repair = RepairSettings()
    /// The IDs of the header extensions that packets may carry.
    public var headerExtensions = HeaderExtensionMap()
    /// The feedback that the receiver may send.
    public var feedback: Feedback = []
    /// Whether RTCP may be sent without a report at its start (a=rtcp-rsize, RFC 5506).
    public var usesReducedSizeRTCP = false
    /// The limits on the stream's pictures and bitrate.
    public var limits = Limits()

    /// A stream with that payload type and codec, of the codec's kind, or video if it is not known. All other
    /// properties are empty and can be set afterwards.
    public init(_ payloadType: PayloadType, _ encoding: RTPFormat.Encoding) {
        self.payloadType = payloadType
        self.encoding = encoding
        kind = CodecTraits.named(encoding.name)?.kind ?? .video
    }

    /// The rate of its RTP timestamps.
    ///
    /// - Throws: `unsupportedFormat` if there is none, or it is not that of the codec.
    public var clockRate: ClockRate {
        get throws(StreamDescriptionError) {
            let known = CodecTraits.named(encoding.name)?.clockRate.hertz
            guard let rate = ClockRate(validating: encoding.clockRate), known ?? rate.hertz == rate.hertz else {
                throw .unsupportedFormat(name: encoding.name, clockRate: encoding.clockRate)
            }
            return rate
        }
    }

    /// Another format of the stream.
    public struct Alternative: Equatable, Sendable {
        /// The payload type of the packets.
        public var payloadType: PayloadType
        /// The codec's name and clock rate.
        public var encoding: RTPFormat.Encoding
        /// The codec's parameters (a=fmtp), in order.
        public var parameters: [RTPFormat.Parameter] = []
        /// The payload type of its retransmissions (RTX). `nil` if there are none, or if those of RED are used.
        public var retransmissionPayloadType: PayloadType?

        /// A format without parameters and retransmissions.
        public init(_ payloadType: PayloadType, _ encoding: RTPFormat.Encoding) {
            (self.payloadType, self.encoding) = (payloadType, encoding)
        }
    }

    /// Kinds of feedback (RFC 4585 §4.2, RFC 5104 §7.1).
    public struct Feedback: OptionSet, Hashable, Sendable {
        /// One bit per kind.
        public var rawValue: UInt8
        /// The kinds whose bits are set.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Generic NACK.
        public static let nack = Feedback(rawValue: 1 << 0)
        /// PLI.
        public static let pictureLossIndication = Feedback(rawValue: 1 << 1)
        /// FIR.
        public static let fullIntraRequest = Feedback(rawValue: 1 << 2)
        /// REMB.
        public static let receiverEstimatedMaximumBitrate = Feedback(rawValue: 1 << 3)
        /// Transport-wide feedback: the arrival time of every packet.
        public static let transportWideCongestionControl = Feedback(rawValue: 1 << 4)
        /// PAUSE and RESUME of a stream (RFC 7728).
        public static let pause = Feedback(rawValue: 1 << 5)
        /// Congestion control feedback: the arrival time of every packet, by stream (RFC 8888).
        public static let congestionControlFeedback = Feedback(rawValue: 1 << 6)
    }

    /// Limits on a stream (RFC 8851 §5); `nil` means no limit.
    public struct Limits: Equatable, Sendable {
        /// max-width: width in pixels.
        public var width: Int?
        /// max-height: height in pixels.
        public var height: Int?
        /// max-fps: frames per second.
        public var framesPerSecond: Double?
        /// max-fs: pixels per frame.
        public var pixelsPerFrame: Int?
        /// max-pps: pixels per second.
        public var pixelsPerSecond: Int?
        /// max-br: bits per second, without the headers of RTP and lower layers.
        public var bitsPerSecond: Int?

        /// No limits.
        public init() {}
    }
}

extension StreamDescription {
    /// The payload types that its packets may have.
    var payloadTypes: [PayloadType] {
        [payloadType, repair.redPayloadType, repair.fecPayloadType, repair.retransmission?.payloadType].compactMap(
            \.self) + alternatives.map(\.payloadType) + alternatives.compactMap(\.retransmissionPayloadType)
    }

    /// The codecs of video that its packets may have, the one that was agreed on first at the front.
    package var videoCodecs: [VideoCodec] {
        ([encoding] + alternatives.map(\.encoding)).compactMap(\.videoCodec)
    }

    /// The known SSRCs of its packets: its own, and that of its retransmissions.
    public var sources: [SSRC] { [ssrc, repair.retransmission?.ssrc].compactMap(\.self) }
}

extension StreamDescription {
    /// Whether this description continues the stream of a former description of the same section: the one with its
    /// SSRC, or else with its RID, or the only one.
    ///
    /// The SSRC counts first: if a simulcast is refused, its first stream continues without its RID.
    ///
    /// - Parameter former: the former description.
    package func isStream(of former: StreamDescription) -> Bool {
        guard mid == former.mid else { return false }
        if let ssrc, ssrc == former.ssrc { return true }
        if rid != nil || former.rid != nil { return rid == former.rid }
        return ssrc == nil || former.ssrc == nil
    }
}

extension StreamDescription {
    /// A kind of feedback for congestion control. Both report arrivals, with different numbers.
    public enum CongestionFeedback: Sendable, Hashable, CaseIterable {
        /// ``TransportFeedback``: by a number that all packets of the transport carry in a header extension; times in
        /// steps of 250 µs.
        case transportWide
        /// ``CongestionControlFeedback``: by the sequence numbers of the streams (RFC 8888); times in steps of 1/1024
        /// s, and ECN marks.
        case byStream
    }

    /// Allows a kind too, as an offer or for the receiver of the stream.
    package mutating func allow(_ kind: CongestionFeedback) {
        switch kind {
        case .transportWide: feedback.insert(.transportWideCongestionControl)
        case .byStream: feedback.insert(.congestionControlFeedback)
        }
    }

    /// The kinds that the description allows. Transport-wide feedback needs the extension that numbers the packets.
    public var congestionFeedback: Set<CongestionFeedback> {
        var kinds: Set<CongestionFeedback> = []
        if feedback.contains(.congestionControlFeedback) { kinds.insert(.byStream) }
        if feedback.contains(.transportWideCongestionControl), headerExtensions[.transportSequenceNumber] != nil {
            kinds.insert(.transportWide)
        }
        return kinds
    }

    /// Leaves one kind of congestion feedback, as an answer to an offer of both should: feedback of both kinds would
    /// cost twice.
    ///
    /// Without transport-wide feedback its header extension goes too. A stream that allows none or one kind keeps what
    /// it has, but for transport-wide feedback without the extension.
    ///
    /// - Parameter preferred: the kind to keep if both are allowed; transport-wide by default, whose times are four
    ///   times finer.
    /// - Returns: the kind that is left; `nil` if none is allowed.
    @discardableResult
    public mutating func chooseCongestionFeedback(
        _ preferred: CongestionFeedback = .transportWide
    ) -> CongestionFeedback? {
        let allowed = congestionFeedback
        let choice = allowed.contains(preferred) ? preferred : allowed.first
        if choice != .byStream { feedback.remove(.congestionControlFeedback) }
        if choice != .transportWide {
            feedback.remove(.transportWideCongestionControl)
            headerExtensions.remove(.transportSequenceNumber)
        }
        return choice
    }
}
