import Rill
import RillCore
import RillFiles
import RillReceive

/// The receiver of one stream without a decoder: a frame that would be decoded counts as shown once the time that
/// decoding takes is over. All before the decoder is what ``VirtualReceiver`` has.
final class CodecFreeReceiver<Feedback: PacketSink>: TimedStage {
    private let receiver: StreamReceiver
    private let feedback: Feedback
    private let decodeTime: MediaDuration
    private let show: (ReceivedFrame, MediaTime) -> Void
    private var working: (frame: ReceivedFrame, end: MediaTime)?
    private var payload: [UInt8] = []
    private let output = ReceiveOutput()

    init(
        _ settings: StreamReceiverSettings, feedback: Feedback, decodeTime: MediaDuration,
        show: @escaping (ReceivedFrame, MediaTime) -> Void
    ) {
        self.receiver = StreamReceiver(settings)
        self.feedback = feedback
        self.decodeTime = decodeTime
        self.show = show
    }

    func insert(_ datagram: Span<UInt8>, at now: MediaTime) {
        receiver.insert(datagram, at: now)
    }

    var wakeTime: MediaTime { working?.end ?? receiver.wakeTime }

    func wake(at now: MediaTime) {
        if let (frame, end) = working {
            guard end <= now else { return }
            receiver.finish(frame, .decoded, decoded: now, at: now)
            if frame.isShown { show(frame, now) }
            working = nil
        }
        let step = receiver.poll(at: now, into: &payload, output: output)
        output.handOut(to: feedback)
        if case .decode(let frame) = step { working = (frame, now + decodeTime) }
    }

    var isIdle: Bool { working == nil && receiver.isIdle }

    var statistics: InboundStatistics { receiver.statistics }
}
