/// What can be settled when an ``SRTPUnprotector`` is made.
public struct UnprotectSettings: Hashable, Sendable {
    /// How far behind the newest packet of its source one may come, in packets: 64 to 32767. Half a second of 20 Mbit/s, by
    /// default; RFC 3711 §3.3.2 asks for 64 at least.
    public var windowPacketCount = 1024
    /// From how many sources packets are taken. Only genuine packets make a source known, and it stays known as long as the
    /// unprotector: forgotten, its old packets could be replayed.
    public var maximumSourceCount = 256
    /// Up to which rollover counter is searched for a source whose first packet does not open with 0: one that has sent
    /// before we came. 0 leaves the search out.
    public var searchedRolloverCounter: UInt32 = 8

    /// As described at each.
    public init() {}
}
