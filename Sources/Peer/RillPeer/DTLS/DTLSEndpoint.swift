public import RillCore
import RillRTP

/// One end of DTLS 1.2: agrees with the peer on keys for SRTP, and carries data (RFC 6347, RFC 5764).
///
/// Insert datagrams, and call ``poll(at:into:)`` until it returns `wait`; poll again at that time:
///
/// ```swift
/// let certificate = try DTLSCertificate(wallClock: secondsSince1970)  // signal its fingerprint
/// let endpoint = DTLSEndpoint(.client, certificate: certificate)
/// endpoint.setRemoteFingerprints([theirs], at: now)                   // they came by signaling
/// endpoint.begin(at: now)                                             // once ICE has a path
/// …
/// if DatagramKind(of: datagram) == .dtls { endpoint.insert(datagram, at: now) }
/// work: while true {                                                  // after each insertion, and at `wakeUp`
///     switch endpoint.poll(at: now, into: &bytes) {
///     case .transmit: socket.send(bytes, to: path.remote)
///     case .event(.connected):
///         if let keys = endpoint.srtpKeys { session.protect(keys) }
///     case .event(let event): app.handle(event)
///     case .wait(until: let time): wakeUp = time; break work
///     }
/// }
/// ```
///
/// The peer must show a certificate, in both roles, and it must be one that signaling named. Until that is known, no
/// key is given out, and no data is sent or passed on. Ciphers are AEADs with forward secrecy; there is no
/// renegotiation, no resumption and no compression. A peer without SRTP is refused.
///
/// Any input bytes are safe. But before the keys are agreed, DTLS does not authenticate: anyone who can send from the
/// peer's address can make the handshake fail. So insert only what comes from an address that ICE has validated.
/// OpenSSL bounds what it keeps of a peer: ten messages of 16 KB and a hundred records that came too early, 2 MB at
/// most. A connection in good order takes about 70 KB, and a handshake about half a millisecond of a core on each side.
///
/// It has one owner, and no thread, clock or socket; `now` must not go back. Random numbers are OpenSSL's own.
public final class DTLSEndpoint {
    /// The role.
    public let role: DTLSRole
    /// Times and limits.
    public let settings: DTLSSettings
    /// This side's certificate.
    public let certificate: DTLSCertificate
    /// The state.
    public private(set) var state = DTLSState.new

    /// Made when the handshake begins: a peer that never comes costs no memory of OpenSSL's.
    private lazy var connection = makeConnection()
    /// The fingerprints of ``setRemoteFingerprints(_:at:)``, for a handshake that has not begun.
    private var fingerprints: [DTLSFingerprint] = []
    private var wire: DTLSWire { connection.wire }
    private var events: [DTLSEvent] = []
    /// When the last poll had nothing to do, until when; in the past after any other call.
    @safe @exclusivity(unchecked) private(set) var restTime = MediaTime(nanoseconds: .min)
    /// When the handshake began.
    private var startTime: MediaTime?
    /// The keys, from the end of the handshake on, whatever the fingerprint. They must not be given out.
    private var agreedKeys: DTLSSRTPKeys?

    /// The largest datagram that is read, in bytes: a record, and what may be added to it.
    public static let maximumDatagramByteCount = 16_384 + 256

    /// Creates an endpoint.
    ///
    /// - Parameters:
    ///   - role: the role; offer and answer determine it (RFC 8842 §5).
    ///   - certificate: this side's certificate.
    ///   - settings: times and limits.
    public init(_ role: DTLSRole, certificate: DTLSCertificate, settings: DTLSSettings = DTLSSettings()) {
        precondition((256...16_384).contains(settings.maximumTransmissionUnit), "the MTU is 256 to 16384 bytes")
        precondition(!settings.srtpProfiles.isEmpty, "there is no profile of SRTP")
        precondition(settings.maximumQueueCount > 0 && settings.retransmissionTimeout > .zero, "a limit is 0")
        self.role = role
        self.certificate = certificate
        self.settings = settings
    }

    private func makeConnection() -> DTLSConnection {
        let made = DTLSConnection(role, certificate, settings)
        made.wire.fingerprints = fingerprints
        return made
    }

    /// Whether the handshake has begun.
    private var hasBegun: Bool { startTime != nil }

    // MARK: The peer

    /// Sets the fingerprints of which the peer's certificate must have one: all those of its description. Of several
    /// hash functions only the strongest counts (RFC 8122 §5).
    ///
    /// They may come after the handshake, as an answer may come after the datagrams of the peer.
    ///
    /// - Parameters:
    ///   - fingerprints: at least one.
    ///   - now: the current time.
    public func setRemoteFingerprints(_ fingerprints: [DTLSFingerprint], at now: MediaTime) {
        precondition(!fingerprints.isEmpty, "without a fingerprint, anyone may be the peer")
        // A connection stays with the certificate that it has.
        guard state == .new || state == .connecting else { return }
        rouse()
        self.fingerprints = fingerprints
        guard hasBegun else { return }
        wire.fingerprints = fingerprints
        wire.now = now
        verify()
    }

