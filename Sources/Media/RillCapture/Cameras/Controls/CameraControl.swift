/// A control of a camera: exposure, gain, focus, white balance, zoom, power-line frequency, flip and others.
public struct CameraControl: Hashable, Sendable {
    /// The kind of value that a control takes.
    public enum Kind: Hashable, Sendable {
        /// A number.
        case integer
        /// 0 or 1.
        case boolean
        /// One of these items, by its value.
        case menu([MenuItem])
        /// A set of bits.
        case bitmask
        /// No value: setting it triggers an action.
        case button
    }

    /// One item of a menu.
    public struct MenuItem: Hashable, Sendable {
        /// The value that selects it.
        public var value: Int
        /// The driver's name for it.
        public var name: String
    }

    /// Its V4L2 control ID.
    public var identifier: UInt32
    /// The driver's name for it: `Power Line Frequency`.
    public var title: String
    /// The kind of value that it takes.
    public var kind: Kind
    /// The smallest and the largest value.
    public var range: ClosedRange<Int>
    /// The distance between valid values.
    public var step: Int
    /// The driver's default.
    public var defaultValue: Int
    /// The current value; `nil` if it cannot be read.
    public var value: Int?
    /// Whether something else controls it at present, such as automatic exposure.
    public var isInactive: Bool
    /// Whether it can only be read.
    public var isReadOnly: Bool

    /// The name used on command lines: `power_line_frequency`.
    public var name: String { CameraControl.name(title) }

    /// Returns the lowercase letters and digits of a title, with an underscore in place of each run of other
    /// characters.
    static func name(_ title: String) -> String {
        var name = ""
        for character in title.lowercased() {
            if character.isASCII, character.isLetter || character.isNumber {
                name.append(character)
            } else if !name.isEmpty, name.last != "_" {
                name.append("_")
            }
        }
        while name.last == "_" { name.removeLast() }
        return name
    }

    /// Parses a value: a number, the name of a menu item, `on` or `off`.
    ///
    /// - Throws: ``CameraError/invalidSetting(_:)``, ``CameraError/controlOutOfRange(_:value:range:step:)``.
    func value(of words: String) throws(CameraError) -> Int {
        if let number = Int(words) { return try checked(number) }
        if case .menu(let items) = kind, let item = items.first(where: { $0.name.lowercased() == words.lowercased() }) {
            return item.value
        }
        if kind == .boolean, let value = ["on": 1, "off": 0, "true": 1, "false": 0][words.lowercased()] {
            return value
        }
        throw .invalidSetting("\(name)=\(words)")
    }

    /// Returns the value if the control accepts it; 0 for buttons.
    func checked(_ value: Int) throws(CameraError) -> Int {
        let isItem: Bool
        switch kind {
        case .menu(let items): isItem = items.contains { $0.value == value }
        case .button: return 0
        case .bitmask: isItem = value & ~range.upperBound == 0
        case .integer, .boolean:
            isItem = range.contains(value) && (value - range.lowerBound) % max(1, step) == 0
        }
        guard isItem else { throw .controlOutOfRange(name, value: value, range: range, step: step) }
        return value
    }
}
