import RillRTP

/// An RTP packet taken apart, so that each part can be changed, also to one that contradicts the others.
struct EditableRTP {
    var version: UInt8 = 2
    var marker = false
    var payloadType: UInt8
    var sequenceNumber: UInt16
    var timestamp: UInt32
    var ssrc: UInt32
    var sources: [UInt32] = []
    /// 0xBEDE for elements of the one-byte form, 0x1000 for those of the two-byte form; `nil` for no extension.
    var profile: UInt16?
    var elements: [(id: UInt8, data: [UInt8])] = []
    var payload: [UInt8] = []
    /// The padding's last byte; `nil` for no padding. The padding itself has ``paddingByteCount`` bytes.
    var paddingCount: UInt8?
    var paddingByteCount = 0
    /// What is added to the true counts of sources and of the extension's words.
    var (sourceCountError, wordCountError) = (0, 0)

    static let oneByteProfile: UInt16 = 0xBEDE
    static let twoByteProfile: UInt16 = 0x1000

    init(payloadType: UInt8, _ sequenceNumber: UInt16, _ timestamp: UInt32, ssrc: UInt32) {
        (self.payloadType, self.sequenceNumber) = (payloadType, sequenceNumber)
        (self.timestamp, self.ssrc) = (timestamp, ssrc)
    }

    var bytes: [UInt8] {
        let count = UInt8(truncatingIfNeeded: sources.count + sourceCountError) & 0x0F
        let hasExtension: UInt8 = profile == nil ? 0 : 0x10
        var bytes = [version << 6 | (paddingCount == nil ? 0 : 0x20) | hasExtension | count]
        bytes.append((marker ? 0x80 : 0) | payloadType & 0x7F)
        bytes.append(bigEndian: sequenceNumber)
        bytes.append(bigEndian: timestamp)
        bytes.append(bigEndian: ssrc)
        for source in sources { bytes.append(bigEndian: source) }
        if let profile { appendExtension(profile, to: &bytes) }
        bytes += payload
        if let paddingCount, paddingByteCount > 0 {
            bytes += [UInt8](repeating: 0, count: paddingByteCount - 1) + [paddingCount]
        }
        return bytes
    }

    private func appendExtension(_ profile: UInt16, to bytes: inout [UInt8]) {
        var block: [UInt8] = []
        for (id, data) in elements {
            if profile == EditableRTP.oneByteProfile {
                block.append(id << 4 | UInt8(truncatingIfNeeded: data.count &- 1) & 0x0F)
            } else {
                block += [id, UInt8(truncatingIfNeeded: data.count)]
            }
            block += data
        }
        while block.count % 4 != 0 { block.append(0) }
        bytes.append(bigEndian: profile)
        bytes.append(bigEndian: UInt16(truncatingIfNeeded: block.count / 4 + wordCountError))
        bytes += block
    }

    /// Sets, adds or, with `nil`, removes an element.
    mutating func set(_ id: UInt8, _ data: [UInt8]?) {
        elements.removeAll { $0.id == id }
        if let data { elements.append((id, data)) }
        if profile == nil, !elements.isEmpty { profile = EditableRTP.oneByteProfile }
    }
}

extension [UInt8] {
    mutating func append(bigEndian value: some FixedWidthInteger & UnsignedInteger) {
        for byte in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> byte))
        }
    }
}
