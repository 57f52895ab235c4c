public import RillCore

/// When a ``JitterBuffer`` NACKs packets, and when it gives up.
public struct NACKSettings: Sendable, Equatable {
    /// How long a packet must be missing before its first request, at least zero; 0 by default. Larger values suit
    /// streams whose FEC packets are likely to recover it sooner: ``StreamReceiver`` uses at least 10 ms if ULPFEC
    /// was negotiated. Packet reordering is learned, and awaited in addition.
    public var firstRequestDelay = MediaDuration.zero
    /// The most requests for one packet, 1 to 100; 10 by default.
    public var maximumRequestCount = 10
    /// How long after it was detected as missing a packet is still requested; 2 s by default. Senders keep packets
    /// for about that long, and a key frame is cheaper than the packets of two seconds.
    public var maximumAge = MediaDuration.seconds(2)
    /// The longest run of lost packets that is requested, 1 to 1000; after a longer one a key frame is requested
    /// instead. 100 by default: 120 kB, three times a key frame of 640x480.
    public var maximumGap = 100

    /// How often a NACK is repeated while the packets do not arrive, 0 to 20; 8 by default. The repetitions are
    /// spread over five eighths of a round trip, but at least 5 ms apart; there are twice as many if the previous
    /// round was in vain. A lost NACK costs a round trip of waiting, a repetition some 80 bytes. Senders answer each
    /// sequence number once per round trip.
    public var copies = 8

    /// Creates settings with the defaults.
    public init() {}

    func validate() {
        precondition(firstRequestDelay >= .zero, "the first request waits \(firstRequestDelay): not below zero")
        precondition((1...100).contains(maximumRequestCount), "\(maximumRequestCount) requests for a packet: 1 to 100")
        precondition(maximumAge >= .zero, "packets are asked for until \(maximumAge): not below zero")
        precondition((0...20).contains(copies), "\(copies) copies of a NACK: 0 to 20")
        precondition((1...1000).contains(maximumGap), "a gap of \(maximumGap) packets: 1 to 1000")
    }
}
