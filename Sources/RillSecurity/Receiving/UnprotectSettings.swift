/// The settings of an ``SRTPUnprotector``.
public struct UnprotectSettings: Hashable, Sendable {
    /// The replay window in packets, 64 to 32767: how far before the newest packet of its source a packet may be. The
    /// default covers half a second at 20 Mbit/s; RFC 3711 §3.3.2 requires at least 64.
    public var windowPacketCount = 1024
    /// The maximum number of sources. Only genuine packets make a source known. It is remembered as long as the
    /// unprotector exists, because the old packets of a forgotten source could be replayed.
    public var maximumSourceCount = 256
    /// The highest rollover counter to try for a source whose first packet does not match 0, because it was sending
    /// before this side joined. 0 disables the search.
    public var maximumSearchedRolloverCounter: UInt32 = 8

    /// The default settings.
    public init() {}
}
