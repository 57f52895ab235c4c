internal import CFFmpeg
public import RillCore

/// The audio tracks of a file, to be copied packet by packet into another container.
///
/// ```swift
/// let sound = try AudioTracks(of: "clip.mp4", for: .mkv)
/// let writer = try ContainerWriter(path: "out.mkv", format: .mkv, video: video, audio: sound)
/// ```
///
/// Times are relative to the same start as those of ``ContainerSource``, so audio and video stay in sync. Tracks that
/// the container does not support are left out and reported by ``notices``. One owner, one thread at a time.
@safe
public final class AudioTracks {
    /// FFmpeg's names of the copied tracks' codecs.
    public var codecNames: [String] { copied.map(\.codecName) }
    /// The tracks that were left out, one line each.
    public private(set) var notices: [String] = []

    private let demuxer: Demuxer
    private(set) var copied: [Track] = []
    private var hasEnded = false
    /// A packet that was read but is later than requested.
    private let waiting: UnsafeMutablePointer<AVPacket>
    private var waitingTrack: Int?
    /// The part of the file to copy, in ticks of the muxer.
    private let window: Range<Int64>

    /// One track of the input.
    struct Track {
        var index: Int
        var codecName: String
        var timeBase: AVRational
        var start: Int64
        /// The decoder's delay before the first sample, in ticks of the muxer. Matroska's `CodecDelay`: players
        /// subtract it from each timestamp.
        var delay: Int64
        /// The expected position of the next packet, in ticks of the muxer.
        var next: Int64 = 0
        var lastTick = Int64.min
    }

    /// Opens a file and finds the audio tracks that `format` supports.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - format: the container to copy into.
    ///   - start: the time in the file from which on packets are copied; their times count from it.
    ///   - duration: packets that begin later than that after `start` are left out; `nil` for none.
    /// - Throws: ``ContainerError`` if the file cannot be opened. A file without audio is not an error.
    public init(
        of path: String, for format: ContainerFormat, start: MediaDuration = .zero, duration: MediaDuration? = nil
    ) throws(ContainerError) {
        let begin = (MediaTime.zero + start).ticks(rate: MuxerClock.rate)
        let end = duration.map { (MediaTime.zero + start + $0).ticks(rate: MuxerClock.rate) }
        window = begin..<max(begin, end ?? .max)
        demuxer = try Demuxer(path: path)
        guard let packet = unsafe av_packet_alloc() else { throw .outOfMemory(path: path) }
        unsafe waiting = packet
        let muxer = unsafe av_guess_format(format.muxerName, nil, nil)
        for index in 0..<demuxer.trackCount {
            let stream = unsafe demuxer.track(index)
            guard unsafe stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO else { continue }
            let identifier = unsafe stream.pointee.codecpar.pointee.codec_id
            let name = unsafe String(cString: avcodec_get_name(identifier))
            guard unsafe avformat_query_codec(muxer, identifier, 0) == 1 else {
                notices.append("sound in \(name) is left out: \(format.rawValue) does not take it")
                continue
            }
            let timeBase = unsafe stream.pointee.time_base
            copied.append(
                Track(
                    index: index, codecName: name, timeBase: timeBase, start: demuxer.start(in: timeBase),
                    delay: unsafe delay(of: stream.pointee.codecpar)))
        }
        let kept = copied.map(\.index)
        demuxer.keepOnly(kept.contains)
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe waiting
        unsafe av_packet_free(&packet)
    }

    /// The parameters of a copied track, which live as long as this object.
    @unsafe
    func stream(_ track: Int) -> UnsafeMutablePointer<AVStream> { unsafe demuxer.track(copied[track].index) }

    /// Leaves out all audio, because the container rejects it after all.
    func drop(because reason: String) {
        for track in copied { notices.append("sound in \(track.codecName) is left out: \(reason)") }
        copied = []
        hasEnded = true
    }

    /// Passes each packet that starts at or before `tick` to `body`, with its track's number, on the muxer's clock.
    @unsafe
    func packets(upTo tick: Int64, _ body: (UnsafeMutablePointer<AVPacket>, Int) throws(ContainerError) -> Void)
        throws(ContainerError)
    {
        while true {
            if waitingTrack == nil { read() }
            guard let track = waitingTrack, unsafe waiting.pointee.pts <= tick else { return }
            waitingTrack = nil
            defer { unsafe av_packet_unref(waiting) }
            unsafe try body(waiting, track)
        }
    }

    /// Reads a packet into `waiting`. A file that cannot be read further has ended.
    private func read() {
        let indices = copied.map(\.index)
        while !hasEnded, waitingTrack == nil {
            // The packet belongs to the demuxer until the closure returns.
            let outcome = unsafe demuxer.next(of: indices.contains) { packet in
                guard let track = unsafe indices.firstIndex(of: Int(packet.pointee.stream_index)) else { return }
                unsafe av_packet_move_ref(waiting, packet)
                if unsafe place(waiting, in: track) { waitingTrack = track } else { unsafe av_packet_unref(waiting) }
            }
            guard case .packet = outcome else {
                hasEnded = true
                return
            }
        }
    }

    /// Converts a packet to the muxer's clock. Returns `false` for a packet that an edit list cuts away.
    @unsafe
    private func place(_ packet: UnsafeMutablePointer<AVPacket>, in number: Int) -> Bool {
        guard unsafe packet.pointee.flags & AV_PKT_FLAG_DISCARD == 0 else { return false }
        let track = copied[number]
        let clock = AVRational(num: 1, den: Int32(MuxerClock.rate))
        let stamp = unsafe packet.pointee.pts
        var tick = track.next
        if stamp != CFFmpeg_no_time { tick = track.delay + av_rescale_q(stamp &- track.start, track.timeBase, clock) }
        let duration = unsafe av_rescale_q(packet.pointee.duration, track.timeBase, clock)
        copied[number].next = tick &+ duration
        // Sound before the start of a whole file stays: it is the decoder's delay.
        if window.lowerBound > 0, tick - track.delay < window.lowerBound { return false }
        guard tick - track.delay < window.upperBound else { return false }
        tick -= window.lowerBound
        // Two short packets may share a tick; none goes back.
        unsafe packet.pointee.pts = max(tick, copied[number].lastTick)
        unsafe packet.pointee.dts = packet.pointee.pts
        unsafe packet.pointee.duration = duration
        unsafe copied[number].lastTick = packet.pointee.pts
        return true
    }
}

/// Returns a track's declared padding, in ticks of the muxer.
@unsafe
private func delay(of parameters: UnsafeMutablePointer<AVCodecParameters>) -> Int64 {
    let (padding, rate) = unsafe (Int64(parameters.pointee.initial_padding), parameters.pointee.sample_rate)
    guard padding > 0, rate > 0 else { return 0 }
    return av_rescale(padding, Int64(MuxerClock.rate), Int64(rate))
}
