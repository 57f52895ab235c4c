/// Which way a datagram goes.
public enum LinkDirection: Sendable {
    /// From the sender to the receiver.
    case toReceiver
    /// Back.
    case toSender
}
