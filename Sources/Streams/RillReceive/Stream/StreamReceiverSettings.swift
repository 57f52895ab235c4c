public import RillCore
public import RillRTP

/// How one stream is received, up to its encoded frames.
public struct StreamReceiverSettings: Sendable {
    /// Video or audio. Audio has no frames here: a session returns its payloads in the order of arrival, without
    /// repair, and of ``jitterBuffer`` only the SSRC, payload type, clock, header extensions and packet size apply.
    public var kind = MediaDescription.Kind.video
    /// The stream's parameters, and how long to wait for its packets.
    public var jitterBuffer: JitterBufferSettings
    /// The negotiated repair formats; none by default. Missing packets are NACKed in any case, according to
    /// ``jitterBuffer``.
    public var repair = RepairSettings()
    /// The identifier of the media section in its packets (MID, RFC 9143), by which the stream is recognized if its
    /// SSRC was not announced.
    public var mid: StreamIdentifier?
    /// The identifier of the stream in that section (RID, RFC 8852); see ``mid``. It is not the layer name of frames,
    /// which ``jitterBuffer`` has.
    public var rid: StreamIdentifier?
    /// RIDs under which it may arrive instead (RFC 8853 §5.1).
    public var alternativeRIDs: [StreamIdentifier] = []
    /// Whether its sender follows pause requests (`a=rtcp-fb:* ccm pause`, RFC 7728).
    public var isPausable = false
    /// The feedback for congestion control that its sender expects, which a session then sends: transport-wide
    /// (`a=rtcp-fb:* transport-cc`), by stream (`a=rtcp-fb:* ack ccfb`, RFC 8888), or none. Transport-wide feedback
    /// needs ``/RillRTP/HeaderExtensionKind/transportSequenceNumber`` in the packets.
    ///
    /// A description sets it; of one that allows both kinds, the session sends the transport-wide one.
    public var congestionFeedback: StreamDescription.CongestionFeedback?
    /// The interval of receiver reports; at least 10 ms.
    public var reportInterval = MediaDuration.seconds(1)
    /// The SSRC of this receiver's RTCP; it must differ from the SSRCs of all streams of the session.
    public var ssrc: SSRC
    /// The CNAME of this participant in RTCP (RFC 3550 §6.5.1), 1 to 255 bytes.
    public var canonicalName = "rill"

    /// Is called with the stream's events and their times, on the thread that polls it: for meters. It must not
    /// block, and may call back into the receiver.
    public var observer: (@Sendable (ReceiveEvent, MediaTime) -> Void)?

    /// Creates settings for a stream received through `jitterBuffer`, with RTCP sent as `ssrc`, and everything else
    /// at its default.
    public init(jitterBuffer: JitterBufferSettings, ssrc: SSRC) {
        self.jitterBuffer = jitterBuffer
        self.ssrc = ssrc
    }

    /// The known SSRCs of its packets: its own, and that of its retransmissions.
    package var sources: [SSRC] { [jitterBuffer.ssrc, repair.retransmission?.ssrc].compactMap(\.self) }

    /// Checks the sender's choice: SSRCs and payload types must distinguish streams and formats.
    package func validate() throws(ReceiveError) {
        if let again = repair.retransmission?.ssrc, again == jitterBuffer.ssrc { throw .sourceInUse(again) }
        let types = [
            jitterBuffer.payloadType, repair.retransmission?.payloadType, repair.redPayloadType, repair.fecPayloadType,
        ].compactMap(\.self)
        for (index, type) in types.enumerated() where types[..<index].contains(type) { throw .payloadTypeInUse(type) }
    }
}
