internal import CV4L2
import Glibc

extension VideoNode {
    /// More controls than any driver has, and more items than any menu.
    private static let maximumControlCount = 1024

    /// The controls with a numeric value.
    func controls() throws(CameraError) -> [CameraControl] {
        var controls: [CameraControl] = []
        var query = v4l2_queryctrl()
        for _ in 0..<Self.maximumControlCount {
            // The flag requests the control that follows the one with that ID.
            let last = query.id
            query = v4l2_queryctrl()
            query.id = last | UInt32(V4L2_CTRL_FLAG_NEXT_CTRL)
            switch attempt(CV4L2_QUERYCTRL, &query) {
            case 0: break
            case EINVAL, ENOTTY: return controls
            case let code: throw .callFailed(.control, path: path, code: code)
            }
            // A driver that does not advance would loop forever.
            guard query.id > last else { return controls }
            if let control = control(query) { controls.append(control) }
        }
        return controls
    }

    /// Returns `nil` for headings, disabled controls, and values that are not numeric.
    private func control(_ query: v4l2_queryctrl) -> CameraControl? {
        guard query.flags & UInt32(V4L2_CTRL_FLAG_DISABLED) == 0, query.minimum <= query.maximum else { return nil }
        let kind: CameraControl.Kind
        switch v4l2_ctrl_type(query.type) {
        case V4L2_CTRL_TYPE_INTEGER: kind = .integer
        case V4L2_CTRL_TYPE_BOOLEAN: kind = .boolean
        case V4L2_CTRL_TYPE_MENU, V4L2_CTRL_TYPE_INTEGER_MENU: kind = .menu(items(of: query))
        case V4L2_CTRL_TYPE_BITMASK: kind = .bitmask
        case V4L2_CTRL_TYPE_BUTTON: kind = .button
        default: return nil
        }
        let isWriteOnly = query.flags & UInt32(V4L2_CTRL_FLAG_WRITE_ONLY) != 0 || kind == .button
        return CameraControl(
            identifier: query.id, title: text(of: query.name), kind: kind,
            range: Int(query.minimum)...Int(query.maximum), step: Int(max(1, query.step)),
            defaultValue: Int(query.default_value), value: isWriteOnly ? nil : controlValue(query.id),
            isInactive: query.flags & UInt32(V4L2_CTRL_FLAG_INACTIVE | V4L2_CTRL_FLAG_GRABBED) != 0,
            isReadOnly: query.flags & UInt32(V4L2_CTRL_FLAG_READ_ONLY) != 0)
    }

    private func items(of query: v4l2_queryctrl) -> [CameraControl.MenuItem] {
        var items: [CameraControl.MenuItem] = []
        let last = min(Int(query.maximum), Int(query.minimum) + Self.maximumControlCount)
        for index in max(0, Int(query.minimum))...max(0, last) {
            var item = v4l2_querymenu()
            item.id = query.id
            item.index = UInt32(index)
            // Indices without an item are left out of a menu.
            guard attempt(CV4L2_QUERYMENU, &item) == 0 else { continue }
            let isNumber = query.type == V4L2_CTRL_TYPE_INTEGER_MENU.rawValue
            items.append(
                CameraControl.MenuItem(value: index, name: isNumber ? "\(item.value)" : text(of: item.name)))
        }
        return items
    }

    private func controlValue(_ identifier: UInt32) -> Int? {
        var control = v4l2_control()
        control.id = identifier
        return attempt(CV4L2_G_CTRL, &control) == 0 ? Int(control.value) : nil
    }

    /// Sets a control. Returns the value that the driver applied.
    func setControl(_ identifier: UInt32, to value: Int) throws(CameraError) -> Int {
        var control = v4l2_control()
        control.id = identifier
        control.value = Int32(clamping: value)
        try request(CV4L2_S_CTRL, &control, as: .control)
        return Int(control.value)
    }
}
