import CSRTP
import RillRTP

/// One `srtp_t`: packets of one direction under one master key.
///
/// It has a template, so that the first good packet of a source makes the source's stream, and packets of a source that has
/// none are looked at with the template's keys. A template always takes the rollover counter for 0: for another one the
/// source gets a stream of its own (``addStream(_:)``), which derives its keys once more.
///
/// What libsrtp 2.5 is kept from, because it handles it badly: keys are not changed within an `srtp_t`
/// (`srtp_update_stream` keeps the rollover counter and forgets which packets of the window have come, so that they could be
/// replayed), and an RTCP packet without its E bit is never shown to it (one of 2 KB would spoil the GCM cipher's associated
/// data for good).
///
/// One owner, on any thread, one call at a time.
@safe
final class SRTPContext: @unchecked Sendable {
    // Sendable by hand: whoever has it calls it from one thread at a time, and libsrtp keeps nothing in the thread.
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
            // The library keeps the session, and nothing of the policy.
            unsafe srtp_create(&session, policy)
        }
        guard status == srtp_err_status_ok, let session = unsafe session else {
            throw .libraryFailed(code: status.rawValue)
        }
        unsafe self.session = session
    }

    deinit {
        // Frees the streams, and overwrites what was derived from the key.
        unsafe srtp_dealloc(session)
    }

    // MARK: Streams

    /// Gives a source a stream of its own, where it has none; `false` if the library cannot.
    func addStream(_ source: SSRC) -> Bool {
        unsafe SRTPContext.withPolicy(key, ssrc_specific, source, windowPacketCount) { policy in
            // Nothing of the policy is kept.
            unsafe srtp_add_stream(session, policy)
        } == srtp_err_status_ok
    }

    /// Takes a source's stream away.
    func removeStream(_ source: SSRC) {
        // The library takes the SSRC as it is on the wire here.
        unsafe srtp_remove_stream(session, source.rawValue.bigEndian)
    }

    /// What the next RTP packet of a source's stream has as rollover counter, if the stream has seen none yet.
    func setRolloverCounter(_ counter: UInt32, of source: SSRC) {
        // And as a number here.
        unsafe srtp_set_stream_roc(session, source.rawValue, counter)
    }

    // MARK: Packets

    /// Protects the `count` bytes at `base`, behind which there is room for what is added.
    @unsafe func protect(_ kind: PacketKind, _ base: UnsafeMutablePointer<UInt8>, _ count: inout Int) -> SRTPStatus {
        var length = Int32(truncatingIfNeeded: count)
        let status =
            unsafe kind == .rtcp
            ? srtp_protect_rtcp(session, base, &length) : srtp_protect(session, base, &length)
        count = Int(length)
        return SRTPStatus(status)
    }

    /// Opens the `count` bytes at `base`. What they are afterwards, if that failed, is not defined.
    @unsafe func unprotect(_ kind: PacketKind, _ base: UnsafeMutablePointer<UInt8>, _ count: inout Int) -> SRTPStatus {
        var length = Int32(truncatingIfNeeded: count)
        let status =
            unsafe kind == .rtcp
            ? srtp_unprotect_rtcp(session, base, &length) : srtp_unprotect(session, base, &length)
        count = Int(length)
        return SRTPStatus(status)
    }

    // MARK: Making

    private static func withPolicy(
        _ key: SRTPKey, _ kind: srtp_ssrc_type_t, _ source: SSRC, _ windowPacketCount: Int,
        _ body: (UnsafePointer<srtp_policy_t>) -> srtp_err_status_t
    ) -> srtp_err_status_t {
        var policy = unsafe srtp_policy_t()
        unsafe policy.ssrc = srtp_ssrc_t(type: kind, value: source.rawValue)
        unsafe setCiphers(key.profile, &policy)
        unsafe policy.window_size = UInt(windowPacketCount)
        // GCM's secret is lost with the second packet under one number: not even the same packet is protected twice.
        unsafe policy.allow_repeat_tx = 0
        return key.withKeyAndSalt { bytes in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                // The library reads the key during the call, and does not write it.
                unsafe policy.key = UnsafeMutablePointer(mutating: bytes.baseAddress)
                defer { unsafe policy.key = nil }
                return unsafe withUnsafePointer(to: policy) { unsafe body($0) }
            }
        }
    }

    private static func setCiphers(_ profile: SRTPProfile, _ policy: inout srtp_policy_t) {
        // All of them write the structure that they are given, and keep nothing of it.
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

/// The library's own tables, made once for the process and never taken down: other users of it may be in the same process.
private let libraryStatus: srtp_err_status_t = srtp_init()

/// Where somebody else in the process has made them before, the library answers that a module is there already. Were it anything worse,
/// making a session would fail.
private var libraryIsReady: Bool { libraryStatus == srtp_err_status_ok || libraryStatus == srtp_err_status_bad_param }
