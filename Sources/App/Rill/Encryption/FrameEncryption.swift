import RillCore
public import RillSecurity

/// The end-to-end encryption of a call: frames are encrypted before they are cut into packets, and decrypted when they
/// are whole again. Servers that forward the packets cannot read them (SFrame, RFC 9605).
///
/// ```swift
/// var settings = VideoCallSettings()
/// settings.encryption = try FrameEncryption(secret: "correct horse battery staple", room: "monday")
/// …
/// try settings.encryption?.change(to: SFrameSecret("another secret", room: "monday"))  // somebody must not read on
/// ```
///
/// All members need the same secret, room and suite. A frame that cannot be opened is not decoded; it is counted by its
/// reason (``ReceiveStatistics/opened``) and reported (``CallEvent/unopened(_:_:_:)``). What is protected from whom,
/// and what is not, is in <doc:EndToEndEncryption>.
///
/// Each object is one sender: its number is drawn, and its counter is never used twice. One object serves one call.
///
/// Threads: all methods may be called from any thread, except by the ``/RillSecurity/SFrameKeys`` that it asks, which
/// are called on threads of media.
public final class FrameEncryption: Sendable {
    private let sealer: ExclusiveUse<Sealer>
    private let opener: ExclusiveUse<Opener>
    private let buffers = Monitor(Buffers())
    private let sealed = Monitor(SFrameSealStatistics())
    private let opened = Monitor(SFrameOpenStatistics())

    private final class Sealer {
        var value: SFrameSealer

        init(_ value: consuming SFrameSealer) { self.value = value }
    }

    private final class Opener {
        var value: SFrameOpener

        init(_ value: consuming SFrameOpener) { self.value = value }
    }

    /// Buffers for protected frames that no thread uses: one for each layer that was sent at a time.
    private struct Buffers: ~Copyable {
        var free: [FrameBuffer] = []
    }

    /// Encryption with keys of the app's.
    ///
    /// - Parameters:
    ///   - keys: who has the keys. The first one that is asked for is ours.
    ///   - suite: the cipher suite: AES-128-GCM or AES-256-GCM.
    ///   - sender: our number, less than 2^61, where the app's keys go by numbers of its own: one that nobody has used
    ///     with these keys, this app before its restart neither. `nil` draws one.
    /// - Throws: `noSendingKey`, `openSSLFailed`.
    public init(
        _ keys: any SFrameKeys, _ suite: SFrameSuite = .aes128GCM, sender: UInt64? = nil
    ) throws(SecurityError) {
        var generator = SystemRandomNumberGenerator()
        let id = sender.map { SFrameKeyID(sender: $0) } ?? .random(using: &generator)
        sealer = ExclusiveUse(Sealer(try SFrameSealer(keys, id, suite)))
        opener = ExclusiveUse(Opener(SFrameOpener(keys, suite, own: id.sender)))
    }

    /// Encryption by a secret that all members share: ``/RillSecurity/SFrameSecret``, which says how weak typed ones
    /// are.
    ///
    /// It takes a quarter of a second: call it where that does not matter.
    ///
    /// - Parameters:
    ///   - secret: at least one character.
    ///   - room: the room's name, which all members use.
    ///   - suite: the cipher suite: AES-128-GCM or AES-256-GCM.
    /// - Throws: `secretTooShort`, `openSSLFailed`.
    public convenience init(
        secret: String, room: String, _ suite: SFrameSuite = .aes128GCM
    ) throws(SecurityError) {
        try self.init(SFrameSecret(secret, room: room), suite)
    }

    /// The KID of our next frame. Its sender's number is how others know our frames.
    public var keyID: SFrameKeyID { sealer.use { $0.value.keyID } }

    /// What became of our frames.
    public var sealStatistics: SFrameSealStatistics { sealed.withLock { $0 } }
    /// What became of the others' frames.
    public var openStatistics: SFrameOpenStatistics { opened.withLock { $0 } }

    /// Goes on with the key of the next epoch, from our next frame on. No frame is lost by it.
    ///
    /// - Throws: `noSendingKey`, `openSSLFailed`. The former key remains in use.
    public func rotate() throws(SecurityError) {
        try sealer.use { (sealer) throws(SecurityError) in try sealer.value.rotate() }
        noteSealing()
    }

    /// Goes on with other keys: from our next frame on, and for others' frames whose KID is new. Frames that are still
    /// on their way open with the former ones, until ``removeFormerKeys()``.
    ///
    /// - Throws: `noSendingKey`, `openSSLFailed`. The former keys remain in use.
    public func change(to keys: any SFrameKeys) throws(SecurityError) {
        // Others may answer with theirs as soon as they see ours.
        opener.use { $0.value.change(to: keys) }
        try sealer.use { (sealer) throws(SecurityError) in try sealer.value.change(to: keys) }
        noteSealing()
    }

    /// Drops the keys from before the last change: call it when all members have the new ones, for example after two
    /// seconds.
    public func removeFormerKeys() { opener.use { $0.value.removeFormerKeys() } }

    private func noteSealing() {
        let statistics = sealer.use { $0.value.statistics }
        sealed.withLock { $0 = statistics }
    }

    /// Calls `body` with the protected frame; `nil` without a call if it could not be protected: then nothing is sent.
    package func seal<Result>(
        _ frame: Span<UInt8>, _ media: SFrameMedia, _ body: (Span<UInt8>) throws -> Result
    ) rethrows -> Result? {
        let buffer = buffers.withLock { $0.free.popLast() } ?? FrameBuffer()
        defer { buffers.withLock { $0.free.append(buffer) } }
        let (outcome, statistics) = sealer.use { sealer in
            var outcome = SFrameSealOutcome.failed
            buffer.fill(frame.count + sealer.value.overhead) { output in
                outcome = sealer.value.seal(frame, media, into: &output)
            }
            return (outcome, sealer.value.statistics)
        }
        sealed.withLock { $0 = statistics }
        guard case .sealed = outcome else { return nil }
        return try buffer.withBytes(body)
    }

    /// Fills `buffer` with the frame that a protected one holds, if it opens.
    package func open(
        _ protected: Span<UInt8>, _ media: SFrameMedia, into buffer: FrameBuffer
    ) -> SFrameOpenOutcome {
        let (outcome, statistics) = opener.use { opener in
            var outcome = SFrameOpenOutcome.failed
            buffer.fill(protected.count) { output in outcome = opener.value.open(protected, media, into: &output) }
            return (outcome, opener.value.statistics)
        }
        opened.withLock { $0 = statistics }
        return outcome
    }
}
