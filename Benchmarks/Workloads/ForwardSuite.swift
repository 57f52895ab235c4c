extension Suite {
    /// The cost of a datagram that is forwarded, at forty viewers of one publisher.
    static let forwardWorkloads: [Workload] = [
        Workload(.forward, "viewers", of: .packet, count: 6000, counting: "*12ForwardBenchC5serve*") { _ in
            let bench = try ForwardBench()
            return { try bench.forward(packets: $0) }
        }
    ]
}
