import Glibc
import Rill
import Turns

/// What can be measured.
enum Work: String, CaseIterable {
    /// All packets come, in order.
    case inOrder = "in-order"
    /// 5 % of the packets come 10 ms late, so that others overtake them, and 2 % get lost; the jitter buffer asks for them,
    /// and they come 100 ms later.
    case disturbed
    /// Only number the packets anew, as all of these do.
    case renumber
    /// Number the packets anew and copy each twice, into a ring of 64 and out of it: the least that a buffer has to do.
    case copy
}

/// A recorded stream through the jitter buffer, over and over, and nothing else.
///
///     RILL_TRACE=clip.pcap receive-chain in-order --packets 100000 --turns 101
///
/// prints the nanoseconds that a packet took to be inserted, assembled, timed and handed out, one line a turn. Numbers and
/// timestamps go on from one round of the trace to the next.
@main
struct ReceiveChain {
    static func main() throws {
        guard let path = getenv("RILL_TRACE") else {
            print("RILL_TRACE names no capture")
            exit(2)
        }
        var bench = Bench(try RecordedStream(path: String(cString: path)))
        Turns<Work>(counting: "packets", 100_000).run { work, count in bench.run(work, packets: count) }
        // Whoever looks at the result cannot have left out the work.
        if bench.sum == 42 { print("the answer") }
    }
}
