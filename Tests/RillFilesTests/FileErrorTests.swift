import Testing

@testable import RillFiles

@Suite struct FileErrorTests {
    @Test(arguments: [
        (FileError.notFound(path: "a"), "a: no such file or folder; check the path"),
        (.openFailed(path: "a", code: 13), "a: cannot be opened: Permission denied (errno 13)"),
        (.readFailed(path: "a", position: 7, code: 5), "a: cannot be read at byte 7: Input/output error (errno 5)"),
        (
            .truncated(path: "a", position: 61, needed: 460_800, available: 1000),
            "a: ends too early: 460800 bytes needed at byte 61, 1000 available; everything before is intact"
        ),
        (
            .foreign(path: "a", expected: "DKIF", found: [0x1A, 0x45, 0x22, 0x00, 0xFF]),
            #"a: is not the expected type: it begins with "\x1aE\x22\x00\xff", not with "DKIF""#
        ),
        (
            .resolutionOutOfRange(path: "a", width: 100_000, height: 100_000),
            "a: the header claims pictures of 100000x100000; sizes from 1x1 to 16383x16383 can be read"
        ),
    ])
    func `The text describes what happened and where`(error: FileError, text: String) {
        #expect("\(error)" == text)
    }
}
