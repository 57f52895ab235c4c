import CVPXMemory
import Glibc
import RillTestSupport
import Testing

/// The allocator that libvpx is linked with.
@Suite struct LibvpxMemoryTests {
    /// Around the size from which blocks are mapped, and of a block's own header.
    private static let sizes = [0, 1, 31, 4096, 1 << 20 - 64, 1 << 20 - 31, 1 << 20, 1 << 20 + 1, 5 << 20]

    /// A block that was asked for and has to be there.
    private func bytes(_ block: UnsafeMutableRawPointer?, _ size: Int) throws -> UnsafeMutableRawBufferPointer {
        guard let block = unsafe block else { throw TestFailure("no memory for \(size) bytes") }
        return unsafe UnsafeMutableRawBufferPointer(start: block, count: size)
    }

    @Test(arguments: sizes)
    func `A zero block is zero, aligned, and there to its last byte`(size: Int) throws {
        let block = try unsafe bytes(vpx_calloc(1, size), size)
        let (address, isZero) = unsafe (UInt(bitPattern: block.baseAddress), block.allSatisfy { $0 == 0 })
        #expect(address % 16 == 0 && isZero)
        unsafe block.initializeMemory(as: UInt8.self, repeating: 0xA5)
        let isWritten = unsafe block.allSatisfy { $0 == 0xA5 }
        #expect(isWritten)
        unsafe vpx_free(block.baseAddress)
    }

    @Test(arguments: sizes, [1, 8, 16, 32, 64, 4096])
    func `A block has the requested alignment`(size: Int, alignment: Int) throws {
        let block = try unsafe bytes(vpx_memalign(alignment, size), size)
        let address = UInt(bitPattern: block.baseAddress)
        #expect(address % UInt(alignment) == 0)
        unsafe block.initializeMemory(as: UInt8.self, repeating: 1)
        unsafe vpx_free(block.baseAddress)
    }

    @Test func `Only the written part of a large zero block is in memory`() throws {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let block = try unsafe bytes(vpx_calloc(4 << 20, 16), 64 << 20)
        let header = Int(bitPattern: block.baseAddress) % page
        for offset in [0, block.count / 2, block.count - 1] { unsafe block[offset] = 1 }
        var pages = [UInt8](repeating: 0, count: (block.count + header + page - 1) / page)
        let result = unsafe mincore(block.baseAddress! - header, pages.count * page, &pages)
        unsafe vpx_free(block.baseAddress)
        #expect(result == 0)
        // Three pages; where the system gives huge ones unasked, three of 2 MiB.
        let resident = pages.count { $0 & 1 == 1 }
        #expect((3...pages.count / 8).contains(resident), "\(resident) pages")
    }

    @Test func `Impossible sizes are refused by the allocator`() {
        let isRefused = unsafe [
            vpx_calloc(.max, 2) == nil, vpx_calloc(.max / 2, 4) == nil, vpx_calloc(1, .max) == nil,
            vpx_calloc(1, .max - 100) == nil, vpx_malloc(.max) == nil, vpx_memalign(64, .max - 32) == nil,
        ]
        #expect(isRefused == Array(repeating: true, count: 6))
        vpx_free(nil)
    }
}
