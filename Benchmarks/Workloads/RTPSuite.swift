import RillRTP

extension Suite {
    static let rtpWorkloads: [Workload] = WireBench.Work.allCases.map { work in
        let isFeedback = work == .writeRTCP || work == .readRTCP
        return Workload(
            .rtp, work.rawValue, of: isFeedback ? .compound : .packet, count: isFeedback ? 1000 : 20_000,
            floor: work == .packetize ? "rtp/memcpy" : nil
        ) { _ in
            var bench = WireBench()
            return { count in try bench.run(work, packets: count) }
        }
    }
}
