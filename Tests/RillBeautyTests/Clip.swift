import Foundation
import RillCore
import RillFiles
import RillTestSupport

/// One of the real clips in `RILL_MEDIA`.
struct Clip: Sendable {
    let name: String
    /// The number of its frames.
    let length: Int
    /// The number of frames before it in `webcam_640x480.y4m`.
    private let start: Int

    /// The clips in the order in which they follow each other there. The last frame of book and of yes is there twice.
    static let all: [Clip] = {
        var start = 0
        return [("book", 110), ("walk", 89), ("thanks", 51), ("yes", 66), ("eat", 47), ("sister", 87)].map {
            name, length in
            defer { start += length }
            return Clip(name: name, length: length, start: start)
        }
    }()

    static func named(_ name: String) throws -> Clip { try existing(all.first { $0.name == name }) }

    static let isThere = folder != nil

    /// Calls `body` with the number of each frame, from 0, and the frame.
    func forEachFrame(_ body: (Int, VideoFrame) throws -> Void) throws {
        let reader = try Y4MReader(path: "\(Self.folder ?? "")/webcam_640x480.y4m", capacity: 128)
        for _ in 0..<start { _ = try reader.next() }
        for number in 0..<length {
            guard case .frame(let frame) = try reader.next() else { throw TestFailure("\(name) is too short") }
            try body(number, frame)
        }
    }

    private static let folder = ProcessInfo.processInfo.environment["RILL_MEDIA"]
}
