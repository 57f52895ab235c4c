extension StreamDescription {
    /// Whether this, which was negotiated now, describes the stream of a former description of the same section: that with
    /// its SSRC, or else with its RID, or the only one.
    ///
    /// The SSRC counts first: where a simulcast is refused, its first stream goes on without its RID.
    ///
    /// - Parameter former: what was negotiated before.
    package func isStream(of former: StreamDescription) -> Bool {
        guard mid == former.mid else { return false }
        if let ssrc, ssrc == former.ssrc { return true }
        if rid != nil || former.rid != nil { return rid == former.rid }
        return ssrc == nil || former.ssrc == nil
    }
}
