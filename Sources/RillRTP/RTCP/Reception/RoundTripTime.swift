extension NTPShort {
    /// The round-trip time that an echo implies (RFC 3550 §6.4.1, RFC 3611 §4.5): from the instant that a report was
    /// sent to the echo's arrival, without the `delay` for which its receiver kept it, in steps of 15 µs.
    ///
    /// A negative result comes of rounding, or of a receiver that lies, and counts as zero.
    public static func roundTrip(from sent: NTPShort, delay: NTPShort, to arrival: NTPShort) -> NTPShort {
        NTPShort(rawValue: UInt32(max(0, (arrival &- delay).distance(since: sent))))
    }
}
