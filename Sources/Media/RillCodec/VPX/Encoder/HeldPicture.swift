import RillCore

/// The properties of a coded frame that libvpx does not know, kept while libvpx holds the picture back.
struct HeldPicture {
    /// The timestamp that libvpx got.
    var ticks: Int64
    var captureTime: MediaTime
    var rotation = Rotation.none
    var timestamps = FrameTimestamps()

    init(_ frame: VideoFrame, ticks: Int64) {
        self.ticks = ticks
        captureTime = frame.captureTime
        rotation = frame.rotation
        timestamps = frame.timestamps
    }

    init(ticks: Int64, captureTime: MediaTime) {
        self.ticks = ticks
        self.captureTime = captureTime
    }
}
