extension StreamDescription {
    /// Whether this description continues the stream of a former description of the same section: the one with its
    /// SSRC, or else with its RID, or the only one.
    ///
    /// The SSRC counts first: if a simulcast is refused, its first stream continues without its RID.
    ///
    /// - Parameter former: the former description.
    package func isStream(of former: StreamDescription) -> Bool {
        guard mid == former.mid else { return false }
        if let ssrc, ssrc == former.ssrc { return true }
        if rid != nil || former.rid != nil { return rid == former.rid }
        return ssrc == nil || former.ssrc == nil
    }
}
