import Foundation
import RillCore
import RillMediaSupport
import RillTestSupport
import Testing

@testable import RillCapture

/// Pictures of working cameras, which no encoder of files would write: all blocks are there, and they are shown.
@Suite struct CameraHabitTests {
    private let size = Resolution(width: 208, height: 112)
    private static func sample(_ component: Int, _ x: Int, _ y: Int) -> Int {
        let wave = (x * (3 + component) + y * 2) % 128
        return 40 + 2 * (wave < 64 ? wave : 127 - wave) + ((x / 24 + y / 16) % 2 == 0 ? 60 : 0)
            - (component == 0 ? 0 : 20)
    }

    private func picture(
        _ sampling: TestJPEG.Sampling, hasRestarts: Bool, hasZerosBeforeEnds: Bool = false
    ) -> JPEGParts {
        var jpeg = TestJPEG(size, sampling)
        jpeg.hasZerosBeforeEnds = hasZerosBeforeEnds
        if hasRestarts { jpeg.restartInterval = sampling == .yuv420 ? 7 : 13 }
        return JPEGParts(jpeg.encode(Self.sample))
    }

    private func read(_ bytes: [UInt8]) throws -> (VideoFrame, FrameFault?) {
        let pool = try FramePool(resolution: size, capacity: 1)
        var frame = try existing(pool.makeFrame())
        let fault = try existing(JPEGReader(size)).read(bytes.span, into: &frame)
        return (frame.finish(captureTime: .zero), fault)
    }

    @Test(arguments: CameraHabit.allCases, TestJPEG.Sampling.allCases)
    func `Whatever a camera writes around its blocks, the picture is the same`(
        habit: CameraHabit, sampling: TestJPEG.Sampling
    ) throws {
        let plain = picture(sampling, hasRestarts: habit.hasRestarts)
        let (expected, fault) = try read(plain.bytes)
        #expect(fault == nil)
        var random = SeededGenerator(seed: 3)
        var jpeg = plain
        habit.apply(to: &jpeg, &random)
        // Bools: the difference of arrays of this length takes minutes.
        let isOdd = jpeg.bytes != plain.bytes
        #expect(isOdd)
        let (frame, oddFault) = try read(jpeg.bytes)
        #expect(oddFault == nil)
        let isSame = frame.samples == expected.samples
        #expect(isSame)
    }

    /// As encoders write them that end a run when it has sixteen zeros (github.com/arrufat/zignal/pull/457); JPEG XL
    /// stores such runs apart, so common are they.
    @Test(arguments: TestJPEG.Sampling.allCases)
    func `Zeros that are written before the end of a block belong to it`(sampling: TestJPEG.Sampling) throws {
        let plain = picture(sampling, hasRestarts: true)
        let jpeg = picture(sampling, hasRestarts: true, hasZerosBeforeEnds: true)
        #expect(jpeg.bytes.count > plain.bytes.count)
        let (frame, fault) = try read(jpeg.bytes)
        #expect(fault == nil)
        let isSame = frame.samples == (try read(plain.bytes).0.samples)
        #expect(isSame)
    }

