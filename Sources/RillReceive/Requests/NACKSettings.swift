public import RillCore

/// When a ``JitterBuffer`` asks for packets again, and when it gives up.
public struct NACKSettings: Sendable, Equatable {
    /// How long a packet has to be missing before it is asked for the first time, at least zero. More than 0, the default,
    /// where FEC packets are likely to bring it sooner: `Rill` makes it 10 ms at least where it is told of ULPFEC. What packets
    /// overtake each other by is learnt, and waited for besides.
    public var firstRequestDelay = MediaDuration.zero
    /// How often one packet is asked for, 1 to 100; 10 by default.
    public var maximumRequestCount = 10
    /// How long after it was first missed a packet is still asked for; 2 s by default. Senders keep packets for about that
    /// long, and a key frame is cheaper than the packets of two seconds.
    public var maximumAge = MediaDuration.seconds(2)
    /// The longest row of packets lost at once that is asked for, 1 to 1000; after a longer one a key frame is asked for
    /// instead. 100 by default: 120 kB, three times a key frame of 640x480.
    public var maximumGap = 100

    /// How often a NACK is repeated while the packets do not come, 0 to 20, spread over five eighths of a round trip but at
    /// least 5 ms apart; twice as often where the round before was in vain. 8 by default. A NACK that is lost costs a round
    /// trip of waiting, a repetition some 80 bytes; senders answer each number once in a round trip.
    public var copies = 8

    /// The defaults.
    public init() {}

    func validate() {
        precondition(firstRequestDelay >= .zero, "the first request waits \(firstRequestDelay): not below zero")
        precondition((1...100).contains(maximumRequestCount), "\(maximumRequestCount) requests for a packet: 1 to 100")
        precondition(maximumAge >= .zero, "packets are asked for until \(maximumAge): not below zero")
        precondition((0...20).contains(copies), "\(copies) copies of a NACK: 0 to 20")
        precondition((1...1000).contains(maximumGap), "a gap of \(maximumGap) packets: 1 to 1000")
    }
}
