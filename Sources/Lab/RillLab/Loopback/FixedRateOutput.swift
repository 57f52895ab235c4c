public import RillCore

/// An output that writes pictures to a sink at a constant rate: each one is repeated until the next is shown, as a
/// viewer sees it.
///
/// So a file recorded over a lossy network is as long as its source, and its picture N corresponds to sent frame N.
/// Before anything is shown, the first picture is used. It keeps one picture of its source's pool.
public final class FixedRateOutput {
    private let sink: any FrameSink
    private let frameRate: FrameRate
    private var held: VideoFrame?
    private var start = MediaTime.zero
    /// The pictures written so far.
    package private(set) var framesWritten = 0

    /// Creates an output of `frameRate` pictures per second into `sink`.
    public init(_ sink: any FrameSink, frameRate: FrameRate) {
        self.sink = sink
        self.frameRate = frameRate
    }

    /// Shows a picture from its capture time on.
    ///
    /// Two pictures within one interval are both written, one interval apart: nothing that was shown is left out.
    ///
    /// - Parameters:
    ///   - picture: the picture.
    ///   - start: the capture time of the first frame sent, where the output starts.
    package func show(_ picture: VideoFrame, from start: MediaTime) throws {
        self.start = start
        let index = index(at: picture.captureTime)
        try write(held ?? picture, until: index)
        held = picture
        try write(picture, until: framesWritten + 1)
    }

    /// Repeats the last picture until the end, and finishes the sink.
    ///
    /// - Parameter last: the capture time of the last frame sent.
    package func finish(with last: MediaTime?) throws {
        if let held, let last { try write(held, until: index(at: last) + 1) }
        held = nil
        try sink.finish()
    }

    private func write(_ picture: VideoFrame, until end: Int) throws {
        while framesWritten < end {
            var picture = picture
            picture.captureTime = start + (frameRate.time(ofFrame: framesWritten) - .zero)
            framesWritten += 1
            try sink.consume(picture)
        }
    }

    /// The index of the output picture nearest to a time.
    private func index(at time: MediaTime) -> Int {
        Int(((time - start).seconds * frameRate.framesPerSecond).rounded())
    }
}
