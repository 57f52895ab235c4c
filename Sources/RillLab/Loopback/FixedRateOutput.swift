public import RillCore

/// Gives a sink pictures at a steady rate: each one stays until the next is shown, as somebody who watches sees it.
///
/// Behind a lossy network a file then is as long as its source, and its picture N belongs to frame N that was sent: where
/// nothing was shown yet, the first picture stands. It keeps one picture of its source's pool.
public final class FixedRateOutput {
    private let sink: any FrameSink
    private let frameRate: FrameRate
    private var held: VideoFrame?
    private var start = MediaTime.zero
    private var framesWritten = 0

    /// An output of `frameRate` pictures a second into `sink`.
    public init(_ sink: any FrameSink, frameRate: FrameRate) {
        self.sink = sink
        self.frameRate = frameRate
    }

    /// Shows a picture from its capture time on.
    ///
    /// Two pictures within one interval are both written, one interval apart: nothing that was shown is left out.
    ///
    /// - Parameter start: the capture time of the first frame sent, where the output begins.
    func show(_ picture: VideoFrame, from start: MediaTime) throws {
        self.start = start
        let index = index(at: picture.captureTime)
        try write(held ?? picture, until: index)
        held = picture
        try write(picture, until: framesWritten + 1)
    }

    /// Holds the last picture to the end, and finishes the sink.
    ///
    /// - Parameter last: the capture time of the last frame sent.
    func finish(with last: MediaTime?) throws {
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

    /// Which picture of the output is nearest to a time.
    private func index(at time: MediaTime) -> Int {
        Int(((time - start).seconds * frameRate.framesPerSecond).rounded())
    }
}
