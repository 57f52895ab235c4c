import RillCore

/// What the coded frame of a picture will say that libvpx does not know: kept while libvpx holds the picture back.
struct HeldPicture {
    /// The stamp that libvpx got.
    var ticks: Int64
    var captureTime: MediaTime
    var rotation = Rotation.none
    var stamps = FrameStamps()

    init(_ frame: VideoFrame, ticks: Int64) {
        self.ticks = ticks
        captureTime = frame.captureTime
        rotation = frame.rotation
        stamps = frame.stamps
    }

    init(ticks: Int64, captureTime: MediaTime) {
        self.ticks = ticks
        self.captureTime = captureTime
    }
}
