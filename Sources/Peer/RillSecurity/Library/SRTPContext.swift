import CSRTP
import RillRTP

/// An `srtp_t` for the packets of one direction with one master key.
///
/// It has a template: the first genuine packet of a source creates the source's stream, and until then the source's
/// packets use the template's keys. A template always starts with rollover counter 0. For another counter, the source
/// gets its own stream (``addStream(_:)``), for which keys are derived again.
///
/// It avoids two features that libsrtp 2.5 handles badly. Keys are never changed within an `srtp_t`:
/// `srtp_update_stream` keeps the rollover counter but forgets which packets of the window have arrived, so that they
/// could be replayed. An RTCP packet without its E bit is never passed to libsrtp: one of 2 KB would permanently
/// corrupt the GCM cipher's associated data.
///
/// One owner, on any thread, one call at a time.
@safe
final class SRTPContext: @unchecked Sendable {
    // Manually Sendable: the owner calls it from one thread at a time, and libsrtp has no thread-local state.
    let key: SRTPKey
    private let direction: Direction
    private let windowPacketCount: Int
    private let session: srtp_t

    enum Direction { case inbound, outbound }

    /// - Throws: `libraryFailed`.
    init(_ key: SRTPKey, _ direction: Direction, windowPacketCount: Int) throws(SecurityError) {
        guard libraryIsReady else { throw .libraryFailed(code: libraryStatus.rawValue) }
        self.key = key
        self.direction = direction
        self.windowPacketCount = windowPacketCount
        var session: srtp_t?
        let kind = direction == .inbound ? ssrc_any_inbound : ssrc_any_outbound
        let status = unsafe SRTPContext.withPolicy(key, kind, SSRC(0), windowPacketCount) { policy in
            // The library stores the session, and nothing of the policy.
            unsafe srtp_create(&session, policy)
        }
        guard status == srtp_err_status_ok, let session = unsafe session else {
            throw .libraryFailed(code: status.rawValue)
        }
        unsafe self.session = session
    }

    deinit {
        // Frees the streams, and overwrites the keys derived from the master key.
        unsafe srtp_dealloc(session)
    }

    // MARK: Streams

    /// Gives a source its own stream, if it has none; returns `false` if the library fails.
    func addStream(_ source: SSRC) -> Bool {
        unsafe SRTPContext.withPolicy(key, ssrc_specific, source, windowPacketCount) { policy in
            // Nothing of the policy is stored.
            unsafe srtp_add_stream(session, policy)
        } == srtp_err_status_ok
    }

    /// Removes the stream of a source.
    func removeStream(_ source: SSRC) {
        // Here the library takes the SSRC in network byte order.
        unsafe srtp_remove_stream(session, source.rawValue.bigEndian)
    }

    /// Sets the rollover counter of the next RTP packet of a source, if its stream has not had a packet yet.
    func setRolloverCounter(_ counter: UInt32, of source: SSRC) {
        // Here it takes the SSRC in host byte order.
        unsafe srtp_set_stream_roc(session, source.rawValue, counter)
    }

    // MARK: Packets

    /// Protects the `count` bytes at `base`, which must have room after them for the added bytes.
    @unsafe func protect(_ kind: PacketKind, _ base: UnsafeMutablePointer<UInt8>, _ count: inout Int) -> SRTPStatus {
        var length = Int32(truncatingIfNeeded: count)
        let status =
            unsafe kind == .rtcp
            ? srtp_protect_rtcp(session, base, &length) : srtp_protect(session, base, &length)
        count = Int(length)
        return SRTPStatus(status)
    }

    /// Unprotects the `count` bytes at `base`. If it fails, their contents are undefined.
    @unsafe func unprotect(_ kind: PacketKind, _ base: UnsafeMutablePointer<UInt8>, _ count: inout Int) -> SRTPStatus {
        var length = Int32(truncatingIfNeeded: count)
        let status =
            unsafe kind == .rtcp
            ? srtp_unprotect_rtcp(session, base, &length) : srtp_unprotect(session, base, &length)
        count = Int(length)
        return SRTPStatus(status)
    }

    // MARK: Creating

    private static func withPolicy(
        _ key: SRTPKey, _ kind: srtp_ssrc_type_t, _ source: SSRC, _ windowPacketCount: Int,
        _ body: (UnsafePointer<srtp_policy_t>) -> srtp_err_status_t
    ) -> srtp_err_status_t {
        var policy = unsafe srtp_policy_t()
        unsafe policy.ssrc = srtp_ssrc_t(type: kind, value: source.rawValue)
        unsafe setCiphers(key.profile, &policy)
        unsafe policy.window_size = UInt(windowPacketCount)
        // GCM reveals its authentication key if a packet number is used twice, so no packet is protected twice.
        unsafe policy.allow_repeat_tx = 0
        return key.withKeyAndSalt { bytes in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                // The library reads the key during the call, and does not modify it.
                unsafe policy.key = UnsafeMutablePointer(mutating: bytes.baseAddress)
                defer { unsafe policy.key = nil }
                return unsafe withUnsafePointer(to: policy) { unsafe body($0) }
            }
        }
    }

    private static func setCiphers(_ profile: SRTPProfile, _ policy: inout srtp_policy_t) {
        // Each function fills in the structure that it is given and does not keep it.
        switch profile {
        case .aeadAES128GCM:
            unsafe srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp)
            unsafe srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp)
        case .aeadAES256GCM:
            unsafe srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtp)
            unsafe srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtcp)
        case .aesCM128Tag80:
            unsafe srtp_crypto_policy_set_rtp_default(&policy.rtp)
            unsafe srtp_crypto_policy_set_rtcp_default(&policy.rtcp)
        case .aesCM128Tag32:
            unsafe srtp_crypto_policy_set_aes_cm_128_hmac_sha1_32(&policy.rtp)
            unsafe srtp_crypto_policy_set_rtcp_default(&policy.rtcp)
        }
    }
}

/// The library's global tables, initialized once per process and never freed, because the process may have other
/// users.
private let libraryStatus: srtp_err_status_t = srtp_init()

/// If another user in the process has initialized the library, it returns `bad_param`, because its modules already
/// exist. After any more serious error, creating a session fails as well.
private var libraryIsReady: Bool { libraryStatus == srtp_err_status_ok || libraryStatus == srtp_err_status_bad_param }

/// The status codes of libsrtp that Rill distinguishes.
enum SRTPStatus: Equatable {
    case done
    case replayed
    case tooOld
    case authenticationFailed
    case malformed
    case keyExpired
    case failed(code: UInt32)

    init(_ status: srtp_err_status_t) {
        switch status {
        case srtp_err_status_ok: self = .done
        case srtp_err_status_replay_fail: self = .replayed
        case srtp_err_status_replay_old, srtp_err_status_pkt_idx_old: self = .tooOld
        case srtp_err_status_auth_fail: self = .authenticationFailed
        case srtp_err_status_bad_param, srtp_err_status_parse_err: self = .malformed
        case srtp_err_status_key_expired: self = .keyExpired
        default: self = .failed(code: status.rawValue)
        }
    }
}
