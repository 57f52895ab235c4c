import CSRTP
import RillRTP
import RillSecurity
import Testing

/// Rill beside others who use libsrtp in the same process, as GStreamer's plugin does.
@Suite struct LibraryTests {
    @Test func `Packets are protected if another component initialized the library`() async {
        await #expect(processExitsWith: .success) {
            precondition(srtp_init() == srtp_err_status_ok, "the first to begin")
            var protector = try SRTPProtector(SRTPKey.generate())
            let packet: [UInt8] = [0x80, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 1, 2, 3]
            var isProtected = false
            _ = [UInt8](capacity: 256) { output in
                if case .protected = protector.protect(packet.span, into: &output) { isProtected = true }
            }
            precondition(isProtected, "protected")
        }
    }
}
