import COpenSSL
import Glibc
import RillCore

/// When the flight of a handshake is retransmitted (RFC 6347 §4.2.4.1), by our time instead of OpenSSL's.
///
/// OpenSSL notes when its timer expires as a wall-clock time, which it reads itself: a handshake would not run in
/// virtual time, and would halt if an administrator set the clock back. But it tells its BIO where it notes that time,
/// as often as it starts or stops the timer. So the note is set to a time far ahead, and to one long past when the
/// timer expires here.
///
/// Since OpenSSL 3.2 the BIO gets a copy. Then ``expire(_:at:)`` finds the note unchanged, leaves it alone, and
/// OpenSSL's clock has to agree: both count the same intervals, so that it does within milliseconds, if time is real.
@safe
struct DTLSTimer {
    /// When the flight is to be retransmitted; `nil` while nothing is outstanding.
    private(set) var deadline: MediaTime?
    private var interval: MediaDuration
    private let first: MediaDuration
    private let limit: MediaDuration
    /// Where OpenSSL notes the time, in an object of the connection's.
    private var note: UnsafeMutablePointer<timeval>?

    /// A time in seconds that no clock shows.
    private static let farAhead = 1 << 40

    init(_ settings: DTLSSettings) {
        first = settings.retransmissionTimeout
        limit = settings.maximumRetransmissionTimeout
        interval = first
    }

    /// OpenSSL asks how long to wait: first, and then after each retransmission.
    ///
    /// - Parameter previous: how long it waited, in microseconds; 0 the first time.
    mutating func nextInterval(after previous: UInt32) -> UInt32 {
        interval = previous == 0 ? first : min(interval + interval, limit)
        return UInt32(clamping: interval.nanoseconds / 1000)
    }

    /// OpenSSL starts the timer, or stops it: then the note is 0.
    mutating func noteChanged(_ note: UnsafeMutablePointer<timeval>, at now: MediaTime) {
        guard unsafe note.pointee.tv_sec != 0 || note.pointee.tv_usec != 0 else {
            deadline = nil
            unsafe self.note = nil
            return
        }
        deadline = now + interval
        // During this call, the place is valid in all versions.
        unsafe note.pointee = timeval(tv_sec: DTLSTimer.farAhead, tv_usec: 0)
        unsafe self.note = note
    }

    /// Lets the timer of the connection expire.
    ///
    /// - Returns: whether it did by our time. Otherwise OpenSSL's clock decides.
    mutating func expire(_ ssl: OpaquePointer, at now: MediaTime) -> Bool {
        var left = timeval()
        // Only if OpenSSL has what was written is the place its own, which lives as long as the connection.
        guard let note = unsafe note, unsafe COpenSSL_get_timeout(ssl, &left) == 1, left.tv_sec > DTLSTimer.farAhead / 2
        else {
            // OpenSSL's clock may be a little behind.
            deadline = now + .milliseconds(10)
            return false
        }
        unsafe note.pointee = timeval(tv_sec: 0, tv_usec: 1)
        return true
    }
}
