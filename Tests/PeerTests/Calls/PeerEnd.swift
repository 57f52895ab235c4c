import Foundation
import Rill
import RillCore
import RillMediaSupport
import RillRTP
import RillSecurity
import RillTestSupport
import RillTransport

/// The end of a call that a peer is the other end of.
final class PeerEnd {
    let call: VideoCall
    let participant: CallParticipant
    let recorder = FrameRecorder()
    let port: UInt16
    private let gate = HeldSource.Gate()

    static let resolution = Resolution(width: 320, height: 240)

    /// - Parameters:
    ///   - settings: where no streams are told, it is taken to send VP8.
    ///   - frames: how many frames are sent to it.
    ///   - sent: gets what is sent.
    ///   - isHeld: nothing is sent before ``release()``.
    ///   - adjust: changes how the call sends.
    init(
        _ settings: ParticipantSettings, over transport: any DatagramTransport, frames: Int = 0,
        sent: SentFrames? = nil, isHeld: Bool = false, _ adjust: (inout VideoCallSettings) -> Void = { _ in }
    ) throws {
        var settings = settings
        if settings.streams == nil {
            var theirs = StreamDescription(PayloadType(96), RTPFormat.Encoding("VP8"))
            theirs.feedback = [.nack, .pictureLossIndication]
            settings.streams = [theirs]
        }
        settings.layers = [.high]
        if !isHeld { gate.open() }
        let source = try HeldSource(LoopedPictures(PeerEnd.resolution, frameCount: frames), gate)
        var ours = VideoCallSettings(layers: [.high(PeerEnd.resolution, bitrate: .kilobits(300))])
        adjust(&ours)
        call = try VideoCall(ours, source: frames > 0 ? source : nil, taps: SendTaps(encoded: sent))
        port = transport.localAddress.port
        participant = try call.add(settings, over: transport) { [recorder] them in
            try them.show(.high, on: FrameTap { _ in }) { $0.makeDecoder = { _ in recorder } }
        }
    }

    convenience init(
        _ key: SRTPKey, at address: UDPAddress? = nil, frames: Int = 0, sent: SentFrames? = nil, isHeld: Bool = false
    ) throws {
        try self.init(
            ParticipantSettings("peer", at: address, key: key),
            over: UDPSocket(boundTo: UDPAddress(.loopback, port: 0)), frames: frames, sent: sent, isHeld: isHeld)
    }

    func release() { gate.open() }

    /// Waits at most ten seconds.
    func eventually(_ isTrue: (FrameRecorder) -> Bool) async throws -> Bool {
        for _ in 0..<1000 {
            if isTrue(recorder) { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    /// A port of this machine that is free at present.
    static func freePort() throws -> UInt16 {
        try UDPSocket(boundTo: UDPAddress(.loopback, port: 0)).localAddress.port
    }
}

/// A source that gives nothing before its gate is opened.
private final class HeldSource: FrameSource {
    final class Gate: Sendable {
        private let isOpen = Monitor(false)
        func open() { isOpen.change { $0 = true } }
        func wait() { isOpen.wait { $0 ? () : nil } }
    }

    private let source: LoopedPictures
    private let gate: Gate

    init(_ source: LoopedPictures, _ gate: Gate) { (self.source, self.gate) = (source, gate) }

    var format: SourceFormat { source.format }

    func next() -> SourceOutput {
        gate.wait()
        return source.next()
    }
}

/// A decoder that keeps what it is given.
final class FrameRecorder: VideoDecoder, Sendable {
    private let state = Monitor([[UInt8]]())
    var statistics: DecoderStatistics { DecoderStatistics() }
    var frames: [[UInt8]] { state.withLock { $0 } }
    var count: Int { state.withLock { $0.count } }

    func decode(_ payload: Span<UInt8>, captureTime: MediaTime, isWanted: Bool) -> DecoderOutcome {
        state.withLock { $0.append(payload.array) }
        return .hidden
    }
}

/// What our encoder has made.
final class SentFrames: EncodedFrameSink, Sendable {
    private let state = Monitor([[UInt8]]())
    var frames: [[UInt8]] { state.withLock { $0 } }
    var count: Int { state.withLock { $0.count } }

    /// Waits until nothing more is made.
    func steady() async throws {
        var (last, quiet) = (0, 0)
        while quiet < 20 {
            try await Task.sleep(for: .milliseconds(50))
            quiet = count > 0 && count == last ? quiet + 1 : 0
            last = count
        }
    }
    func consume(_ frame: EncodedFrame, payload: Span<UInt8>) { state.withLock { $0.append(payload.array) } }
    func finish() {}
}

extension SRTPProfile {
    /// How GStreamer names it.
    var nameInGStreamer: (cipher: String, auth: String) {
        switch self {
        case .aeadAES128GCM: ("aes-128-gcm", "null")
        case .aeadAES256GCM: ("aes-256-gcm", "null")
        case .aesCM128Tag80: ("aes-128-icm", "hmac-sha1-80")
        case .aesCM128Tag32: ("aes-128-icm", "hmac-sha1-32")
        }
    }
}

extension SRTPKey {
    /// Key and salt, in hexadecimal digits.
    var digits: String {
        withKeyAndSalt { bytes in bytes.indices.map { String(format: "%02X", bytes[$0]) }.joined() }
    }
}
