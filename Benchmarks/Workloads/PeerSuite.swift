extension Suite {
    /// The cost of each datagram at a port with a thousand peers: from a peer, and from unknown peers that flood it.
    static let peerWorkloads: [Workload] = [
        workload("data") { try $0.data(count: $1) },
        workload("check") { try $0.checks(count: $1) },
        workload("forged-check") { try $0.forged(count: $1) },
        workload("unknown-peer") { try $0.unknown(count: $1) },
    ]

    private static func workload(
        _ name: String, _ work: @escaping @Sendable (PortBench, Int) throws -> Int
    ) -> Workload {
        Workload(.peer, name, of: .packet, count: 4000) { _ in
            let bench = try PortBench()
            return { try work(bench, $0) }
        }
    }
}
