import Rill
import RillBeauty
import RillCore
import RillScenes
import RillTestSupport
import Testing

/// Faces of a live call: given on one thread, filtered with on another, reported on a third.
struct CallFacesTests {
    @Test(.timeLimit(.minutes(1)))
    func `An app gives faces to a call, and gets those that are known as events`() async throws {
        let size = Resolution(width: 160, height: 120)
        var settings = VideoCallSettings(layers: [.high(size, bitrate: .kilobits(100))])
        settings.send.beauty = .natural
        settings.send.faces = .off
        // Only the call uses it, and optional sources are not seen as sent.
        nonisolated(unsafe) let scene: (any FrameSource)? = try PortraitScene(resolution: size, frameRate: 30)
        let call = try unsafe VideoCall(settings, source: scene)
        let faces = [FaceRegion(x: 54, y: 26, side: 52), FaceRegion(x: -3, y: 70, side: 30)]
        // The scene is not paced, so its clock runs ahead: this is never too late.
        let latest = MediaTime(nanoseconds: .max)
        call.giveFaces(faces, at: latest)
        var known: [[FaceRegion]] = []
        for await event in call.events {
            guard case .facesChanged(let found) = event else { continue }
            if found == faces { #expect("\(event)" == "faces: 52x52 at 54,26, 30x30 at -3,70") }
            known.append(found)
            if found.isEmpty {
                #expect("\(event)" == "faces: none")
                break
            }
            call.giveFaces([], at: latest)
        }
        // Until the call has been told of none, the filter follows those that it knows.
        #expect(known.first == faces && known.last == [], "\(known)")
        #expect(known.dropLast().allSatisfy { $0.count == 2 }, "\(known)")
        await call.end()
    }
}
