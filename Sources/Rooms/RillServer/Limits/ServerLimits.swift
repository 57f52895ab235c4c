#if Server
public import RillWHIP

/// What a server allows its clients, so that slow and large requests cannot exhaust it.
///
/// Together they bound the memory of all connections: at most `connectionCount` bodies of `bodyByteCount` at a time.
public struct ServerLimits: Equatable, Sendable {
    /// The most connections at a time. Others wait until one ends.
    public var connectionCount = 1024
    /// What an address may take.
    public var address = AddressLimits()
    /// The longest body, in bytes. Longer ones are answered with 413.
    public var bodyByteCount = 1 << 18
    /// The longest field of a header, in bytes.
    public var fieldByteCount = 16 << 10
    /// The longest header, in bytes.
    public var headerByteCount = 32 << 10
    /// The most fields of a header.
    public var fieldCount = 100
    /// How long a request may take from its header's end to its response, in seconds. Then the connection is closed.
    public var requestSeconds = 20
    /// How long a connection may send nothing, or not end a header, in seconds. Then it is closed.
    public var idleSeconds = 30

    /// The defaults.
    public init() {}
}
#endif
