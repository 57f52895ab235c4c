#if Server
import Rill
import RillCodec
import RillContainers
import RillCore
import RillTranscode

/// A clip that is coded once, and then sent by many: its layers, each in two variants. The first has a key frame at its
/// start, the second one each second, so that a key frame can be given when it is asked for.
struct CodedClip: Sendable {
    /// A coded frame.
    struct Frame: Sendable {
        /// Numbered from 0 in its variant.
        let description: EncodedFrame
        let bytes: [UInt8]
        /// From the clip's start.
        let time: MediaDuration
    }

    /// A layer.
    struct Layer: Sendable {
        let rid: StreamLayer.RID
        let resolution: Resolution
        /// The frames of each variant.
        fileprivate(set) var variants: [[Frame]]
    }

    let codec: VideoCodec
    /// The largest first.
    let layers: [Layer]
    /// After this it begins again.
    let duration: MediaDuration

    /// Codes the start of a clip, as fast as the cores allow.
    ///
    /// - Parameters:
    ///   - source: the pictures.
    ///   - settings: the layers.
    ///   - longest: how much of the clip.
    /// - Throws: an error of the source or of an encoder; ``CommandError`` for a source without frames.
    init(_ source: any FrameSource, _ settings: [LayerSettings], longest: MediaDuration) throws {
        let rate = source.format.frameRate?.framesPerSecond ?? 30
        var outputs: [TranscodeOutput] = []
        var sinks: [[Coded]] = []
        for layer in settings {
            var variants: [Coded] = []
            for isKeyed in [false, true] {
                var layer = layer
                if isKeyed {
                    layer.encoder.maximumKeyFrameInterval = Int(
                        min(rate, layer.frameRate.framesPerSecond).rounded(.up))
                    layer.rid = StreamLayer.RID(stringLiteral: "\(layer.rid)keyed")
                }
                let sink = Coded()
                outputs.append(.encoded(layer, sink))
                variants.append(sink)
            }
            sinks.append(variants)
        }
        let report = try Transcoder(source: ClipStart(source, longest), outputs: outputs).run()
        let last = sinks.joined().compactMap { $0.frames.last?.time }.max()
        guard let last, sinks.joined().allSatisfy({ !$0.frames.isEmpty }) else {
            throw CommandError("the clip has no pictures", .unreadableInput)
        }
        if let failure = report.sourceFailure {
            StandardError.print("the clip is read up to \(last.seconds) s: \(failure)")
        }
        codec = settings[0].codec
        duration = last + MediaDuration(nanoseconds: Int64(1e9 / max(rate, 1)))
        layers = zip(settings, sinks).map { layer, variants in
            Layer(rid: layer.rid, resolution: layer.resolution, variants: variants.map(\.frames))
        }
    }

    /// Keeps the frames of a variant.
    private final class Coded: EncodedFrameSink {
        private(set) var frames: [Frame] = []
        private var start: MediaTime?

        func consume(_ frame: EncodedFrame, payload: Span<UInt8>) {
            let first = start ?? frame.captureTime
            start = first
            frames.append(Frame(description: frame, bytes: payload.array, time: frame.captureTime - first))
        }

        func finish() {}
    }

    /// The start of a source.
    private final class ClipStart: FrameSource {
        private let source: any FrameSource
        private let longest: MediaDuration
        private var first: MediaTime?

        init(_ source: any FrameSource, _ longest: MediaDuration) { (self.source, self.longest) = (source, longest) }

        var format: SourceFormat { source.format }

        func next() throws -> SourceOutput {
            let output = try source.next()
            guard case .frame(let frame) = output else { return output }
            let start = first ?? frame.captureTime
            first = start
            return frame.captureTime - start < longest ? output : .end
        }
    }
}

/// One layer of a clip as one member sends it, over and over: its frames when they are due, with numbers that go on.
///
/// Ask for ``nextTime``, and at that time for ``next(at:)``. A key frame that was requested is the next one that a
/// variant has, at most a second away; until then the frames that belong to the former one go on.
struct ClipPlayer {
    private let layer: CodedClip.Layer
    private let duration: MediaDuration
    private var variant = 0
    private var index = 0
    /// When the clip began this time.
    private var start: MediaTime
    private var number: Int64 = 0
    private var isKeyWanted = false
    /// Whether the frame before was not sent, so that no other one than a key frame is of use.
    private var isBroken = true

