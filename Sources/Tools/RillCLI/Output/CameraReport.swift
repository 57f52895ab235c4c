import Rill
import RillCapture
import RillCore

/// The description of a camera, as text and as JSON.
struct CameraReport: Encodable {
    var path: String
    var stablePath: String?
    var name: String
    var bus: String
    var driver: String
    var multiPlanar: Bool
    var formats: [Format]
    var controls: [Control]

    struct Format: Encodable {
        var fourCC: String
        var name: String
        var isRead: Bool
        var sizes: [Size]
    }

    /// A size, or a range of sizes.
    struct Size: Encodable, Equatable {
        var resolution: String
        /// For a range: the largest size, and the steps.
        var largest: String?
        var steps: String?
        var framesPerSecond: String

        var text: String {
            largest.map { "\(resolution) to \($0) in steps of \(steps ?? "1x1")" } ?? resolution
        }
    }

    struct Control: Encodable {
        var name: String
        var kind: String
        var minimum: Int
        var maximum: Int
        var step: Int
        var defaultValue: Int
        var value: Int?
        var menu: [String: String]?
        var inactive: Bool
        var readOnly: Bool
    }

    init(_ device: CameraDevice, controls: [CameraControl]) {
        path = device.path
        stablePath = device.stablePath
        name = device.name
        bus = device.bus
        driver = device.driver
        multiPlanar = device.isMultiPlanar
        formats = device.formats.map { format in
            Format(
                fourCC: format.fourCC, name: format.name, isRead: format.pixelFormat != nil, sizes: format.sizes.rows)
        }
        self.controls = controls.map(Control.init)
    }

    var text: String {
        var head = "\(path)  \(name)\n\(driver), \(bus)"
        if let stablePath { head += "\n\(stablePath)" }
        var sizes = TextTable(["format", "size", "frames per second"])
        for (index, format) in formats.enumerated() where format.isRead {
            // Formats with the same sizes share their rows.
            let isRepeated = index > 0 && formats[..<index].contains { $0.isRead && $0.sizes == format.sizes }
            guard !isRepeated else { continue }
            let alike = formats.filter { $0.isRead && $0.sizes == format.sizes }.map(\.fourCC)
            let lines = max(alike.count, max(1, format.sizes.count))
            for line in 0..<lines {
                let size = format.sizes.indices.contains(line) ? format.sizes[line] : nil
                let none = format.sizes.isEmpty && line == 0 ? "unknown" : ""
                sizes.add([
                    alike.indices.contains(line) ? alike[line] : "", size?.text ?? none, size?.framesPerSecond ?? none,
                ])
            }
        }
        let others = formats.filter { !$0.isRead }.map(\.fourCC)
        var table = TextTable(["control", "value", "default", "range"])
        for control in controls {
            let shown = control.value.map { value in control.menu?["\(value)"].map { "\(value) (\($0))" } ?? "\(value)"
            }
            table.add([
                control.name, shown ?? "–", control.kind == "button" ? "–" : "\(control.defaultValue)",
                control.rangeText,
            ])
        }
        if !others.isEmpty { head += "\nnot supported: " + others.joined(separator: ", ") }
        return [head, sizes.text, controls.isEmpty ? "no controls" : table.text].joined(separator: "\n\n")
    }
}

extension CameraSizes {
    fileprivate var rows: [CameraReport.Size] {
        switch self {
        case .discrete(let sizes):
            sizes.map { CameraReport.Size(resolution: "\($0.resolution)", framesPerSecond: $0.rates.text) }
        case .stepwise(let minimum, let maximum, let width, let height, let rates):
            [
                CameraReport.Size(
                    resolution: "\(minimum)", largest: "\(maximum)", steps: "\(width)x\(height)",
                    framesPerSecond: rates.text)
            ]
        case .unknown: []
        }
    }
}

extension CameraRates {
    fileprivate var text: String {
        switch self {
        case .discrete(let rates): rates.map(\.description).joined(separator: ", ")
        case .range(let slowest, let fastest): "\(slowest) to \(fastest)"
        case .unknown: "unknown"
        }
    }
}

extension CameraReport.Control {
    fileprivate init(_ control: CameraControl) {
        name = control.name
        minimum = control.range.lowerBound
        maximum = control.range.upperBound
        step = control.step
        defaultValue = control.defaultValue
        value = control.value
        inactive = control.isInactive
        readOnly = control.isReadOnly
        switch control.kind {
        case .integer: kind = "integer"
        case .boolean: kind = "boolean"
        case .bitmask: kind = "bitmask"
        case .button: kind = "button"
        case .menu(let items):
            kind = "menu"
            menu = Dictionary(items.map { ("\($0.value)", $0.name) }) { first, _ in first }
        }
    }

    fileprivate var rangeText: String {
        var text: String
        switch kind {
        case "boolean": text = "0, 1"
        case "button": text = "button"
        case "menu": text = "\(minimum) to \(maximum), menu"
        default: text = "\(minimum) to \(maximum)" + (step > 1 ? " by \(step)" : "")
        }
        if readOnly { text += ", read only" }
        if inactive { text += ", inactive" }
        return text
    }
}

/// The JSON summary of a camera's statistics.
struct CameraSummary: Encodable {
    var mode: String
    var framesCaptured: Int
    var framesMissed: Int
    var gaps: Int
    var errorFrames: Int
    var replacedStamps: Int
    var stalls: Int
    var losses: Int
    var reopenings: Int

    init(_ mode: CameraMode, _ statistics: CameraStatistics) {
        self.mode = mode.description
        framesCaptured = statistics.framesCaptured
        framesMissed = statistics.framesMissed
        gaps = statistics.gaps
        errorFrames = statistics.errorFrames
        replacedStamps = statistics.timestampFaults.count
        stalls = statistics.stalls
        losses = statistics.losses
        reopenings = statistics.reopenings
    }
}
