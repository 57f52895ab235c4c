import Rill

extension Suite {
    /// What a session costs against its parts alone, packet by packet.
    static let sessionWorkloads: [Workload] = SessionBench.Work.allCases.map { work in
        Workload(
            .session, work.rawValue, of: .packet, count: 40_000, floor: work.floor.map { "session/\($0.rawValue)" }
        ) {
            material in
            let bench = try SessionBench(try material.packets())
            return { count in bench.run(work, packets: count) }
        }
    }
}