    /// The right pictures, from other programs that get the same bytes. djpeg is libjpeg, as Chromium, GStreamer and
    /// OpenCV use it.
    @Test(
        .enabled(
            if: Peer.ffmpeg.isInstalled && Program(named: "djpeg") != nil,
            "ffmpeg is not installed, or djpeg (libjpeg-turbo-progs)"))
    func `FFmpeg or libjpeg shows each of these pictures as it would be without the habit`() throws {
        let folder = TemporaryFolder()
        // Two without a habit first.
        var files = [true, false].map { picture(.yuv422, hasRestarts: $0).bytes }
        for habit in CameraHabit.allCases {
            var random = SeededGenerator(seed: 3)
            var jpeg = picture(.yuv422, hasRestarts: habit.hasRestarts)
            habit.apply(to: &jpeg, &random)
            files.append(jpeg.bytes)
        }
        for (index, bytes) in files.enumerated() { try write(bytes, to: folder.path("\(100 + index).jpg")) }
        try Peer.ffmpeg.run(
            "-v", "quiet", "-f", "image2", "-start_number", "100", "-c:v", "mjpeg", "-i", folder.path("%03d.jpg"),
            "-vsync", "passthrough", "-f", "rawvideo", "-pix_fmt", "yuvj422p", folder.path("all.yuv"))
        let all = try RillTestSupport.read(folder.path("all.yuv"))
        let byteCount = 2 * size.width * size.height
        #expect(all.count == files.count * byteCount)
        let ffmpeg = stride(from: 0, to: all.count, by: byteCount).map { Array(all[$0..<$0 + byteCount]) }
        let djpeg = try existing(Program(named: "djpeg"))
        let libjpeg = try files.indices.map { index -> [UInt8]? in
            let path = folder.path("\(index).ppm")
            // It ends with 2 where it has warned, and then has written the picture all the same.
            _ = try djpeg.run(["-outfile", path, folder.path("\(100 + index).jpg")])
            return try? RillTestSupport.read(path)
        }
        #expect(libjpeg[0] != nil)
        for (index, habit) in CameraHabit.allCases.enumerated() {
            let plain = habit.hasRestarts ? 0 : 1
            let shown = (ffmpeg: ffmpeg[2 + index] == ffmpeg[plain], libjpeg: libjpeg[2 + index] == libjpeg[plain])
            #expect(shown.ffmpeg || shown.libjpeg, "\(habit)")
        }
    }

    // MARK: Damage

    /// The lost part of a picture with restart markers.
    enum Loss: CaseIterable {
        case interval, eightIntervals, markerWithBytes, bytesBeforeMarker, tailAsZeros, tailAsZerosAndEnd
    }

    @Test(arguments: Loss.allCases, TestJPEG.Sampling.allCases)
    func `A picture that has lost blocks is still found`(loss: Loss, sampling: TestJPEG.Sampling) throws {
        let plain = picture(sampling, hasRestarts: true)
        for index in 0..<plain.restarts.count - 8 {
            var jpeg = plain
            switch loss {
            case .interval, .eightIntervals:
                let count = loss == .interval ? 1 : 8
                jpeg.intervals.removeSubrange(index..<index + count)
                jpeg.restarts.removeSubrange(index..<index + count)
            case .markerWithBytes:
                jpeg.restarts[index] = []
                jpeg.intervals[index].removeLast(min(3, jpeg.intervals[index].count))
                jpeg.intervals[index + 1].removeFirst(3)
            case .bytesBeforeMarker: jpeg.intervals[index].removeLast(2)
            case .tailAsZeros, .tailAsZerosAndEnd:
                let lost = jpeg.intervals[(index + 1)...].reduce(4) { $0 + $1.count + 2 }
                jpeg.intervals.removeSubrange((index + 1)...)
                jpeg.intervals[index].removeLast(4)
                jpeg.intervals[index] += [UInt8](repeating: 0, count: lost)
                if loss == .tailAsZeros { jpeg.end = [] }
            }
            let (_, fault) = try read(jpeg.bytes)
            guard case .damagedJPEG = fault else {
                Issue.record("\(loss) \(sampling), interval \(index): \(String(describing: fault))")
                continue
            }
        }
    }

    @Test func `Sixty-four surplus bytes are a habit, and more are damage unless they are zeros`() throws {
        for (count, byte, isKept) in [
            (64, UInt8(0x55), true), (65, 0x55, false), (400, 0x55, false), (64, 0, true), (400, 0, true),
        ] {
            var beforeRestart = picture(.yuv422, hasRestarts: true)
            beforeRestart.restarts[2] = [UInt8](repeating: byte, count: count) + beforeRestart.restarts[2]
            #expect(
                try read(beforeRestart.bytes).1 == (isKept ? nil : .damagedJPEG(.restartMissing)), "\(count) \(byte)")
            var beforeEnd = picture(.yuv422, hasRestarts: true)
            beforeEnd.end = [UInt8](repeating: byte, count: count) + beforeEnd.end
            #expect(try read(beforeEnd.bytes).1 == (isKept ? nil : .damagedJPEG(.endsLate)), "\(count) \(byte)")
        }
    }
}
