/// Errors in the settings of a sending stream.
public enum SendError: Error, Equatable, Sendable {
    /// A setting is out of range.
    case settingOutOfRange(Setting, value: Int, allowed: ClosedRange<Int>)

    /// The settings that have a range.
    public enum Setting: String, Sendable {
        /// ``RTPStreamSettings/maximumPacketByteCount``.
        case maximumPacketByteCount = "maximum packet size in bytes"
        /// ``RTPStreamSettings/firstPictureID``.
        case firstPictureID = "first picture ID"
        /// ``RTPStreamSettings/canonicalName``.
        case canonicalName = "length of the canonical name in bytes"
        /// ``RTPStreamSettings/historyCapacity``.
        case historyCapacity = "packet history in packets"
        /// ``RTPStreamSettings/temporalLayerCount``.
        case temporalLayerCount = "number of temporal layers"
        /// ``RTPStreamSettings/reportInterval``.
        case reportInterval = "report interval in milliseconds"
    }
}

extension SendError: CustomStringConvertible {
    /// A description of the error, with the allowed range, in one line.
    public var description: String {
        switch self {
        case .settingOutOfRange(let setting, let value, let allowed):
            "\(setting.rawValue): \(value) is not within \(allowed.lowerBound) to \(allowed.upperBound)"
        }
    }
}
