extension NTPShort {
    /// Returns the round-trip time that an echo implies (RFC 3550 §6.4.1, RFC 3611 §4.5), in steps of 15 µs.
    ///
    /// It is the time from sending a report to the arrival of its echo, minus the `delay` for which the receiver held
    /// it. A negative result, from rounding or a dishonest receiver, counts as zero.
    public static func roundTrip(from sent: NTPShort, delay: NTPShort, to arrival: NTPShort) -> NTPShort {
        NTPShort(rawValue: UInt32(max(0, (arrival &- delay).distance(since: sent))))
    }
}
