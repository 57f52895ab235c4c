/// A control of a camera: exposure, gain, focus, white balance, zoom, power-line frequency, flip and what else it has.
public struct CameraControl: Hashable, Sendable {
    /// What kind of value it takes.
    public enum Kind: Hashable, Sendable {
        /// A number.
        case integer
        /// 0 or 1.
        case boolean
        /// One of these, by its number.
        case menu([MenuItem])
        /// Bits that are set or not.
        case bitmask
        /// It takes no value: setting it does something.
        case button
    }

    /// One choice of a menu.
    public struct MenuItem: Hashable, Sendable {
        /// The value that chooses it.
        public var value: Int
        /// What the driver calls it.
        public var name: String
    }

    /// The number by which V4L2 knows it.
    public var identifier: UInt32
    /// What the driver calls it: `Power Line Frequency`.
    public var title: String
    /// What kind of value it takes.
    public var kind: Kind
    /// From the least to the most.
    public var range: ClosedRange<Int>
    /// Values are this far apart.
    public var step: Int
    /// The driver's own choice.
    public var defaultValue: Int
    /// What it is now; `nil` where it cannot be read.
    public var value: Int?
    /// Whether something else has it at present, such as automatic exposure.
    public var isInactive: Bool
    /// Whether it is only to be read.
    public var isReadOnly: Bool

    /// The name that is written on command lines: `power_line_frequency`.
    public var name: String { CameraControl.name(title) }

    /// Letters and digits in lower case, with an underscore for what lies between them.
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

    /// The value that words stand for: a number, a menu's item by name, `on` and `off`.
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

    /// A value that the control takes.
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
