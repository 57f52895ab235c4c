/// How an endpoint answers.
public struct WHIPEndpointSettings: Equatable, Sendable {
    /// The STUN and TURN servers that clients are told.
    public var iceServers: [ICEServer]
    /// The longest body that is read, in bytes. Longer ones are answered with 413.
    public var maximumBodyByteCount: Int

    /// Settings; by default no ICE servers, and bodies of 256 KiB.
    public init(iceServers: [ICEServer] = [], maximumBodyByteCount: Int = 1 << 18) {
        (self.iceServers, self.maximumBodyByteCount) = (iceServers, maximumBodyByteCount)
    }
}
