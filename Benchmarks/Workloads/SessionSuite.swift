import Rill

extension Suite {
    /// The cost of a session per packet, compared with its parts.
    static let sessionWorkloads: [Workload] = [
        half("send-parts") { $0.sendParts(packets: $1) },
        half("send", floor: "session/send-parts") { $0.send(packets: $1) },
        half("receive-parts") { $0.receiveParts(packets: $1) },
        half("receive", floor: "session/receive-parts") { $0.receive(packets: $1) },
    ]

    private static func half(
        _ name: String, floor: String? = nil, _ work: @escaping @Sendable (SessionBench, Int) -> Int
    ) -> Workload {
        Workload(.session, name, of: .packet, count: 40_000, floor: floor) { material in
            let bench = try SessionBench(try material.packets())
            return { work(bench, $0) }
        }
    }
}
