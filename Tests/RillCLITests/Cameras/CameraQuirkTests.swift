import Foundation
import RillMediaSupport
import RillTestSupport
import Testing

/// `rill record` with the habits of real drivers and cameras.
@Suite(.enabled(if: PreloadedCamera.obstacle == nil, "no camera is preloaded: see PreloadedCamera.obstacle"))
struct CameraQuirkTests {
    /// What a driver does, and what is right.
    struct Quirk: CustomTestStringConvertible {
        var words: String
        /// Frames of the recording, at least, of 12 on an idle machine; `nil` where there is no recording.
        var frames: Int?
        /// Damaged frames in the summary, at least and at most.
        var damaged = 0...0
        /// What standard error says.
        var lines: [String] = []
        var format = "MJPG"

        var testDescription: String { "\(words) \(format)" }

        init(
            _ words: String, frames: Int? = 5, damaged: ClosedRange<Int> = 0...0, lines: String...,
            format: String = "MJPG"
        ) {
            (self.words, self.frames, self.damaged, self.lines, self.format) = (words, frames, damaged, lines, format)
        }
    }

    private static let quirks: [Quirk] = [
        Quirk("none", lines: "opened, MJPG 160x120 at 30"),
        Quirk("none", lines: "opened, YUYV 160x120 at 30", format: "YUYV"),
        // The node.
        Quirk("loopback"), Quirk("metadata", frames: nil, lines: "/dev/video0 captures no video"),
        Quirk("no_formats", frames: nil, lines: "/dev/video0 offers no format: a loopback device"),
        Quirk("no_sizes"), Quirk("no_intervals"), Quirk("endless_intervals"),
        // The mode.
        Quirk("format_busy", frames: nil, lines: "another program uses it"),
        Quirk("format_refused", frames: nil, lines: "cannot set the format of /dev/video0: Invalid argument"),
        Quirk("fixed_mode"), Quirk("no_colorspace"), Quirk("no_stride", format: "YUYV"),
        Quirk("rate_refused", lines: "opened, MJPG 160x120 at 30"), Quirk("rate_not_settable"), Quirk("no_rate"),
        Quirk("rate_zero"),
        // The buffers.
        Quirk("buffers=2"), Quirk("buffers=32"),
        Quirk("buffers=1", frames: nil, lines: "cannot get buffers of /dev/video0: Cannot allocate memory"),
        Quirk("no_bandwidth", frames: nil, lines: "cannot start /dev/video0: No space left on device"),
        Quirk("no_length", frames: nil, lines: "not a JPEG of the agreed kind", "delivered no frame"),
        Quirk("full_length"), Quirk("no_sequence"),
        // Times.
        Quirk("copied_times"), Quirk("no_times"), Quirk("first_time_zero"), Quirk("wall_clock"),
        // Failures. A picture in so many is damaged: one line says so, and the summary has their number.
        Quirk("error_every=3", frames: 3, damaged: 1...6, lines: "dropped a frame: the driver marked it as damaged"),
        Quirk("first_errors=3", frames: 2, damaged: 3...3),
        Quirk("all_errors", frames: nil, lines: "delivered no frame"),
        Quirk("failure_every=5", frames: 4, lines: "lost: cannot dequeue a buffer", "reopened, MJPG 160x120 at 30"),
        Quirk("unplugged,stops_after=5", frames: 5, lines: "lost: cannot dequeue", "reopened, MJPG 160x120 at 30"),
        Quirk("stops_after=5"),
    ]

    @Test(arguments: quirks) func `A driver's habits end no recording that another program would make`(
        quirk: Quirk
    ) throws {
        var camera = PreloadedCamera(quirk.words)
        camera.format = quirk.format
        if quirk.format == "YUYV" { camera.buffers = [[UInt8](repeating: 90, count: 160 * 120 * 2)] }
        try record(camera, quirk)
    }

    /// Logitech's C270, C310, C910, and others, which showed nothing. CameraHabitTests has all habits.
    @Test(arguments: [CameraHabit.surplusBeforeRestarts, .surplusBeforeEnd, .twoStarts, .everything])
    func `A camera's habits in JPEGs damage no frame`(habit: CameraHabit) throws {
        try record(PreloadedCamera(habit: habit), Quirk(habit.rawValue))
    }

    private func record(_ camera: PreloadedCamera, _ quirk: Quirk) throws {
        let folder = TemporaryFolder()
        let output = folder.path("out.y4m")
        // A camera without pictures is interrupted.
        let words = [
            "record", "/dev/video0", output, "--duration", "400ms", "--camera-size", "160x120", "--json",
        ]
        let program = try camera.program().start(words, limit: quirk.frames == nil ? 3 : 30)
        let outcome = try program.wait()
        for line in quirk.lines { #expect(outcome.errors.contains(line), "\(outcome.errors)") }
        // However many frames are damaged, few lines say so.
        #expect(outcome.errors.split(separator: "\n").filter { $0.contains("dropped") }.count <= 2, "\(outcome.errors)")
        guard let frames = quirk.frames else {
            #expect(outcome.status == 2 || outcome.isStopped, "\(outcome.status) \(outcome.errors)")
            #expect(!FileManager.default.fileExists(atPath: output))
            return
        }
        try #require(outcome.status == 0, "\(outcome.errors)")
        let summary = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any])
        let statistics = try #require(summary["camera"] as? [String: Any])
        #expect(summary["framesWritten"] as? Int ?? 0 >= frames, "\(summary)")
        #expect(quirk.damaged.contains(statistics["errorFrames"] as? Int ?? -1), "\(statistics)")
        let header = "YUV4MPEG2 W160 H120 F30:1 Ip A1:1 C420jpeg\n".utf8.count
        #expect(try (read(output).count - header) / (6 + 160 * 120 * 3 / 2) == summary["framesWritten"] as? Int)
    }
}
