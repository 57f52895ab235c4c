import Foundation
import RillBeauty
import RillCore
import RillScenes
import RillTestSupport
import Testing

@testable import Rill

/// Faces on the sending side: found, given, reported.
struct SendFacesTests {
    private let resolution = Resolution(width: 160, height: 120)
    private let face = FaceRegion(x: 54, y: 26, side: 52)

    private func settings(_ faces: FaceDetection, _ beauty: BeautyOptions = .natural) -> SendSettings {
        var settings = SendSettings(layers: [.high(resolution, bitrate: .kilobits(100))], seed: 1)
        (settings.faces, settings.beauty) = (faces, beauty)
        return settings
    }

    private func run(_ pipeline: SendPipeline, frameCount: Int, _ body: (Int, MediaTime) -> Void) throws {
        let scene = try PortraitScene(resolution: resolution, frameRate: 30, frameCount: frameCount)
        var index = 0
        while case .frame(let frame) = scene.next() {
            body(index, frame.captureTime)
            try pipeline.encode(frame, at: frame.captureTime)
            index += 1
        }
    }

    /// The events that were reported.
    private final class Log: Sendable {
        let faces = Monitor([[FaceRegion]]())
        let failures = Monitor([FaceCascadeError]())

        func note(_ event: SendPipeline.FaceEvent) {
            switch event {
            case .found(let found): faces.withLock { $0.append(found) }
            case .unavailable(let error): failures.withLock { $0.append(error) }
            }
        }
    }

    @Test func `Given faces are known, and reported when they move by an eighth`() throws {
        let pipeline = try SendPipeline(settings(.off))
        let log = Log()
        pipeline.observeFaces { log.note($0) }
        let moved = FaceRegion(x: 64, y: 26, side: 52)
        try run(pipeline, frameCount: 12) { index, time in
            switch index {
            case 1: pipeline.giveFaces([face], at: time)
            case 4: pipeline.giveFaces([FaceRegion(x: 55, y: 27, side: 52)], at: time)
            case 6: pipeline.giveFaces([moved], at: time)
            case 8: pipeline.giveFaces([], at: time)
            case 10: pipeline.giveFaces([face], at: time)
            case 11: pipeline.setBeauty(.off)
            default: break
            }
        }
        #expect(log.faces.withLock { $0 } == [[face], [moved], [], [face]])
        #expect(pipeline.faces == [face] && pipeline.beautyStatistics.framesWithFaces == 9)
        #expect(pipeline.faceFailure == nil && log.failures.withLock { $0.isEmpty })
    }

    @Test func `What a slow detector brings too late does not count`() throws {
        let pipeline = try SendPipeline(settings(.off))
        let other = FaceRegion(x: 5, y: 5, side: 40)
        try run(pipeline, frameCount: 6) { index, time in
            if index == 1 {
                pipeline.giveFaces([face], at: time)
                pipeline.giveFaces([other], at: time - .milliseconds(1))
            }
            // Older than what was given.
            if index == 2 { pipeline.giveFaces([other], at: time - .milliseconds(40)) }
        }
        #expect(pipeline.faces == [face])
        let stale = try SendPipeline(settings(.off))
        try run(stale, frameCount: 3) { index, time in
            let times = [time - .milliseconds(1001), MediaTime(nanoseconds: .min), time - .milliseconds(999)]
            stale.giveFaces([index == 2 ? face : other], at: times[(index + 1) % 3 == 0 ? 2 : index])
        }
        #expect(stale.faces == [face])
        let extreme = try SendPipeline(settings(.off))
        try run(extreme, frameCount: 2) { _, _ in extreme.giveFaces([face], at: MediaTime(nanoseconds: .max)) }
        #expect(extreme.faces == [face], "an unknown clock is the app's own affair")
    }

    @Test(.enabled(if: hasFaceCascade, "opencv-data is not installed"))
    func `The installed cascade is read once beauty is on`() throws {
        let off = try SendPipeline(settings(.automatic, .off))
        #expect(off.cascade == nil)
        off.setBeauty(.off)
        #expect(off.cascade == nil)
        off.setBeauty(.strong)
        #expect(off.cascade?.stages.count == 20)
        #expect(try SendPipeline(settings(.automatic)).cascade?.stages.count == 20)
        #expect(try SendPipeline(settings(.off)).cascade == nil)
    }

    @Test func `That there is no cascade is said once`() throws {
        let error = FaceCascadeError.notFound(path: FaceCascade.installedFile)
        let pipeline = try SendPipeline(settings(.off, .off))
        pipeline.state.withLock { $0.faces = .failure(error) }
        let log = Log()
        pipeline.observeFaces { log.note($0) }
        pipeline.setBeauty(.natural)
        pipeline.setBeauty(.strong)
        #expect(log.failures.withLock { $0 } == [error] && pipeline.faceFailure == error)
        #expect("\(CallEvent.facesUnavailable(error))".contains("install opencv-data"))
    }
}

private let hasFaceCascade = FileManager.default.fileExists(atPath: FaceCascade.installedFile)