    /// The keys of SRTP, from when the state becomes `connected`. They stay when the connection is closed, but not if
    /// it fails.
    public private(set) var srtpKeys: DTLSSRTPKeys?

    /// The fingerprint, of SHA-256, of the certificate that the peer showed. It says nothing about who the peer is.
    public var remoteFingerprint: DTLSFingerprint? { hasBegun ? connection.remoteFingerprint : nil }

    /// The cipher, once it is agreed: `TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256`.
    public var cipherName: String? { hasBegun ? connection.cipherName : nil }

    // MARK: Datagrams and time

    /// Begins the handshake: a client sends its first message, and the time of ``DTLSSettings/handshakeTimeout`` runs.
    /// A server that receives a datagram begins by itself.
    ///
    /// - Parameter now: the current time.
    public func begin(at now: MediaTime) {
        guard state == .new else { return }
        rouse()
        startTime = now
        wire.now = now
        state = .connecting
        proceed()
    }

    /// Takes a datagram; poll afterwards.
    ///
    /// - Parameters:
    ///   - datagram: any bytes.
    ///   - now: the current time.
    /// - Returns: what became of it.
    @discardableResult
    public func insert(_ datagram: Span<UInt8>, at now: MediaTime) -> DTLSInsertResult {
        guard DatagramKind(of: datagram) == .dtls else { return .notDTLS }
        guard datagram.count <= DTLSEndpoint.maximumDatagramByteCount else { return .tooLarge }
        begin(at: now)
        guard state == .connecting || state == .connected else { return .ended }
        rouse()
        wire.now = now
        let records = DTLSRecords.readable(
            in: datagram, overhead: connection.recordOverhead, isVersionKnown: isHandshakeDone)
        guard !records.isEmpty else { return .taken }
        wire.incoming = records
        proceed()
        // OpenSSL may have failed before it read the datagram.
        wire.incoming = nil
        return .taken
    }

    /// Returns what to do at `now`. Call it until it returns `wait`.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - bytes: receives the datagram to transmit. Pass the same array each time: its memory is reused.
    /// - Returns: the action.
    public func poll(at now: MediaTime, into bytes: inout [UInt8]) -> DTLSAction {
        if hasBegun { wire.now = now }
        if state == .connecting || state == .connected { expireTimers(at: now) }
        if !events.isEmpty { return .event(events.removeFirst()) }
        if hasBegun, !wire.outgoing.isEmpty {
            let datagram = wire.outgoing.removeFirst()
            bytes.removeAll(keepingCapacity: true)
            bytes.append(contentsOf: datagram)
            return .transmit
        }
        restTime = wakeTime
        return .wait(until: restTime)
    }

    /// Notes that something happened: the next poll may have something to do.
    private func rouse() { restTime = MediaTime(nanoseconds: .min) }

    /// When to poll, if nothing is inserted before.
    public var wakeTime: MediaTime {
        if !events.isEmpty || hasBegun && !wire.outgoing.isEmpty { return MediaTime(nanoseconds: .min) }
        guard state == .connecting || state == .connected else { return .distantFuture }
        return min(wire.timer.deadline ?? .distantFuture, handshakeDeadline ?? .distantFuture)
    }

    // MARK: Data

    /// The most bytes of a message of ``send(_:at:)``, so that it fits a datagram; 0 before the handshake is done.
    public var maximumDataByteCount: Int { agreedKeys == nil ? 0 : connection.maximumDataByteCount }

    /// Sends a message, in a datagram of its own. It may be lost, or overtaken by others.
    ///
    /// - Parameters:
    ///   - data: one to ``maximumDataByteCount`` bytes.
    ///   - now: the current time.
    /// - Throws: `notConnected`, `dataTooLarge` or `libraryFailed`.
    public func send(_ data: Span<UInt8>, at now: MediaTime) throws(DTLSError) {
        guard state == .connected else { throw .notConnected(state) }
        let limit = maximumDataByteCount
        guard data.count <= limit else { throw .dataTooLarge(byteCount: data.count, limit: limit) }
        guard !data.isEmpty else { return }
        rouse()
        wire.now = now
        try connection.write(data)
    }

    /// Closes the connection: the peer is sent close_notify. It may be lost.
    ///
    /// - Parameter now: the current time.
    public func close(at now: MediaTime) {
        guard state != .closed, state != .failed else { return }
        rouse()
        if hasBegun {
            wire.now = now
            connection.close()
        }
        state = .closed
    }
}

