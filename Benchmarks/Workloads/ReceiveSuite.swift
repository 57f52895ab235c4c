import Rill

extension Suite {
    static let receiveWorkloads: [Workload] = [
        chain("in-order", floor: "receive/copy") { $0.receiveInOrder(packets: $1) },
        chain("disturbed", floor: "receive/copy") { $0.receiveDisturbed(packets: $1) },
        chain("renumber") { $0.renumber(packets: $1) },
        chain("copy") { $0.copy(packets: $1) },
    ]

    private static func chain(
        _ name: String, floor: String? = nil, _ work: @escaping @Sendable (inout ChainBench, Int) -> Void
    ) -> Workload {
        Workload(.receive, name, of: .packet, count: 40_000, floor: floor) { material in
            let chain = Chain(try material.packets())
            return { count in
                work(&chain.bench, count)
                return chain.bench.sum
            }
        }
    }
}

/// Owns a bench: closures cannot own noncopyable values.
private final class Chain {
    var bench: ChainBench

    init(_ stream: RecordedStream) {
        bench = ChainBench(stream)
    }
}
