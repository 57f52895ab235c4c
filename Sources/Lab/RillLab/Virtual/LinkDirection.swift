/// The direction of a datagram.
public enum LinkDirection: Sendable {
    /// From the sender to the receiver.
    case toReceiver
    /// From the receiver to the sender.
    case toSender
}
