public import RillBeauty
public import RillCodec
public import RillCore
public import RillRTP
public import RillSend
public import RillSession

/// The settings of a sending pipeline.
public struct SendSettings: Sendable {
    /// The layers, one to three.
    public var layers: [LayerSettings]
    /// What to do with pictures that are not upright.
    public var orientation = SendOrientation.applied
    /// The face processing before pictures are split into layers; ``SendPipeline/setBeauty(_:)`` changes it at run
    /// time.
    public var beauty = BeautyOptions.off
    /// How the beauty filter finds the faces that tell it what skin looks like. The installed cascade is read when the
    /// pipeline is created with ``beauty``, or by the first ``SendPipeline/setBeauty(_:)`` that switches it on: by that
    /// thread, not by one that frames pass. Without beauty nothing is read.
    public var faces = FaceDetection.automatic
    /// The time that the beauty filter may take per frame. Beyond it the filter does less
    /// (``RillBeauty/BeautyDeadline``); `nil` for no limit. Its level is in ``SendPipeline/beautyStatistics``.
    public var beautyBudget: MediaDuration?
    /// The assumed cost of the filter if no clock measures it: in virtual time and offline.
    public var modeledBeautyCost: MediaDuration?
    /// The largest packet, in bytes, including the RTP header but not UDP and IP.
    public var maximumPacketSize = 1200
    /// The seed of the random initial values of RFC 3550 (SSRCs, sequence numbers, timestamps). The same seed gives
    /// the same packets; an app uses a new one for each call: `UInt64.random(in: 0 ... .max)`.
    public var seed: UInt64
    /// The CNAME of this participant in RTCP (RFC 3550 §6.5.1), the same for all its streams.
    public var canonicalName = "rill"
    /// The payload types of codecs that have others than ``/RillRTP/CodecTraits/payloadType``.
    public var payloadTypes: [VideoCodec: PayloadType] = [:]
    /// The payload type of an app's own codec.
    public var customPayloadType: PayloadType = PayloadType(102)
    /// The payload format of an app's own codec; the receiver must use the same
    /// (``RillReceive/JitterBufferSettings/payloadFormat``).
    public var payloadFormat = PayloadFormat.numbered
    /// How frames signal their references: players that follow an early draft of VP9's payload format only know
    /// groups of pictures.
    package var referenceSignaling = ReferenceSignaling.flexible
    /// Creates custom encoders for layers that libvpx is not to encode, of a custom codec or a hardware encoder of
    /// VP8. If it returns `nil`, libvpx encodes the layer.
    ///
    /// ```swift
    /// settings.makeEncoder = { layer in layer.codec == .av1 ? try AV1Encoder(layer) : nil }
    /// ```
    public var makeEncoder: VideoEncoderFactory?
    /// When layers become smaller or slower because the machine or the bitrate does not suffice, and when they
    /// recover; `nil` for never. ``VideoCall`` and ``/RillLab/VirtualSender`` apply it. Frames sent one by one with
    /// ``PacketSender/send(_:at:to:)`` keep their settings.
    public var adaptation: AdaptationSettings? = AdaptationSettings()
    /// The header extension IDs that the session negotiated. Of their kinds,
    /// ``RillRTP/HeaderExtensionKind/videoOrientation`` is written with each key frame, and for pictures that are not
    /// upright.
    public var headerExtensions = HeaderExtensionMap()
    /// How the bitrate of all layers together follows the network; `nil` for not at all: then layers keep to their
    /// settings, and packets leave at once, which is right for files, laboratories and a wire of one's own.
    /// ``VideoCallSettings`` has it on. Settings by themselves, as for a ``PacketSender``, have it off.
    ///
    /// It is best where the receiver sends the kind of feedback that the settings name, as Rill's does if it is given
    /// the layers' descriptions; otherwise the bitrate follows REMB and receiver reports.
    ///
    /// All participants of a ``VideoCall`` are sent the same encoded frames, so the slowest of their networks decides;
    /// one that is much slower than others is sent smaller layers only (``CallEvent/reduced(_:)``).
    public var congestion: CongestionSettings?
    /// The payload type of retransmissions, which each layer sends on an SSRC of its own (RTX, RFC 4588). `nil` if
    /// none was negotiated: packets are then retransmitted unchanged.
    public var retransmissionPayloadType: PayloadType? = PayloadType(97)
    /// How each layer's packets are protected (ULPFEC, RFC 5109); `nil` for no FEC.
    public var fec: FECSettings?
    /// Encrypts each frame from end to end, before it is cut into packets; `nil` for not at all. The tap for encoded
    /// frames gets them as they were encoded.
    public var encryption: FrameEncryption?

    /// Creates settings for `layers`, with all random initial values drawn from `seed`, and everything else at its
    /// default.
    public init(layers: [LayerSettings], seed: UInt64) {
        self.layers = layers
        self.seed = seed
    }

    /// Sets the bounds of the bitrate for these layers, unless the app has.
    mutating func setBounds(for layers: [LayerSettings]) {
        let sum = Bitrate(bitsPerSecond: layers.reduce(0) { $0 + $1.bitrate.bitsPerSecond })
        guard let bounds = congestion?.bounds(for: sum) else { return }
        congestion?.bitrates = bounds
    }

    /// Adds the transport-wide sequence number to the header extensions, if congestion control needs it.
    package mutating func addTransportNumbers() {
        guard congestion?.feedback == .transportWide, headerExtensions[.transportSequenceNumber] == nil,
            let id = (1...14 as ClosedRange<UInt8>).last(where: { headerExtensions[$0] == nil })
        else { return }
        do throws(RTPError) { try headerExtensions.set(.transportSequenceNumber, id: id) } catch {
            preconditionFailure("the ID \(id) is free: \(error)")
        }
    }

    /// The layer with the most pixels; the first of several.
    var indexOfLargestLayer: Int {
        layers.indices.max { layers[$0].resolution.pixelCount < layers[$1].resolution.pixelCount } ?? 0
    }

    /// Returns the payload type of a codec.
    public func payloadType(for codec: VideoCodec) -> PayloadType {
        payloadTypes[codec] ?? codec.traits?.payloadType ?? customPayloadType
    }

    /// Creates the stream of `layer`, with its own initial values drawn from `random`.
    package func stream(
        of layer: LayerSettings, using random: inout some RandomNumberGenerator
    ) -> RTPStreamSettings {
        var stream = RTPStreamSettings(
            payloadType: payloadType(for: layer.codec), canonicalName: canonicalName, using: &random)
        stream.temporalLayerCount = layer.encoder.temporalPattern.layerCount
        stream.maximumPacketByteCount = maximumPacketSize
        stream.headerExtensions = headerExtensions
        stream.payloadFormat = payloadFormat
        stream.referenceSignaling = referenceSignaling
        stream.fec = fec
        if let retransmissionPayloadType {
            stream.retransmission = RetransmissionSettings(payloadType: retransmissionPayloadType, using: &random)
        }
        return stream
    }
}

/// What a sending pipeline does with pictures that are not upright (``RillCore/VideoFrame/rotation``).
public enum SendOrientation: String, Sendable, CaseIterable {
    /// Pictures are rotated before they are encoded: one copy of each, and nothing for the receiver to do.
    ///
    /// A layer's size is that of the upright picture: a 640x480 camera rotated by 90° gives 480x640.
    case applied
    /// Pictures are encoded as captured, and their rotation is signaled. No copy, but receivers must support the
    /// header extension of 3GPP TS 26.114 (RFC 7742 requires it of all browsers).
    ///
    /// It is sent if the session assigned it an ID: ``SendSettings/headerExtensions``.
    case carried
}
