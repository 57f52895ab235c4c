internal import CFFmpeg

/// A file's pictures as the decoder gives them: packets read, decoded, and what the decoder refuses counted.
///
/// Single owner.
final class PictureReader {
    let input: ContainerInput
    let decoder: TrackDecoder
    let manner: TrackDecoder.Manner
    /// Packets that the decoder refused, and why it refused the first.
    private(set) var packetsRefused = 0
    private(set) var firstRefusal: String?
    /// Whether the demuxer or the decoder has told of anything that is not whole.
    private(set) var hasSeenDamage = false
    /// Whether the newest picture is one that the decoder has patched up.
    private(set) var isPatched = false
    /// Why the container ended before its end.
    private(set) var failure: String?
    /// Whether the container has ended, or cannot be read on; the decoder may still have pictures.
    private var isDrained = false
    private var awaited = AwaitedStamps()

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - packets: how many of the video's packets are read and not decoded. Reading over them, not seeking, leaves the
    ///     demuxer in the very state that it has there in a reading from the beginning.
    ///   - manner: what the decoder does about damage.
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

    /// Decodes until there is a picture, which `body` gets.
    @unsafe
    func next(_ body: (UnsafeMutablePointer<AVFrame>) -> Void) -> Step {
        while true {
            let outcome = unsafe decoder.receive { picture in
                let hasErrors = unsafe picture.pointee.decode_error_flags != 0
                isPatched = unsafe hasErrors || picture.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0
                let stamp = unsafe picture.pointee.best_effort_timestamp
                let isDue = awaited.remove(stamp == CFFmpeg_no_time ? nil : stamp)
                hasSeenDamage = hasSeenDamage || isPatched || !isDue
                unsafe body(picture)
            }
            switch outcome {
            case .done: return .picture
            case .end:
                if !awaited.isEmpty { hasSeenDamage = true }
                return .end
            case .needsMore: readOn()
            case .failed(let reason): note(reason)
            }
        }
    }

    /// Gives the decoder the next packet, or the news that there are no more.
    private func readOn() {
        var outcome = TrackDecoder.Outcome.done
        // The packet is the input's until the closure returns.
        let step =
            isDrained
            ? .end
            : unsafe input.next { packet in
                if unsafe packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 { hasSeenDamage = true }
                if unsafe decoder.shows(packet) {
                    let stamp = unsafe packet.pointee.pts
                    if !awaited.add(stamp == CFFmpeg_no_time ? nil : stamp) { hasSeenDamage = true }
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
        packetsRefused += 1
        firstRefusal = firstRefusal ?? reason
    }
}
