import CAOM
import Rill
import RillRTP

extension VideoCodec {
    /// AV1, by libaom.
    static let av1: VideoCodec = "AV1"
}

/// A call that libaom rejected.
struct AOMError: Error, CustomStringConvertible {
    let call: String
    let code: UInt32

    var description: String { "libaom rejected \(call) (code \(code))" }

    /// Throws unless `result` is `AOM_CODEC_OK`.
    static func check(_ result: aom_codec_err_t, _ call: String) throws {
        guard result != AOM_CODEC_OK else { return }
        throw AOMError(call: call, code: result.rawValue)
    }
}

extension PayloadFormat {
    /// A payload format of this program. No RFC defines one for AV1. The Alliance for Open Media's splits a frame into
    /// its OBUs, which this one does not.
    ///
    ///     |S|K|0 0 0 0 0 0|  number (16)  |  with S and K: width (16), height (16)  |  piece of the frame …
    ///
    /// It carries no references: each frame depends on the one before it.
    static let av1 = PayloadFormat("av1") { frame, isFirst, bytes in
        bytes.append((isFirst ? 0x80 : 0) | (frame.isKey ? 0x40 : 0))
        for field in [frame.number ?? 0] + (isFirst && frame.isKey ? [frame.width, frame.height] : []) {
            bytes += [UInt8(field >> 8), UInt8(field & 0xFF)]
        }
    } parse: { payload throws(RTPError) in
        let (startsFrame, isKey) = (payload[0] & 0x80 != 0, payload[0] & 0x40 != 0)
        let count = startsFrame && isKey ? 7 : 3
        // Packets from the network may be malformed.
        guard payload.count > count else { throw .truncated(needed: count + 1, available: payload.count) }
        func field(_ index: Int) -> UInt16 { UInt16(payload[1 + 2 * index]) << 8 | UInt16(payload[2 + 2 * index]) }
        var frame = PayloadFrame(number: field(0), isKey: isKey)
        if count == 7 { (frame.width, frame.height) = (field(1), field(2)) }
        return PayloadPiece(frame, startsFrame: startsFrame, offset: count)
    }
}
