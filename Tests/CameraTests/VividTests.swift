import RillCore
import RillImage
import RillTestSupport
import Testing

@testable import RillCapture

extension CameraMachineTests {
    /// What vivid gives, as it should be.
    @Suite struct VividTests {
        private static let size = Resolution(width: 320, height: 180)

        /// One picture of the camera: as it came, and as it was read.
        private func picture(_ fourCC: String) throws -> (raw: RawPicture, read: VideoFrame) {
            let format = try existing(CameraPixelFormat.known(FourCC(fourCC))).format
            let node = try VideoNode("/dev/video0", SystemDeviceCalls())
            // Asked for by its very letters, so that of two arrangements the right one is taken.
            let stream = try VideoStream(
                node, CameraConstraints(resolution: Self.size, frameRate: 25, pixelFormat: format),
                fourCC: FourCC(fourCC))
            let reader = try PictureReader(stream.negotiated.layout)
            let pool = try FramePool(resolution: stream.negotiated.layout.resolution, capacity: 1)
            let calls = SystemDeviceCalls()
            while true {
                #expect(stream.wait(until: calls.now + .seconds(10)) == .ready, "\(fourCC)")
                guard let filled = try stream.dequeue() else { continue }
                var frame = try existing(pool.makeFrame())
                let (first, second, third) = (
                    stream.bytes(filled, memory: 0), stream.bytes(filled, memory: 1), stream.bytes(filled, memory: 2)
                )
                #expect(reader.read(first, second, third, into: &frame) == nil, "\(fourCC)")
                let buffers = [first.array, second.array, third.array]
                return (RawPicture(stream.negotiated.layout, buffers), frame.finish(captureTime: .zero))
            }
        }

        private func check(_ fourCC: String) throws {
            let (raw, read) = try picture(fourCC)
            #expect(raw.layout.resolution == Self.size, "\(fourCC)")
            let psnr = PictureDifference(between: read, and: try raw.reference()).psnr
            #expect(psnr.y > 40 && psnr.u > 40 && psnr.v > 40, "\(fourCC): \(psnr)")
        }

        /// The pattern without words and numbers on it.
        private func prepare(_ pattern: String) throws {
            let controls = try CameraControls(.path("/dev/video0"))
            try controls.set("osd_text_mode=None")
            try controls.set("test_pattern=\(pattern)")
        }

        @Test(arguments: ["75% Colorbar", "Noise"])
        func `Every format is read right`(pattern: String) throws {
            try prepare(pattern)
            for format in CameraPixelFormat.allCases where format != .mjpeg { try check(format.rawValue) }
        }

        @Test func `All formats show the same picture`() throws {
            try prepare("75% Colorbar")
            let expected = try picture("YU12").read
            for format in CameraPixelFormat.allCases where ![.mjpeg, .grey].contains(format) {
                let psnr = PictureDifference(between: try picture(format.rawValue).read, and: expected).psnr
                // Where two bars meet within a sample of chroma, formats differ.
                #expect(psnr.y > 35 && psnr.u > 30 && psnr.v > 30, "\(format): \(psnr)")
            }
        }

        @Test func `Full range is reported by the driver and converted to limited range`() throws {
            try prepare("75% Colorbar")
            let controls = try CameraControls(.path("/dev/video0"))
            let limited = try picture("YUYV").read
            try controls.set("quantization=Full Range")
            defer { _ = try? controls.set("quantization=Default") }  // the next tests set what they need
            let (raw, read) = try picture("YUYV")
            #expect(raw.layout.colorSpace.range == .full)
            let psnr = PictureDifference(between: read, and: limited).psnr
            #expect(psnr.y > 40 && psnr.u > 40 && psnr.v > 40, "\(psnr)")
        }

        @Test func `300 frames of 640x480 come without a gap, at times that rise`() throws {
            let times = try frameTimes(300, source: "Start of Exposure") { $0.count == 0 }
            // By the kernel's own clock, intervals of 40 ms.
            #expect(abs((times[299] - times[0]).seconds / 299 - 0.04) < 0.001)
        }

        /// The end of a frame is nine tenths of an interval after its start, and vivid fills the buffer at its start.
        @Test func `Timestamps of the end of a frame that is still to come are replaced`() throws {
            let times = try frameTimes(100, source: "End of Frame") { $0.count == 100 && $0.future == 100 }
            #expect(abs((times[99] - times[0]).seconds / 99 - 0.04) < 0.001)
        }

        /// Times of frames that arrive without a gap, and rise.
        private func frameTimes(
            _ count: Int, source: String, faults: (TimestampFaults) -> Bool
        ) throws -> [MediaTime] {
            try CameraControls(.path("/dev/video0")).set("timestamp_source=\(source)")
            let watched = try WatchedCamera(.path("/dev/video0"), CameraConstraints(resolution: .vga, frameRate: 25))
            #expect(watched.camera.mode.resolution == .vga)
            #expect(watched.camera.mode.frameRate == 25)
            let times = try watched.take(count)
            #expect(watched.statistics.gaps == 0 && watched.statistics.framesMissed == 0, "\(watched.statistics)")
            for index in 1..<times.count { #expect(times[index] > times[index - 1], "frame \(index)") }
            #expect(faults(watched.statistics.timestampFaults), "\(watched.statistics.timestampFaults)")
            #expect(watched.kinds == ["opened", "streaming"])
            return times
        }

        @Test func `Controls are listed, set and read`() throws {
            let controls = try CameraControls(.path("/dev/video0"))
            let brightness = try #require(try controls.list().first { $0.name == "brightness" })
            #expect(brightness.range == 0...255 && brightness.defaultValue == 128)
            #expect(try controls.set("brightness", to: 77) == 77)
            #expect(try controls.list().first { $0.name == "brightness" }?.value == 77)
            #expect(try controls.set("Brightness=default").value == 128)
            #expect(try controls.set("horizontal_flip=on").value == 1)
            #expect(try controls.set("horizontal_flip=off").value == 0)
            let menu = try #require(try controls.list().first { $0.name == "test_pattern" })
            guard case .menu(let items) = menu.kind else { return #expect(Bool(false), "\(menu.kind)") }
            #expect(items.contains { $0.name == "75% Colorbar" && $0.value == 0 })
            #expect(throws: CameraError.controlOutOfRange("brightness", value: 256, range: 0...255, step: 1)) {
                try controls.set("brightness", to: 256)
            }
            #expect(throws: CameraError.unknownControl("colour", path: "/dev/video0")) {
                try controls.set("colour", to: 1)
            }
        }

        @Test func `The multi-planar API is read right, in one buffer and in several`() throws {
            try CameraMachine.reloadVivid("multiplanar=2")
            defer { try? CameraMachine.reloadVivid("multiplanar=1") }  // the next test would say so
            try prepare("Noise")
            #expect(CameraDevice.list().first?.isMultiPlanar == true)
            for fourCC in ["YUYV", "YU12", "NV12", "NV16", "NM12", "NM21", "YM12", "YM21", "NM16", "RGB3", "GREY"] {
                try check(fourCC)
            }
            let watched = try WatchedCamera(.index(0), CameraConstraints(resolution: Self.size, frameRate: 25))
            try watched.take(20)
            #expect(watched.statistics.gaps == 0)
        }
    }
}
