import RillSecurity

extension Suite {
    /// The cost of SRTP compared with libsrtp's own call and a copy of the packet.
    static let securityWorkloads: [Workload] =
        pair("gcm", .aeadAES128GCM, count: 2048) + pair("cm", .aesCM128Tag80, count: 1024)

    private static func pair(_ name: String, _ profile: SRTPProfile, count: Int) -> [Workload] {
        func workload(
            _ name: String, floor: String? = nil,
            _ work: @escaping @Sendable (SecurityBench, Int) throws -> Int
        ) -> Workload {
            Workload(.security, name, of: .packet, count: count, floor: floor) { _ in
                let bench = try SecurityBench(profile)
                return { try work(bench, $0) }
            }
        }
        return [
            workload("protect-\(name)-libsrtp") { try $0.protectBare(packets: $1) },
            workload("protect-\(name)", floor: "security/protect-\(name)-libsrtp") { try $0.protect(packets: $1) },
            workload("unprotect-\(name)-libsrtp") { try $0.unprotectBare(packets: $1) },
            workload("unprotect-\(name)", floor: "security/unprotect-\(name)-libsrtp") {
                try $0.unprotect(packets: $1)
            },
        ]
    }
}
