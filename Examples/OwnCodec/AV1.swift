import CAOM
import Rill
import RillRTP

extension VideoCodec {
    /// AV1, by libaom.
    static let av1: VideoCodec = "AV1"
}

/// What libaom refused.
struct AOMError: Error, CustomStringConvertible {
    let call: String
    let code: UInt32

    var description: String { "libaom refused \(call) (code \(code))" }

    /// Throws unless `result` says that all is well.
    static func check(_ result: aom_codec_err_t, _ call: String) throws {
        guard result != AOM_CODEC_OK else { return }
        throw AOMError(call: call, code: result.rawValue)
    }
}

extension PayloadFormat {
    /// This program's own payload format. RFCs have none of AV1; the Alliance for Open Media's takes the frame's units apart,
    /// which this does not.
    ///
    ///     |S|K|0 0 0 0 0 0|  number (16)  |  with S and K: width (16), height (16)  |  piece of the frame …
    ///
    /// It names no references: each frame needs the one before it.
    static let av1 = PayloadFormat("av1") { frame, isFirst, bytes in
        bytes.append((isFirst ? 0x80 : 0) | (frame.isKey ? 0x40 : 0))
        for field in [frame.number ?? 0] + (isFirst && frame.isKey ? [frame.width, frame.height] : []) {
            bytes += [UInt8(field >> 8), UInt8(field & 0xFF)]
        }
    } parse: { payload throws(RTPError) in
        let (startsFrame, isKey) = (payload[0] & 0x80 != 0, payload[0] & 0x40 != 0)
        let count = startsFrame && isKey ? 7 : 3
        // Strangers write packets, too.
        guard payload.count > count else { throw .truncated(needed: count + 1, available: payload.count) }
        func field(_ index: Int) -> UInt16 { UInt16(payload[1 + 2 * index]) << 8 | UInt16(payload[2 + 2 * index]) }
        var frame = PayloadFrame(number: field(0), isKey: isKey)
        if count == 7 { (frame.width, frame.height) = (field(1), field(2)) }
        return PayloadPiece(frame, startsFrame: startsFrame, offset: count)
    }
}