extension DTLSEndpoint {
    private var isHandshakeDone: Bool { agreedKeys != nil }

    private var handshakeDeadline: MediaTime? {
        state == .connecting ? startTime.map { $0 + settings.handshakeTimeout } : nil
    }

    /// Lets OpenSSL do what it can.
    private func proceed() {
        if !isHandshakeDone {
            switch connection.handshake() {
            case .done: finishHandshake()
            case .waiting: break
            case .closed: fail(.alertReceived(.closeNotify))
            case .failed(let error): fail(error)
            }
        }
        if isHandshakeDone, state == .connecting || state == .connected { readData() }
        noteWarnings()
    }

    private func noteWarnings() {
        for alert in wire.warnings { note(.warning(alert)) }
        wire.warnings = []
    }

    private func finishHandshake() {
        do throws(DTLSError) {
            agreedKeys = try connection.srtpKeys(role)
        } catch {
            // There is no alert for a peer without the extension: it is told that the connection ends.
            connection.close()
            return fail(error)
        }
        verify()
    }

    /// Compares the certificate of the peer with the fingerprints, as soon as both are known.
    private func verify() {
        guard state == .connecting, isHandshakeDone, !wire.fingerprints.isEmpty else { return }
        if connection.hasAcceptableCertificate() {
            srtpKeys = agreedKeys
            state = .connected
            events.append(.connected)
        } else if let presented = wire.refused {
            connection.close()
            fail(.wrongFingerprint(presented))
        }
    }

    /// Reads what has come. Data of a peer that is not known to be the right one is dropped.
    private func readData() {
        while true {
            let outcome = connection.read { data in
                if state == .connected { note(.data(data)) }
            }
            switch outcome {
            case .done: continue
            case .waiting: return
            case .closed:
                // The answer to close_notify (RFC 5246 §7.2.1).
                connection.close()
                if state == .connecting { return fail(.alertReceived(.closeNotify)) }
                state = .closed
                events.append(.closed)
                return
            case .failed(let error): return fail(error)
            }
        }
    }

    private func expireTimers(at now: MediaTime) {
        if let deadline = handshakeDeadline, deadline <= now, let startTime {
            let reached = isHandshakeDone ? "the peer's fingerprint is not known" : connection.stateName
            return fail(.timedOut(after: now - startTime, reached: reached))
        }
        if case .failed(let error) = connection.retransmit() { fail(error) }
    }

    private func note(_ event: DTLSEvent) {
        if events.count < settings.maximumQueueCount { events.append(event) }
    }

    private func fail(_ error: DTLSError) {
        noteWarnings()
        state = .failed
        (agreedKeys, srtpKeys) = (nil, nil)
        events.append(.failed(error))
    }
}

/// The records of a datagram (RFC 6347 §4.1).
package enum DTLSRecords {
    private static let headerByteCount = 13

    /// Whether the first record of a datagram is encrypted: its epoch is not 0.
    static func isEncrypted(_ datagram: Span<UInt8>) -> Bool {
        datagram.count >= headerByteCount && (datagram[3] != 0 || datagram[4] != 0)
    }

    /// The records of a datagram that OpenSSL may read: whole ones of the right version, not shorter than what the
    /// cipher adds. Others are invalid, and dropped silently (RFC 6347 §4.1.2.7): nobody has authenticated them, and
    /// OpenSSL 3.0 can report an error for them that ends the connection.
    ///
    /// - Parameters:
    ///   - datagram: any bytes. What follows a record that the datagram does not hold whole is dropped.
    ///   - overhead: the bytes that the cipher adds to a record.
    ///   - isVersionKnown: whether the handshake is done, and all records have the version that was negotiated. The
    ///     first ones may have that of DTLS 1.0 (§4.2.1).
    package static func readable(in datagram: Span<UInt8>, overhead: Int, isVersionKnown: Bool) -> [UInt8] {
        var records: [UInt8] = []
        records.reserveCapacity(datagram.count)
        var start = 0
        while start + headerByteCount <= datagram.count {
            let byteCount = Int(datagram[start + 11]) << 8 | Int(datagram[start + 12])
            let end = start + headerByteCount + byteCount
            guard end <= datagram.count else { break }
            let isEncrypted = datagram[start + 3] != 0 || datagram[start + 4] != 0
            // DTLS 1.2 is 254.253, and DTLS 1.0 is 254.255.
            let hasVersion =
                datagram[start + 1] == 254
                && (datagram[start + 2] == 253 || !isVersionKnown && datagram[start + 2] == 255)
            if hasVersion, !isEncrypted || byteCount >= overhead {
                records.append(copying: datagram.extracting(start..<end))
            }
            start = end
        }
        return records
    }
}
