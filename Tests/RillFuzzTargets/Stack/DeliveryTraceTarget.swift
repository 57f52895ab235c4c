import RillLink
import RillWireFuzzTargets

/// A delivery trace: what was read is what the type promises, and its text reads as the same trace.
func fuzzDeliveryTrace(_ bytes: Span<UInt8>) {
    guard let trace = try? DeliveryTrace(parsing: bytes) else { return }  // a typed error is as good an answer
    let times = trace.milliseconds
    precondition((1...DeliveryTrace.maximumCount).contains(times.count) && times.last ?? 0 > 0)
    precondition(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    let text = Array(trace.text.utf8)
    guard let again = try? DeliveryTrace(parsing: text.span) else {
        preconditionFailure("it cannot read what it wrote")
    }
    precondition(again == trace)
    // Numbers may have leading zeros, lines a CR; nothing else makes a text longer than ours.
    precondition(text.count <= bytes.count + 1)
}

func deliveryTraceSeeds() -> [FuzzTarget.Seed] {
    [
        FuzzTarget.Seed("one", bytes: Array("1\n".utf8)),
        FuzzTarget.Seed("several", bytes: Array("0\n0\n7\n12\n12\n1000\n".utf8)),
        FuzzTarget.Seed("with-returns", bytes: Array("3\r\n05\r\n4294967295".utf8)),
        FuzzTarget.Seed("back", bytes: Array("9\n8\n".utf8)),
        FuzzTarget.Seed("too-large", bytes: Array("4294967296\n".utf8)),
    ]
}
