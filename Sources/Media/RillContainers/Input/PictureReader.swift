internal import CFFmpeg

/// Reads and decodes a file's pictures, and counts rejected packets.
///
/// Single owner.
final class PictureReader {
    let input: ContainerInput
    let decoder: TrackDecoder
    let manner: TrackDecoder.Manner
    /// The number of packets that the decoder rejected, and its message for the first.
    private(set) var packetsRejected = 0
    private(set) var firstRejection: String?
    /// Whether the demuxer or the decoder has reported damage.
    private(set) var hasSeenDamage = false
    /// Whether the latest picture has concealed errors.
    private(set) var isPatched = false
    /// Why the container ended early.
    private(set) var failure: String?
    /// Whether the container has ended or failed; the decoder may still hold pictures.
    private var isDrained = false
    private var awaited = AwaitedTimestamps()
    private var layers = LowerLayers()

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - packets: how many of the video's packets to read without decoding. Reading instead of seeking leaves the
    ///     demuxer in the same state as a reading from the start.
    ///   - manner: how the decoder treats damage.
    /// - Throws: ``ContainerError``.
    init(path: String, skipping packets: Int = 0, _ manner: TrackDecoder.Manner) throws(ContainerError) {
        input = try ContainerInput(path: path)
        decoder = try TrackDecoder(input, manner)
        self.manner = manner
        for _ in 0..<packets {
            guard case .packet = unsafe input.next({ _ in }) else { break }
        }
    }

    enum Step {
        case picture, end
    }

    /// Decodes until there is a picture, and passes it to `body`.
    @unsafe
    func next(_ body: (UnsafeMutablePointer<AVFrame>) -> Void) -> Step {
        while true {
            var isLowerLayer = false
            let outcome = unsafe decoder.receive { picture in
                let hasErrors = unsafe picture.pointee.decode_error_flags != 0
                isPatched = unsafe hasErrors || picture.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0
                let time = unsafe picture.pointee.best_effort_timestamp
                let stamp = time == CFFmpeg_no_time ? nil : time
                isLowerLayer = layers.takeLower(at: stamp)
                guard !isLowerLayer else { return }
                let isDue = awaited.remove(stamp)
                hasSeenDamage = hasSeenDamage || isPatched || !isDue
                unsafe body(picture)
            }
            switch outcome {
            case .done where isLowerLayer: continue
            case .done: return .picture
            case .end:
                if !awaited.isEmpty { hasSeenDamage = true }
                return .end
            case .needsMore: readOn()
            case .failed(let reason): note(reason)
            }
        }
    }

    /// Passes the next packet to the decoder, or signals that there are no more.
    private func readOn() {
        var outcome = TrackDecoder.Outcome.done
        // The packet belongs to the input until the closure returns.
        let step =
            isDrained
            ? .end
            : unsafe input.next { packet in
                if unsafe packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 { hasSeenDamage = true }
                if unsafe decoder.shows(packet) {
                    let time = unsafe packet.pointee.pts
                    let stamp = time == CFFmpeg_no_time ? nil : time
                    if !awaited.add(stamp) { hasSeenDamage = true }
                    layers.add(unsafe decoder.pictureCount(packet) - 1, at: stamp)
                }
                unsafe outcome = decoder.send(packet)
            }
        switch step {
        case .packet: break
        case .end: drain()
        case .failed(let reason):
            failure = reason
            drain()
        }
        if case .failed(let reason) = outcome { note(reason) }
    }

    private func drain() {
        isDrained = true
        _ = unsafe decoder.send(nil)
    }

    private func note(_ reason: String) {
        hasSeenDamage = true
        packetsRejected += 1
        firstRejection = firstRejection ?? reason
    }
}
