/// A limit that grows with luma, as noise and texture do.
struct LumaLimits {
    /// The limit at black.
    var least: UInt8
    /// The growth of the limit per 256 code values of luma above black; with `least`, at most 255 in total.
    var slope: UInt8

    @inline(__always)
    func bytes(luma: Bytes) -> Bytes {
        let light = luma.less(Bytes(repeating: 16))
        let slope = Words(repeating: UInt16(slope))
        return Bytes(repeating: least)
            &+ Bytes(
                even: (light.evenWords &* slope) &>> 8, odd: (light.oddWords &* slope) &>> 8)
    }

    func byte(luma: UInt8) -> UInt8 { least + UInt8((Int(luma.less(16)) * Int(slope)) >> 8) }
}
