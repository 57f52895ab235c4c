/// Where counters of the wire are likely to go wrong: around 0 and around the ends of 7, 15 and 16 bits.
let interestingStarts: [UInt16] = [0, 1, 127, 128, 32767, 32768, 65534, 65535]
