package import RillCore

/// When the pictures of an IVF file are shown, known before any is decoded: the file's headers are read, and its payloads
/// passed over.
package struct IVFIndex {
    /// The times of the frames that show a picture, in the order of the file.
    package private(set) var times: [MediaTime] = []

    /// More frames are not looked at: a day at 46 frames a second, 32 MiB.
    private static let frameLimit = 4_000_000

    /// Reads through a file of which nothing was read yet. Where it is damaged the index ends: whoever reads the frames
    /// is told.
    package init(of reader: IVFReader) {
        while times.count < Self.frameLimit, let frame = try? reader.pass() {
            if frame.isShown { times.append(frame.time) }
        }
    }
}
