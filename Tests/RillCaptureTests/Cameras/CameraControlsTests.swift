import CV4L2
import Glibc
import RillCore
import Testing

@testable import RillCapture

/// Controls: listed, read and set.
@Suite struct CameraControlsTests {
    private func controls() throws -> (CameraControls, FakeSystem) {
        var camera = FakeCamera()
        camera.controls = [
            FakeControl(identifier: 0x98_0900, name: "Brightness", range: -64...64, step: 4, defaultValue: 0, value: 8),
            FakeControl(
                identifier: 0x98_090C, name: "White Balance, Automatic", type: V4L2_CTRL_TYPE_BOOLEAN.rawValue,
                range: 0...1, defaultValue: 1, value: 1),
            FakeControl(
                identifier: 0x98_0918, name: "Power Line Frequency", type: V4L2_CTRL_TYPE_MENU.rawValue, range: 0...3,
                defaultValue: 1, value: 2, items: [0: "Disabled", 1: "50 Hz", 2: "60 Hz"]),
            FakeControl(
                identifier: 0x9A_0902, name: "Exposure Time, Absolute", range: 3...2047, defaultValue: 250, value: 333,
                flags: UInt32(V4L2_CTRL_FLAG_INACTIVE)),
            FakeControl(identifier: 0x9A_0903, name: "Gone", flags: UInt32(V4L2_CTRL_FLAG_DISABLED)),
            FakeControl(identifier: 0x9A_0904, name: "Temperature", flags: UInt32(V4L2_CTRL_FLAG_READ_ONLY)),
            FakeControl(identifier: 0x9A_0905, name: "A Text", type: V4L2_CTRL_TYPE_STRING.rawValue),
        ]
        let system = FakeSystem(camera)
        return (try CameraControls(.index(0), calls: system), system)
    }

    @Test func `Controls with a numeric value are listed`() throws {
        let list = try controls().0.list()
        #expect(
            list.map(\.name) == [
                "brightness", "white_balance_automatic", "power_line_frequency", "exposure_time_absolute",
                "temperature",
            ])
        #expect(list[0].range == -64...64 && list[0].step == 4 && list[0].value == 8 && list[0].defaultValue == 0)
        #expect(list[1].kind == .boolean)
        let items = [(0, "Disabled"), (1, "50 Hz"), (2, "60 Hz")].map { CameraControl.MenuItem(value: $0, name: $1) }
        #expect(list[2].kind == .menu(items))
        #expect(list[3].isInactive && !list[2].isInactive && list[4].isReadOnly)
    }

    @Test(arguments: [
        ("brightness=-60", -60), ("brightness=default", 0), ("Brightness=64", 64), ("power_line_frequency=50 hz", 1),
        ("power_line_frequency=0", 0), ("White Balance, Automatic=off", 0), ("white_balance_automatic=1", 1),
    ])
    func `A control is set as command lines write it`(text: String, value: Int) throws {
        let (controls, _) = try controls()
        let (name, made) = try controls.set(text)
        #expect(made == value)
        #expect(try controls.list().first { $0.name == name }?.value == value)
    }

    @Test(arguments: [
        ("brightness=65", CameraError.controlOutOfRange("brightness", value: 65, range: -64...64, step: 4)),
        ("brightness=3", .controlOutOfRange("brightness", value: 3, range: -64...64, step: 4)),
        ("power_line_frequency=3", .controlOutOfRange("power_line_frequency", value: 3, range: 0...3, step: 1)),
        ("power_line_frequency=70 Hz", .invalidSetting("power_line_frequency=70 Hz")),
        ("colour=1", .unknownControl("colour", path: "/dev/video0")),
        ("temperature=1", .controlNotSettable("temperature")),
        ("brightness", .invalidSetting("brightness")), ("=3", .invalidSetting("=3")),
        ("brightness=", .invalidSetting("brightness=")),
    ])
    func `A value that a control does not take is refused`(text: String, error: CameraError) throws {
        let (controls, _) = try controls()
        #expect(throws: error) { try controls.set(text) }
    }

    @Test func `A driver's refusal is reported`() throws {
        let (controls, system) = try controls()
        system.look { $0.cameras["/dev/video0"]?.refusals = [CV4L2_S_CTRL: [EBUSY]] }
        #expect(throws: CameraError.callFailed(.control, path: "/dev/video0", code: EBUSY)) {
            try controls.set("brightness=0")
        }
    }
}
