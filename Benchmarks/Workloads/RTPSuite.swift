import RillRTP

extension Suite {
    static let rtpWorkloads: [Workload] = [
        wire("read") { try $0.read(packets: $1) },
        wire("parse") { try $0.parse(packets: $1) },
        wire("packetize", floor: "rtp/memcpy") { $0.packetize(packets: $1) },
        wire("packetize-extended") { $0.packetizeExtended(packets: $1) },
        wire("write-rtcp", of: .compound, count: 1000) { $0.writeRTCP(compounds: $1) },
        wire("read-rtcp", of: .compound, count: 1000) { try $0.readRTCP(compounds: $1) },
        wire("memcpy") { $0.copy(packets: $1) },
    ]

    private static func wire(
        _ name: String, of unit: Workload.Unit = .packet, count: Int = 20_000, floor: String? = nil,
        _ work: @escaping @Sendable (inout WireBench, Int) throws -> Int
    ) -> Workload {
        Workload(.rtp, name, of: unit, count: count, floor: floor) { _ in
            var bench = WireBench()
            return { try work(&bench, $0) }
        }
    }
}
