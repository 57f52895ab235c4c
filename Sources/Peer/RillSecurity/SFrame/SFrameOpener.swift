import RillCore

/// Opens the frames of other members of a room, as they come out of the jitter buffer: SFrame (RFC 9605).
///
/// ```swift
/// var opener = SFrameOpener(secret, own: sealer.keyID.sender)
/// switch opener.open(frame, .picture, into: &output) {
/// case .opened(let id): decode(output.span)       // id.sender sent it
/// case let refused: log(refused)                  // nothing was appended: decode nothing
/// }
/// ```
///
/// It may open the frames of one member, or of all. A KID's key is asked for when its first frame arrives, and kept
/// once a frame has opened with it: frames that nobody with a key made take no place in its table. A frame that was
/// opened does not open again, in the window of its key (1024 frames).
///
/// Ownership: one owner, on any thread, one call at a time. It reads no clock. Its memory is bounded by the number of
/// keys; it allocates nothing for a frame whose key it has.
///
/// Cost: 17,700 instructions for a frame of 6 kB, 19,600 with AES-256. A key that it does not have yet is derived for
/// each frame until one opens.
public struct SFrameOpener: ~Copyable, Sendable {
    /// The cipher suite.
    public let suite: SFrameSuite
    /// Statistics since the start.
    public private(set) var statistics = SFrameOpenStatistics()
    private var keys: any SFrameKeys
    private let own: UInt64?
    private let keyLimit: Int
    private var entries: [Entry] = []
    /// Counts the frames that were opened, to know which key was used last.
    private var uses: UInt64 = 0

    private struct Entry: Sendable {
        let id: SFrameKeyID
        let key: SFrameKey
        let cipher: SFrameCipher
        var window = FrameReplayWindow()
        var lastUse: UInt64 = 0
        /// Whether other keys were set since.
        var isFormer = false
    }

    /// The most keys that are kept by default: eight epochs each of the seventeen members of a room.
    public static let defaultKeyLimit = 136

    /// An opener that asks these keys.
    ///
    /// - Parameters:
    ///   - keys: who has the keys.
    ///   - suite: the cipher suite.
    ///   - own: the number of our own sender, whose frames are refused: they could only come back.
    ///   - keyLimit: how many keys are kept, 1 at least; the one that was not used for longest is dropped. A key that
    ///     comes back has forgotten which frames it opened.
    public init(
        _ keys: any SFrameKeys, _ suite: SFrameSuite = .aes128GCM, own: UInt64? = nil, keyLimit: Int = defaultKeyLimit
    ) {
        precondition(keyLimit > 0, "an opener keeps a key")
        (self.keys, self.suite, self.own, self.keyLimit) = (keys, suite, own, keyLimit)
    }

    /// The number of keys that are kept.
    public var keyCount: Int { entries.count }

    /// Appends the frame that a protected one holds. Traps unless `output` has room for as many bytes as the protected
    /// frame has.
    ///
    /// - Parameters:
    ///   - protected: the bytes that arrived.
    ///   - media: what they are of.
    ///   - output: gets the frame; nothing unless it is opened.
    @_lifetime(output: copy output)
    public mutating func open(
        _ protected: Span<UInt8>, _ media: SFrameMedia, into output: inout OutputSpan<UInt8>
    ) -> SFrameOpenOutcome {
        precondition(
            output.freeCapacity >= protected.count, "\(protected.count) bytes, room for \(output.freeCapacity)")
        let outcome = attempt(protected, media, into: &output)
        statistics.count(outcome)
        return outcome
    }

    @_lifetime(output: copy output)
    private mutating func attempt(
        _ protected: Span<UInt8>, _ media: SFrameMedia, into output: inout OutputSpan<UInt8>
    ) -> SFrameOpenOutcome {
        guard !protected.isEmpty else { return .malformed }
        let last = protected[protected.count - 1]
        guard let layout = SFrameLayout(last: last, media) else { return .unknownLayout(last) }
        let body = protected.extracting(droppingLast: SFrameLayout.trailerByteCount)
        guard body.count >= layout.clearByteCount else { return .malformed }
        let head = body.extracting(first: layout.clearByteCount)
        let rest = body.extracting(droppingFirst: layout.clearByteCount)
        guard let (header, byteCount) = SFrameHeader.parse(rest) else { return .malformed }
        let (written, text) = (rest.extracting(first: byteCount), rest.extracting(droppingFirst: byteCount))
        // Of a frame that is shorter than the head nothing is encrypted.
        guard text.count >= suite.tagByteCount, last == 0 || text.count == suite.tagByteCount else { return .malformed }
        let id = header.keyID
        guard id.sender != own else { return .reflected }

        let place = entries.firstIndex { $0.id == id }
        var refusal = SFrameOpenOutcome.noKey(id)
        if let place {
            switch entries[place].window.check(header.counter) {
            case .new:
                if entries[place].cipher.open(text, written, head, header.counter, into: &output) {
                    record(header.counter, at: place)
                    return .opened(id)
                }
                refusal = .wrongKey(id)
            case .replayed: refusal = .replayed(id)
            case .tooOld: refusal = .tooOld(id)
            }
        }
        // Another key may have the KID by now: then what was opened with the former one says nothing.
        guard let key = keys.key(for: id), place.map({ !entries[$0].key.bytes.isEqual(to: key.bytes) }) ?? true else {
            return refusal
        }
        guard let cipher = SFrameCipher(key, id, suite, isSealing: false) else { return .failed }
        guard cipher.open(text, written, head, header.counter, into: &output) else {
            return place == nil ? .wrongKey(id) : refusal
        }
        record(header.counter, at: keep(Entry(id: id, key: key, cipher: cipher), at: place))
        return .opened(id)
    }

