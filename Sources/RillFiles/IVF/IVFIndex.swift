package import RillCore

/// The display times of an IVF file's pictures, known before any is decoded: only headers are read, payloads are
/// skipped.
package struct IVFIndex {
    /// The times of the shown frames, in file order.
    package private(set) var times: [MediaTime] = []

    /// The maximum number of frames: a day at 46 frames per second, 32 MiB.
    private static let frameLimit = 4_000_000

    /// Reads through a file from which nothing was read yet. The index ends where the file is damaged; reading the
    /// frames reports the error.
    package init(of reader: IVFReader) {
        while times.count < Self.frameLimit, let frame = try? reader.pass() {
            if frame.isShown { times.append(frame.time) }
        }
    }
}
