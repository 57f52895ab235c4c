import Rill

extension Suite {
    static let receiveWorkloads: [Workload] = ChainBench.Work.allCases.map { work in
        let floor = work == .inOrder || work == .disturbed ? "receive/copy" : nil
        return Workload(.receive, work.rawValue, of: .packet, count: 40_000, floor: floor) { material in
            let chain = Chain(try material.packets())
            return { count in chain.run(work, packets: count) }
        }
    }
}

/// Owns a bench, which closures cannot.
private final class Chain {
    private var bench: ChainBench

    init(_ stream: RecordedStream) {
        bench = ChainBench(stream)
    }

    func run(_ work: ChainBench.Work, packets count: Int) -> Int {
        bench.run(work, packets: count)
        return bench.sum
    }
}
