/// The step sizes of VP8's quantizers (RFC 6386, section 14.1).
enum VP8Step {
    /// The step of AC coefficients at each quantizer index.
    private static let alternating: InlineArray<128, UInt16> = [
        4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
        33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 60,
        62, 64, 66, 68, 70, 72, 74, 76, 78, 80, 82, 84, 86, 88, 90, 92, 94, 96, 98, 100, 102, 104, 106, 108, 110,
        112, 114, 116, 119, 122, 125, 128, 131, 134, 137, 140, 143, 146, 149, 152, 155, 158, 161, 164, 167, 170, 173,
        177, 181, 185, 189, 193, 197, 201, 205, 209, 213, 217, 221, 225, 229, 234, 239, 245, 249, 254, 259, 264, 269,
        274, 279, 284,
    ]

    /// Returns what a step of AC coefficients at a quantizer index, 0 to 127, is in code values of a sample.
    static func of(_ index: Int) -> Double { Double(alternating[index]) / 2 }
}
