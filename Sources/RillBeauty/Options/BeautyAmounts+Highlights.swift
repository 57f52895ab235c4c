extension BeautyAmounts {
    /// The amounts for a face that is so bright in places that these cannot be lightened as much: the rest of it then
    /// is not either, since parts of one face that are lightened differently lose their shape.
    ///
    /// - Parameters:
    ///   - highlight: the luma that a 32nd of the face is brighter than, in 16ths.
    ///   - strength: how much the face counts, from 0 to 256.
    func limited(byHighlight highlight: Int, strength: Int) -> BeautyAmounts {
        let (above, room) = (max(0, highlight / 16 - 16), max(0, 3760 - highlight))
        let wanted = Int(lift) + above * Int(liftSlope)
        // The least share of the way to white: see `shareOfWhite`.
        let possible = room * 128 / 16
        guard wanted > possible else { return self }
        let kept = 256 * wanted - strength * (wanted - possible)
        var result = self
        result.lift = Int16(Int(lift) * kept / (256 * wanted))
        result.liftSlope = Int16(Int(liftSlope) * kept / (256 * wanted))
        return result
    }
}
