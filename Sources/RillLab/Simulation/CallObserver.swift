public import RillCore
public import RillLink
public import RillRTP
public import RillSend

/// What an onlooker is told of a simulated call, in the order in which it happens.
public protocol CallObserver: AnyObject {
    /// The call begins; these are the layers' streams.
    func callBegan(streams: [RTPStreamSettings])
    /// A layer's frame has been handed to the network, with all its packets.
    func frameWasSent(layer: Int, timestamp: RTPTimestamp, captureTime: MediaTime, at now: MediaTime)
    /// A datagram was put on the link, and this becomes of it. The bytes hold until this returns.
    func datagramWasSent(_ datagram: Span<UInt8>, _ direction: LinkDirection, at now: MediaTime, _ outcome: SendOutcome)
    /// A datagram has arrived at the other end. The bytes hold until this returns.
    func datagramArrived(_ datagram: Span<UInt8>, _ direction: LinkDirection, at now: MediaTime)
    /// A layer's frame is shown.
    func frameWasShown(layer: Int, timestamp: RTPTimestamp, at now: MediaTime)
    /// A layer has been asked for a key frame, which its next frame will be.
    func keyFrameWasRequested(layer: Int, at now: MediaTime)
}
