import RillSecurity

extension Suite {
    /// The cost of SRTP compared with libsrtp's own call and a copy of the packet.
    static let securityWorkloads: [Workload] =
        pair("gcm", .aeadAES128GCM, count: 2048) + pair("cm", .aesCM128Tag80, count: 1024)
        + frames("gcm128", .aes128GCM) + frames("gcm256", .aes256GCM)

    /// Frames of 6 kB, encrypted from end to end.
    private static func frames(_ name: String, _ suite: SFrameSuite) -> [Workload] {
        func workload(
            _ name: String, _ work: @escaping @Sendable (FrameSecurityBench, Int) throws -> Int
        ) -> Workload {
            Workload(.security, name, of: .encodedFrame, count: 512) { _ in
                let bench = try FrameSecurityBench(suite)
                return { try work(bench, $0) }
            }
        }
        return [
            workload("sframe-seal-\(name)") { try $0.seal(frames: $1) },
            workload("sframe-open-\(name)") { try $0.open(frames: $1) },
        ]
    }

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
