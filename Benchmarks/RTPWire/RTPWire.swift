import Turns

/// One piece of work on RTP packets, again and again, and nothing else.
///
///     rtp-wire read --packets 100000 --turns 101
///
/// prints the nanoseconds that a packet took, one line a turn. All packets of a turn are in the processor's cache.
@main
struct RTPWire {
    static func main() throws {
        var bench = Bench()
        var sum = 0
        try Turns<Work>(counting: "packets", 100_000).run { work, count in
            sum &+= try bench.run(work, packets: count)
        }
        // Whoever looks at the result cannot have left out the work.
        if sum == 42 { print("the answer") }
    }
}
