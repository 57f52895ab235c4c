import CSRTP

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