    /// A player that begins somewhere in the clip.
    ///
    /// - Parameters:
    ///   - layer: what it plays.
    ///   - duration: the clip's.
    ///   - phase: how far into the clip it is now.
    ///   - now: the current time.
    init(_ layer: CodedClip.Layer, of duration: MediaDuration, phase: MediaDuration, at now: MediaTime) {
        (self.layer, self.duration) = (layer, duration)
        start = now - phase
        seekKey(from: phase)
    }

    /// When the next frame is due.
    var nextTime: MediaTime { start + layer.variants[variant][index].time }

    /// A key frame is wanted.
    mutating func requestKeyFrame() { isKeyWanted = true }

    /// The last frame could not be sent.
    mutating func dropped() { isBroken = true }

    /// The next frame, if it is due.
    mutating func next(at now: MediaTime) -> CodedClip.Frame? {
        guard now >= nextTime else { return nil }
        if now - nextTime > Self.longestDelay { catchUp(at: now) }
        let position = layer.variants[variant][index].time
        if isBroken || isKeyWanted, let key = key(from: position) {
            // Where both have one, the variant stays as it is.
            if key.time <= position || isBroken { (variant, index, start) = (key.variant, key.index, key.start(start)) }
        }
        guard now >= nextTime else { return nil }
        let frame = layer.variants[variant][index]
        var description = frame.description
        if description.isKey { (isKeyWanted, isBroken) = (false, false) }
        description.renumber(by: number - description.number)
        description.captureTime = nextTime
        description.layer = StreamLayer(rid: layer.rid)
        number += 1
        advance()
        return CodedClip.Frame(description: description, bytes: frame.bytes, time: frame.time)
    }

    /// What is later than this is left out, as after a path that was lost.
    private static let longestDelay = MediaDuration.milliseconds(500)

    private mutating func catchUp(at now: MediaTime) {
        while now - start >= duration { start += duration }
        isBroken = true
        seekKey(from: now - start)
    }

    private mutating func advance() {
        index += 1
        guard index == layer.variants[variant].count else { return }
        index = 0
        variant = 0
        start += duration
    }

    private struct Key {
        var variant: Int
        var index: Int
        var time: MediaDuration
        /// How long the clip is, if the key frame is that of the next time.
        var wraps: MediaDuration

        func start(_ former: MediaTime) -> MediaTime { former + wraps }
    }

    /// The first key frame from a place on, of any variant.
    private func key(from position: MediaDuration) -> Key? {
        var first: Key?
        for (variant, frames) in layer.variants.enumerated() {
            guard let index = frames.firstIndex(where: { $0.description.isKey && $0.time >= position }) else {
                continue
            }
            if first.map({ frames[index].time < $0.time }) ?? true {
                first = Key(variant: variant, index: index, time: frames[index].time, wraps: .zero)
            }
        }
        return first ?? Key(variant: 0, index: 0, time: duration, wraps: duration)
    }

    private mutating func seekKey(from position: MediaDuration) {
        guard let key = key(from: position) else { return }
        (variant, index, start) = (key.variant, key.index, key.start(start))
    }
}

/// Sound as one member sends it, over and over.
struct SoundPlayer {
    private let packets: [OpusPackets.Packet]
    private var index = 0
    /// How much was sent: the source's own clock.
    private var sent = MediaDuration.zero
    private var start: MediaTime
    private static let longestDelay = MediaDuration.milliseconds(500)

    init(_ sound: OpusPackets, at now: MediaTime) { (packets, start) = (sound.packets, now) }

    /// When the next packet is due.
    var nextTime: MediaTime { start + sent }

    /// The next packet with the place of its sound, if it is due.
    mutating func next(at now: MediaTime) -> (bytes: [UInt8], place: MediaTime)? {
        guard now >= nextTime else { return nil }
        // Its clock has no gap for what was not sent.
        if now - nextTime > Self.longestDelay { start += now - nextTime }
        let packet = packets[index]
        let place = MediaTime.zero + sent
        index = (index + 1) % packets.count
        sent += packet.duration
        return (packet.bytes, place)
    }
}
#endif
