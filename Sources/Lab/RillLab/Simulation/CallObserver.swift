public import RillCore
public import RillLink
public import RillRTP
public import RillSend

/// An observer of a simulated call, called with events in order.
public protocol CallObserver: AnyObject {
    /// The call starts; these are the layers' streams.
    func callBegan(streams: [RTPStreamSettings])
    /// A layer's frame was handed to the network, with all its packets.
    func frameWasSent(layer: Int, timestamp: RTPTimestamp, captureTime: MediaTime, at now: MediaTime)
    /// A datagram was sent over the link, with this outcome. The bytes are valid until this returns.
    func datagramWasSent(_ datagram: Span<UInt8>, _ direction: LinkDirection, at now: MediaTime, _ outcome: SendOutcome)
    /// How the datagram that was just sent passes the bottleneck; `nil` if its queue dropped it.
    func datagramPassed(_ passage: BottleneckPassage?, _ direction: LinkDirection)
    /// A datagram has arrived at the other end. The bytes are valid until this returns.
    func datagramArrived(_ datagram: Span<UInt8>, _ direction: LinkDirection, at now: MediaTime)
    /// A layer's frame is shown.
    func frameWasShown(layer: Int, timestamp: RTPTimestamp, at now: MediaTime)
    /// A key frame was requested for a layer: its next frame is one.
    func keyFrameWasRequested(layer: Int, at now: MediaTime)
    /// What the sender's congestion control allows, after each event of the call.
    func rateWasEstimated(_ rate: Bitrate, at now: MediaTime)
}

extension CallObserver {
    /// Does nothing.
    public func datagramPassed(_ passage: BottleneckPassage?, _ direction: LinkDirection) {}
    /// Does nothing.
    public func rateWasEstimated(_ rate: Bitrate, at now: MediaTime) {}
}
