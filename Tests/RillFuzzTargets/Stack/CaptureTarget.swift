import RillFiles
import RillWireFuzzTargets

/// A capture, of whichever format its first bytes say: every datagram lies in the file, and a second look finds the
/// same.
func fuzzCapture(_ bytes: Span<UInt8>) {
    let file = bytes.indices.map { bytes[$0] }
    let found = datagrams(in: file)
    precondition(datagrams(in: file) == found)
    for entry in found {
        let (datagram, payload) = (entry.datagram, entry.payload)
        precondition(datagram.byteCount == payload.count && datagram.byteCount <= datagram.originalByteCount)
        precondition(file[datagram.position...].prefix(payload.count).elementsEqual(payload))
    }
}

private func datagrams(in file: [UInt8]) -> [Found] {
    guard let reader = try? CaptureReader(bytes: file) else { return [] }  // a typed error is as good an answer
    var (found, bytes): ([Found], [UInt8]) = ([], [])
    // What is damaged ends with a typed error; what was read before it counts.
    while let datagram = try? reader.next(into: &bytes) { found.append(Found(datagram: datagram, payload: bytes)) }
    let statistics = reader.statistics
    precondition(statistics.datagrams == found.count && statistics.packets >= found.count)
    return found
}

private struct Found: Equatable {
    var datagram: CapturedDatagram
    var payload: [UInt8]
}
