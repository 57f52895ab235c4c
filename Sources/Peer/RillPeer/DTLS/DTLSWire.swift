import COpenSSL
import Glibc
import RillCore

/// What the callbacks of one connection of OpenSSL's reach: its datagrams, its timer, the alerts, and the fingerprints.
///
/// As a BIO it keeps the bounds of datagrams: OpenSSL writes one at a time and reads one at a time. A BIO in memory
/// would join them.
@safe
final class DTLSWire {
    /// The time of the current call.
    var now = MediaTime.zero
    var timer: DTLSTimer
    /// The datagram that was inserted, until OpenSSL has read it.
    var incoming: [UInt8]?
    /// The datagrams to transmit, the oldest first.
    var outgoing: [[UInt8]] = []
    /// The alerts that the peer sent.
    var warnings: [DTLSAlert] = []
    private(set) var fatalAlertReceived: DTLSAlert?
    private(set) var fatalAlertSent: DTLSAlert?
    /// The fingerprints that the peer's certificate may have; empty if they are not known yet.
    var fingerprints: [DTLSFingerprint] = []
    /// The fingerprint of a certificate that has none of them.
    private(set) var refused: DTLSFingerprint?
    private let queueLimit: Int

    init(_ settings: DTLSSettings) {
        timer = DTLSTimer(settings)
        queueLimit = settings.maximumQueueCount
    }

    /// The wire of a connection.
    static func of(_ ssl: OpaquePointer?) -> DTLSWire? {
        // `attach` stored a reference that the owner of both keeps alive.
        unsafe SSL_get_ex_data(ssl, 0).map { unsafe Unmanaged<DTLSWire>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Makes this the wire of a connection, which must not outlive it.
    func attach(to ssl: OpaquePointer) -> Bool {
        guard let bio = unsafe BIO_new(DTLSWire.method.pointer) else { return false }
        // The owner keeps this object for longer than the connection.
        let reference = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe BIO_set_data(bio, reference)
        unsafe BIO_set_init(bio, 1)
        // The connection owns the BIO: one reference for both directions.
        unsafe SSL_set_bio(ssl, bio, bio)
        unsafe SSL_set_info_callback(ssl) { ssl, kind, value in
            unsafe DTLSWire.of(ssl)?.noteAlert(kind, value)
        }
        unsafe DTLS_set_timer_cb(ssl) { ssl, previous in
            unsafe DTLSWire.of(ssl)?.timer.nextInterval(after: previous) ?? 1_000_000
        }
        return unsafe SSL_set_ex_data(ssl, 0, reference) == 1
    }

    /// Whether the peer may have that certificate. If it is not known which it should have, that is found out later.
    func isAcceptable(_ certificate: OpaquePointer) -> Bool {
        guard !fingerprints.isEmpty else { return true }
        let expected = fingerprints.strongest
        // All of them are of one function. A certificate that OpenSSL cannot hash, for want of memory, is refused.
        guard let algorithm = expected.first?.algorithm,
            let presented = unsafe try? DTLSFingerprint(algorithm, of: certificate)
        else { return false }
        if expected.contains(presented) { return true }
        refused = presented
        return false
    }

    private func noteAlert(_ kind: Int32, _ value: Int32) {
        // The level in the upper byte, 2 for fatal ones, the description in the lower (RFC 5246 §7.2).
        let alert = DTLSAlert(rawValue: UInt8(truncatingIfNeeded: value))
        let isFatal = value >> 8 == 2
        if kind == COpenSSL_CB_WRITE_ALERT, isFatal { fatalAlertSent = alert }
        guard kind == COpenSSL_CB_READ_ALERT else { return }
        if isFatal {
            fatalAlertReceived = alert
        } else if alert != .closeNotify, warnings.count < queueLimit {
            warnings.append(alert)
        }
    }

    // MARK: The BIO

    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32? {
        guard let datagram = incoming else { return nil }
        incoming = nil
        // OpenSSL's buffer holds the largest record. As with a socket, what does not fit is lost.
        let count = min(datagram.count, buffer.count)
        unsafe buffer.copyBytes(from: datagram.prefix(count))
        return Int32(count)
    }

    fileprivate func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        if outgoing.count < queueLimit { unsafe outgoing.append(Array(bytes)) }
        return Int32(bytes.count)
    }

    fileprivate func control(_ command: Int32, _ argument: UnsafeMutableRawPointer?) -> Int {
        switch command {
        case BIO_CTRL_FLUSH: return 1
        case BIO_CTRL_DGRAM_SET_NEXT_TIMEOUT:
            guard let argument = unsafe argument else { return 0 }
            // The argument of this command is a `timeval` of OpenSSL's.
            unsafe timer.noteChanged(argument.assumingMemoryBound(to: timeval.self), at: now)
            return 1
        case BIO_CTRL_PENDING: return incoming?.count ?? 0
        // Among them the overhead of UDP, which is not part of our maximum.
        default: return 0
        }
    }

    private static let method = DatagramMethod()
}

/// The kind of BIO that a ``DTLSWire`` is, made once in a process and never freed.
@safe
private struct DatagramMethod: @unchecked Sendable {
    // Manually Sendable: it is not changed once it is made.
    let pointer: OpaquePointer

    init() {
        guard let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "datagrams of Rill") else {
            preconditionFailure("OpenSSL has no memory for a BIO's methods")
        }
        unsafe BIO_meth_set_read(method) { bio, bytes, count in
            unsafe BIO_clear_flags(bio, COpenSSL_BIO_READ_AGAIN)
            let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: Int(max(0, count)))
            if let count = unsafe DatagramMethod.wire(of: bio)?.read(into: buffer) { return count }
            unsafe BIO_set_flags(bio, COpenSSL_BIO_READ_AGAIN)
            return -1
        }
        unsafe BIO_meth_set_write(method) { bio, bytes, count in
            let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(max(0, count)))
            return unsafe DatagramMethod.wire(of: bio)?.write(buffer) ?? -1
        }
        unsafe BIO_meth_set_ctrl(method) { bio, command, _, argument in
            unsafe DatagramMethod.wire(of: bio)?.control(command, argument) ?? 0
        }
        unsafe pointer = method
    }

    private static func wire(of bio: OpaquePointer?) -> DTLSWire? {
        // `DTLSWire.attach` stored the reference, and the wire outlives the BIO.
        unsafe BIO_get_data(bio).map { unsafe Unmanaged<DTLSWire>.fromOpaque($0).takeUnretainedValue() }
    }
}

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
