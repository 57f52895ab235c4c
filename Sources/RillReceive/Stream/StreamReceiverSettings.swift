public import RillCore
public import RillRTP

/// How one stream is received, up to its coded frames.
public struct StreamReceiverSettings: Sendable {
    /// The stream, and how long its packets are waited for.
    public var jitterBuffer: JitterBufferSettings
    /// What the session agreed on for its repair; nothing, by default. Missing packets are NACKed all the same, as
    /// ``jitterBuffer`` says.
    public var repair = RepairSettings()
    /// The names that its packets bear where nobody announced their source: of its media section (MID, RFC 9143), and of the stream
    /// in it (RID, RFC 8852).
    public var mid: StreamIdentifier?
    /// See ``mid``. Not the name of a frame's layer, which ``jitterBuffer`` has.
    public var rid: StreamIdentifier?
    /// Names under which it may come instead (RFC 8853 §5.1).
    public var alternativeRIDs: [StreamIdentifier] = []
    /// Its sender follows requests to pause it (`a=rtcp-fb:* ccm pause`, RFC 7728).
    public var isPausable = false
    /// How often the sender gets a receiver report; at least 10 ms.
    public var reportInterval = MediaDuration.seconds(1)
    /// The source that this receiver's RTCP comes from; any number that no stream of the session has.
    public var ssrc: SSRC
    /// The name of this participant in RTCP (RFC 3550 §6.5.1), 1 to 255 bytes.
    public var canonicalName = "rill"

    /// Is told what happens to the stream, and when, on the thread that polls it: for meters. It must not block, and may call
    /// back into the receiver.
    public var observer: (@Sendable (ReceiveEvent, MediaTime) -> Void)?

    /// A stream received through `jitterBuffer`, with RTCP sent as `ssrc`; the rest is at its defaults.
    public init(jitterBuffer: JitterBufferSettings, ssrc: SSRC) {
        self.jitterBuffer = jitterBuffer
        self.ssrc = ssrc
    }

    /// The sources that its packets come from, as far as they are known: its own, and that of its retransmissions.
    package var sources: [SSRC] { [jitterBuffer.ssrc, repair.retransmission?.ssrc].compactMap(\.self) }

    /// Checks what the other side chose: sources and payload types must tell streams and formats apart.
    package func validate() throws(ReceiveError) {
        if let again = repair.retransmission?.ssrc, again == jitterBuffer.ssrc { throw .sourceInUse(again) }
        let types = [
            jitterBuffer.payloadType, repair.retransmission?.payloadType, repair.redPayloadType, repair.fecPayloadType,
        ].compactMap(\.self)
        for (index, type) in types.enumerated() where types[..<index].contains(type) { throw .payloadTypeInUse(type) }
    }
}
