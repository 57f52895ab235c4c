/// The controls of a camera.
///
/// ```swift
/// let controls = try CameraControls(.path("/dev/video0"))
/// for control in try controls.list() { print(control.name, control.range, control.value ?? 0) }
/// try controls.set("brightness", to: 128)
/// ```
///
/// It opens the camera's node a second time, so controls can be changed while another owner streams. Single owner;
/// any one thread.
public final class CameraControls {
    private let node: VideoNode

    /// Opens a camera for its controls.
    ///
    /// - Parameter selection: which camera to open.
    /// - Throws: ``CameraError``.
    public convenience init(_ selection: CameraSelection) throws(CameraError) {
        try self.init(selection, calls: SystemDeviceCalls())
    }

    package init(_ selection: CameraSelection, calls: some DeviceCalls) throws(CameraError) {
        var finder = CameraFinder(selection)
        node = try finder.open(calls)
    }

    /// The camera's node.
    public var path: String { node.path }

    /// Returns all controls with a numeric value, in the driver's order, with their current values.
    ///
    /// - Throws: ``CameraError/callFailed(_:path:code:)``.
    public func list() throws(CameraError) -> [CameraControl] { try node.controls() }

    /// Sets a control by its name.
    ///
    /// - Parameters:
    ///   - name: the control's name or title.
    ///   - value: the new value, within the control's range and steps.
    /// - Returns: the value that the driver applied.
    /// - Throws: ``CameraError``.
    @discardableResult
    public func set(_ name: String, to value: Int) throws(CameraError) -> Int {
        let control = try control(name)
        return try set(control, to: control.checked(value))
    }

    /// Sets a control from command-line text: `brightness=128`, `power_line_frequency=50 Hz`, `horizontal_flip=on`,
    /// `brightness=default`.
    ///
    /// - Parameter text: the control's name, an equals sign and the value.
    /// - Returns: the control's name, and the value that the driver applied.
    /// - Throws: ``CameraError``.
    @discardableResult
    public func set(_ text: String) throws(CameraError) -> (name: String, value: Int) {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { throw .invalidSetting(text) }
        let control = try control(String(text[..<equals]))
        let words = String(text[text.index(after: equals)...])
        let value = words == "default" ? control.defaultValue : try control.value(of: words)
        return (control.name, try set(control, to: value))
    }

    private func control(_ name: String) throws(CameraError) -> CameraControl {
        let wanted = CameraControl.name(name)
        guard let control = try list().first(where: { $0.name == wanted }) else {
            throw .unknownControl(name, path: node.path)
        }
        return control
    }

    private func set(_ control: CameraControl, to value: Int) throws(CameraError) -> Int {
        guard !control.isReadOnly else { throw .controlNotSettable(control.name) }
        return try node.setControl(control.identifier, to: value)
    }
}
