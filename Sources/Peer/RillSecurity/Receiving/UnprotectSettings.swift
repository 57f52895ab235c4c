/// The settings of an ``SRTPUnprotector``.
public struct UnprotectSettings: Hashable, Sendable {
    /// The replay window in packets, 64 to 32767: how far before the newest packet of its source a packet may be. The
    /// default covers half a second at 20 Mbit/s; RFC 3711 §3.3.2 requires at least 64.
    public var windowPacketCount = 1024
    /// The maximum number of sources that have a stream with a replay window. Only genuine packets make a source known.
    /// A further one takes the place of the source whose last genuine packet is the oldest, which becomes a former
    /// source.
    public var maximumSourceCount = 256
    /// The maximum number of former sources. Of each, up to 40 bytes remember how far its packets were unprotected: it
    /// may go on behind that, and nothing of it can be replayed. None is ever forgotten; beyond the limit, new sources
    /// are refused until there is another key.
    public var maximumFormerSourceCount = 16_384
    /// The highest rollover counter to try for a source whose first packet does not match 0, because it was sending
    /// before this side joined. 0 disables the search.
    public var maximumSearchedRolloverCounter: UInt32 = 8

    /// The default settings.
    public init() {}
}