    /// Keeps a key that has opened a frame, at that place or a new one; returns the place.
    private mutating func keep(_ entry: Entry, at place: Int?) -> Int {
        statistics.keysTaken += 1
        if let place {
            entries[place] = entry
            return place
        }
        if entries.count == keyLimit,
            let oldest = entries.indices.min(by: { entries[$0].lastUse < entries[$1].lastUse })
        {
            statistics.keysDropped += 1
            entries[oldest] = entry
            return oldest
        }
        entries.append(entry)
        return entries.count - 1
    }

    private mutating func record(_ counter: UInt64, at place: Int) {
        entries[place].window.record(counter)
        uses += 1
        entries[place].lastUse = uses
    }

    /// Asks other keys for KIDs that are new, from the next frame on. Frames that are still on their way open with the
    /// keys that were kept, until ``removeFormerKeys()``.
    public mutating func change(to keys: any SFrameKeys) {
        self.keys = keys
        for place in entries.indices { entries[place].isFormer = true }
    }

    /// Drops the keys that were kept before the last ``change(to:)``: who has only those is not believed any longer.
    public mutating func removeFormerKeys() { entries.removeAll(where: \.isFormer) }
}

/// The outcome of opening a frame. All cases but the first leave the output as it was.
public enum SFrameOpenOutcome: Hashable, Sendable {
    /// The frame was appended. Somebody who has the KID's key made it.
    case opened(SFrameKeyID)
    /// There is no key for the KID, or none yet.
    case noKey(SFrameKeyID)
    /// The key for the KID does not fit: it is another one, or the frame was changed on its way.
    case wrongKey(SFrameKeyID)
    /// A frame of the KID with that number was opened before.
    case replayed(SFrameKeyID)
    /// The frame's number is further before the newest than the window.
    case tooOld(SFrameKeyID)
    /// The frame has the number of our own sender.
    case reflected
    /// The last byte is not one of this version: a frame in the clear, or of a later version.
    case unknownLayout(UInt8)
    /// The bytes are too few, or their header is not one.
    case malformed
    /// OpenSSL failed.
    case failed
}

extension SFrameCipher {
    /// Appends the clear head and the plaintext of a frame; nothing unless it is authentic.
    @_lifetime(output: copy output)
    fileprivate func open(
        _ text: Span<UInt8>, _ header: Span<UInt8>, _ head: Span<UInt8>, _ counter: UInt64,
        into output: inout OutputSpan<UInt8>
    ) -> Bool {
        let start = output.count
        output.append(copying: head)
        let isOpened = open(text, header: header, metadata: head, counter: counter, into: &output)
        if !isOpened { output.removeLast(output.count - start) }
        return isOpened
    }
}

extension SFrameOpenOutcome {
    /// Whether the frame was opened.
    public var isOpened: Bool { if case .opened = self { true } else { false } }
}

/// Statistics of an ``SFrameOpener`` since its start: frames by their outcome.
public struct SFrameOpenStatistics: Codable, Hashable, Sendable {
    /// Frames opened.
    public var opened = 0
    /// Frames for whose KID there was no key.
    public var noKey = 0
    /// Frames whose key did not fit, or that were changed on their way.
    public var wrongKey = 0
    /// Frames that were opened before.
    public var replayed = 0
    /// Frames too far before the newest.
    public var tooOld = 0
    /// Our own frames, come back.
    public var reflected = 0
    /// Frames in the clear, or of another version.
    public var unknownLayout = 0
    /// Frames that are too short, or whose header is not one.
    public var malformed = 0
    /// Frames on which OpenSSL failed.
    public var failed = 0
    /// Keys that opened their first frame.
    public var keysTaken = 0
    /// Keys dropped because there were too many.
    public var keysDropped = 0

    package init() {}

    /// Frames that were not opened.
    public var refused: Int {
        noKey + wrongKey + replayed + tooOld + reflected + unknownLayout + malformed + failed
    }

    /// Counts a frame by its outcome.
    package mutating func count(_ outcome: SFrameOpenOutcome) {
        switch outcome {
        case .opened: opened += 1
        case .noKey: noKey += 1
        case .wrongKey: wrongKey += 1
        case .replayed: replayed += 1
        case .tooOld: tooOld += 1
        case .reflected: reflected += 1
        case .unknownLayout: unknownLayout += 1
        case .malformed: malformed += 1
        case .failed: failed += 1
        }
    }
}
