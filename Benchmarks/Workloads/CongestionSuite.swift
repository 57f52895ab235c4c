import RillCongestion

extension Suite {
    /// The cost of congestion control for a packet that is sent, received and reported.
    static let congestionWorkloads: [Workload] = [
        Workload(.congestion, "call", of: .packet, count: 60_000) { _ in
            var bench = CongestionBench()
            return { bench.run(packets: $0) }
        }
    ]
}
