/// How an endpoint answers.
public struct WHIPEndpointSettings: Equatable, Sendable {
    /// The STUN and TURN servers for clients.
    public var iceServers: [ICEServer]
    /// The longest body that is read, in bytes. Longer ones are answered with 413.
    public var maximumBodyByteCount: Int

    /// The pages that may send requests.
    public var origins: AllowedOrigins

    /// Settings; by default no ICE servers, bodies of 256 KiB, and pages of any site.
    public init(
        iceServers: [ICEServer] = [], maximumBodyByteCount: Int = 1 << 18, origins: AllowedOrigins = .any
    ) {
        (self.iceServers, self.maximumBodyByteCount, self.origins) = (iceServers, maximumBodyByteCount, origins)
    }
}
